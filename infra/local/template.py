"""What `template.yaml` says, read as CloudFormation would: the one source of routes,
handlers, timeouts, environment variables and the table.

Only the intrinsics that the local stack can honour are known; any other, and any name
that nobody gave a value, is an error that names it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from infra.local.permissions import Statement, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

FUNCTION = "AWS::Serverless::Function"
TABLE = "AWS::DynamoDB::Table"
API = "AWS::Serverless::HttpApi"
# Lambda's own defaults.
TIMEOUT_SECONDS = 3
MEMORY_MB = 128
NO_VALUE = "AWS::NoValue"
VARIABLE = re.compile(r"\$\{(!?)([^}]+)\}")


class UnknownReference(LookupError):  # noqa: N818 - reads as the sentence it is
    """The template refers to something that the stack gives no value for."""


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path pattern of the HTTP API; `ANY` is every method."""

    method: str
    path: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the template, every reference resolved."""

    name: str
    code: Path
    handler: str
    timeout: float
    memory: int
    log_format: str
    environment: Mapping[str, str]
    routes: tuple[Route, ...]
    schedules: tuple[str, ...]
    allowed: tuple[Statement, ...] = ()


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short tags."""


def _short(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    """Write `!Tag value` out in its long form."""
    value: Any = None
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if tag == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {tag if tag in {"Ref", "Condition"} else f"Fn::{tag}": value}


_Loader.add_multi_constructor("!", _short)


class Template:
    """A parsed template; names get their values when a part is asked for."""

    def __init__(self, path: Path, values: Mapping[str, str] | None = None) -> None:
        """Read the file; `values` maps `Name` and `Name.Attribute` to strings."""
        with path.open("rb") as source:
            self._raw: dict[str, Any] = yaml.load(source, _Loader)  # noqa: S506 - safe
        self._folder = path.resolve().parent
        self._values = {**self._defaults(), **(values or {})}

    def _defaults(self) -> dict[str, str]:
        parameters = self._raw.get("Parameters", {}).items()
        return {
            name: _text(body["Default"])
            for name, body in parameters
            if "Default" in body
        }

    @property
    def table(self) -> dict[str, Any]:
        """Return the properties of the one DynamoDB table."""
        tables = self._of(TABLE)
        if len(tables) != 1:
            raise UnknownReference(f"one {TABLE} was expected, found {len(tables)}")
        (properties,) = tables.values()
        return dict(self.resolve(properties))

    def value(self, name: str) -> str | None:
        """Return what a name stands for, or None where nothing was given."""
        return self._values.get(name)

    def has_table(self) -> bool:
        """Tell whether the template has a table at all."""
        return bool(self._of(TABLE))

    @property
    def cors(self) -> dict[str, Any]:
        """Return what the HTTP API lets pages of other origins do, if it says so."""
        for properties in self._of(API).values():
            return dict(self.resolve(properties.get("CorsConfiguration", {})))
        return {}

    def functions(self) -> list[Function]:
        """Return every function in the template's order."""
        return [self._function(*pair) for pair in self._of(FUNCTION).items()]

    def _of(self, kind: str) -> dict[str, dict[str, Any]]:
        resources = self._raw.get("Resources", {}).items()
        return {
            name: body.get("Properties", {})
            for name, body in resources
            if body["Type"] == kind
        }

    def _function(self, name: str, own: Mapping[str, Any]) -> Function:
        shared: dict[str, Any] = self._raw.get("Globals", {}).get("Function", {})
        merged = {**shared, **own}
        events = [(e["Type"], e.get("Properties", {})) for e in _events(own)]
        return Function(
            name=name,
            code=self._folder / self.resolve(merged["CodeUri"]),
            handler=self.resolve(merged["Handler"]),
            timeout=float(self.resolve(merged.get("Timeout", TIMEOUT_SECONDS))),
            memory=int(self.resolve(merged.get("MemorySize", MEMORY_MB))),
            log_format=_log_format(merged),
            environment=self._environment(_variables(shared) | _variables(own)),
            routes=tuple(_route(e) for kind, e in events if kind == "HttpApi"),
            schedules=tuple(
                str(self.resolve(e["ScheduleExpression"]))
                for kind, e in events
                if kind in {"Schedule", "ScheduleV2"}
            ),
            allowed=tuple(statements(own.get("Policies", ()), self.resolve)),
        )

    def _environment(self, variables: Mapping[str, Any]) -> dict[str, str]:
        resolved = self.resolve(variables)
        return {name: _text(value) for name, value in resolved.items()}

    def resolve(self, value: Any) -> Any:
        """Return a value with its references replaced; raise UnknownReference."""
        if isinstance(value, list):
            found = [self.resolve(each) for each in value]
            return [each for each in found if each is not NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name, body), *_ = value.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._intrinsic(name, body)
        pairs = ((key, self.resolve(each)) for key, each in value.items())
        return {key: each for key, each in pairs if each is not NO_VALUE}

    def _intrinsic(self, name: str, body: Any) -> Any:
        known: dict[str, Callable[[Any], Any]] = {
            "Ref": lambda body: NO_VALUE if body == NO_VALUE else self._look(body),
            "Fn::GetAtt": lambda body: self._look(".".join(body)),
            "Fn::Sub": self._substitute,
            "Fn::Join": lambda body: body[0].join(map(_text, self.resolve(body[1]))),
            "Fn::Split": lambda body: _text(self.resolve(body[1])).split(body[0]),
            "Fn::If": lambda body: self.resolve(body[1 if self._holds(body[0]) else 2]),
        }
        if name not in known:
            raise UnknownReference(f"{name} is not known to the local stack")
        return known[name](body)

    def _look(self, name: str) -> str:
        try:
            return self._values[name]
        except KeyError:
            raise UnknownReference(f"the stack gives no value for {name}") from None

    def _substitute(self, body: str | list[Any]) -> str:
        text, own = (body, {}) if isinstance(body, str) else body
        local = {name: _text(self.resolve(value)) for name, value in own.items()}

        def replace(found: re.Match[str]) -> str:
            literal, name = found.groups()
            if literal:
                return f"${{{name}}}"
            return local[name] if name in local else self._look(name)

        return VARIABLE.sub(replace, text)

    def _holds(self, condition: str | dict[str, Any]) -> bool:
        """Evaluate a condition, by name or written out."""
        if isinstance(condition, str):
            return self._holds(self._raw["Conditions"][condition])
        ((name, body),) = condition.items()
        if name == "Condition":
            return self._holds(body)
        if name == "Fn::Equals":
            left, right = self.resolve(body)
            return _text(left) == _text(right)
        answers = [self._holds(each) for each in body]
        known = {"Fn::Not": not answers[0], "Fn::And": all(answers)}
        known["Fn::Or"] = any(answers)
        return known[name]


def _events(own: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(own.get("Events", {}).values())


def _variables(function: Mapping[str, Any]) -> dict[str, Any]:
    return dict(function.get("Environment", {}).get("Variables", {}))


def _log_format(function: Mapping[str, Any]) -> str:
    return str(function.get("LoggingConfig", {}).get("LogFormat", "Text"))


def _route(event: Mapping[str, Any]) -> Route:
    return Route(str(event["Method"]).upper(), str(event["Path"]))


def _text(value: Any) -> str:
    """Return a scalar as CloudFormation writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)

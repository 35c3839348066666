r"""React Query Builder's JSON in and out: what the filter editor keeps its queries in.

Lossless: ``write`` then ``read`` gives the same tree and ids. The editor's own names
of operators are used where it has one (a date's ``<`` is ``before``), ours elsewhere;
lists are arrays, and comma-separated strings with ``\,`` are read. What the editor can
say and a tree can't is a fault or a noted conversion, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from vitrine.problems import Fault
from vitrine.registry.operators import (
    LIST_OPERATORS,
    PAIR_OPERATORS,
    VALUELESS_OPERATORS,
    FieldType,
)
from vitrine.registry.profiles import Registry
from vitrine.tree.model import DEPTH, Group, Node, Rule, dump
from vitrine.tree.parse import escaped, parse

_COMMON = {
    "=": "equals",
    "!=": "not_equals",
    "<": "less_than",
    "<=": "less_or_equal",
    ">": "greater_than",
    ">=": "greater_or_equal",
    "contains": "contains",
    "doesNotContain": "not_contains",
    "beginsWith": "starts_with",
    "in": "in",
    "notIn": "not_in",  # codespell:ignore notin
    "between": "between",
    "null": "is_empty",
    "notNull": "is_not_empty",
}
_MOMENT = _COMMON | {
    "<": "before",
    "<=": "on_or_before",
    ">": "after",
    ">=": "on_or_after",
}
_VOCABULARY = _COMMON | {
    "=": "vocab_text_equals",
    "in": "vocab_text_in",
    "notIn": "vocab_text_not_in",  # codespell:ignore notin
}
_BY_TYPE = {
    FieldType.DATE: _MOMENT,
    FieldType.DATETIME: _MOMENT,
    FieldType.TIME: _MOMENT,
    FieldType.VOCABULARY: _VOCABULARY,
}
# The editor's negations that a tree says with a denied group.
_DENIED = {"notBetween": "between", "doesNotBeginWith": "beginsWith"}
_UNSAYABLE = {"endsWith": "contains", "doesNotEndWith": "doesNotContain"}
_SEVERAL = LIST_OPERATORS | PAIR_OPERATORS
_COMMA = re.compile(r"(?<!\\),")
_GROUP_KEYS = frozenset({"id", "path", "combinator", "not", "rules", "disabled"})
_RULE_KEYS = frozenset(
    {"id", "path", "field", "operator", "value", "valueSource", "disabled", "muted"}
)


@dataclass(frozen=True, slots=True)
class Imported:
    """A tree with the editor's ids by JSON pointer, and what was converted.

    ``notes`` are stable codes: ``independent_combinators`` (AND bound first),
    ``denied_group`` (a negation became a denied group), ``muted`` (left out).
    """

    tree: Group
    ids: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def read(raw: Any, registry: Registry, pointer: str = "") -> Imported:
    """Read an editor's query; shape only, so ``validate`` comes after."""
    reader = _Reader(registry, pointer)
    parsed = parse(reader.node(raw, pointer, ""), pointer)
    notes = tuple(dict.fromkeys(reader.notes))
    ids = {f"/rules/0{at}": i for at, i in reader.ids.items()}
    kept = MappingProxyType(ids if parsed.wrapped else reader.ids)
    return Imported(parsed.tree, kept, notes, (*reader.faults, *parsed.faults))


def write(
    tree: Group, registry: Registry, ids: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Write a tree as the editor keeps it, with its ids where they are known."""
    return _written(tree, registry, ids or {}, "")


def opened(tree: Group, registry: Registry) -> dict[str, Any]:
    """Write a tree for the gallery: without the layers that only wrap one group."""
    while len(tree.rules) == 1 and isinstance(tree.rules[0], Group):
        inner = tree.rules[0]
        if tree.negated and inner.negated:
            tree = Group(inner.operator, inner.rules)
        elif tree.negated:
            tree = Group(inner.operator, inner.rules, negated=True)
        else:
            tree = inner
    return write(tree, registry)


def _operators(registry: Registry, key: str) -> Mapping[str, str]:
    known = registry.filters.get(key)
    return _BY_TYPE.get(known.type, _COMMON) if known else _COMMON


def _written(
    node: Node, registry: Registry, ids: Mapping[str, str], pointer: str
) -> dict[str, Any]:
    head = {"id": ids[pointer]} if pointer in ids else {}
    if isinstance(node, Rule):
        return head | _rule(node, registry)
    rules = [
        _written(child, registry, ids, f"{pointer}/rules/{index}")
        for index, child in enumerate(node.rules)
    ]
    return head | {"combinator": node.operator, "not": node.negated, "rules": rules}


def _rule(rule: Rule, registry: Registry) -> dict[str, Any]:
    ours = _operators(registry, rule.field)
    theirs = {name: editor for editor, name in ours.items()}
    value = dump(rule).get("value")
    return {
        "field": rule.field,
        "operator": theirs.get(rule.operator, rule.operator),
        "value": value,
    }


Raw = dict[str, Any]


@dataclass(slots=True)
class _Reader:
    """One query being translated: ids by place in our tree, notes and faults."""

    registry: Registry
    root: str
    ids: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, pointer: str, code: str, message: str, remedy: str = "") -> None:
        self.faults.append(Fault(pointer, code, message, remedy))

    def node(self, raw: Any, pointer: str, at: str) -> Any:
        """Translate one node; what has no shape is left for ``parse`` to refuse."""
        if not isinstance(raw, Mapping) or at.count("/") > 2 * DEPTH:
            return raw
        if isinstance(raw.get("id"), str):
            self.ids[at] = raw["id"]
        return (
            self.group(raw, pointer, at)
            if "rules" in raw
            else self.rule(raw, pointer, at)
        )

    def group(self, raw: Mapping[str, Any], pointer: str, at: str) -> Any:
        self.keys(raw, _GROUP_KEYS, pointer)
        rules = raw["rules"]
        if not isinstance(rules, list | tuple):
            return {"type": "group", "rules": rules}
        head = {"type": "group", "not": raw.get("not") or False}
        if any(isinstance(rule, str) for rule in rules):
            return head | self.independent(rules, pointer, at)
        operator = raw.get("combinator", "and")
        places = [(rule, f"{pointer}/rules/{i}") for i, rule in enumerate(rules)]
        return head | {"operator": operator, "rules": self.children(places, at)}

    def children(self, places: list[tuple[Any, str]], at: str) -> list[Any]:
        found: list[Any] = []
        for rule, pointer in places:
            if isinstance(rule, Mapping) and rule.get("muted"):
                self.notes.append("muted")
                continue
            found.append(self.node(rule, pointer, f"{at}/rules/{len(found)}"))
        return found

    def independent(
        self, rules: Sequence[Any], pointer: str, at: str
    ) -> dict[str, Any]:
        """Bind AND before OR, as the editor's own conversion does."""
        self.notes.append("independent_combinators")
        runs: list[list[tuple[Any, str]]] = [[]]
        for index, rule in enumerate(rules):
            if rule == "or" and index % 2:
                runs.append([])
            elif rule == "and" and index % 2:
                continue
            else:
                runs[-1].append((rule, f"{pointer}/rules/{index}"))
        if len(runs) == 1:
            return {"operator": "and", "rules": self.children(runs[0], at)}
        sides = [self.side(run, f"{at}/rules/{i}") for i, run in enumerate(runs)]
        return {"operator": "or", "rules": sides}

    def side(self, run: list[tuple[Any, str]], at: str) -> Any:
        if len(run) == 1:
            rule, pointer = run[0]
            return self.node(rule, pointer, at)
        return {"type": "group", "operator": "and", "rules": self.children(run, at)}

    def rule(self, raw: Mapping[str, Any], pointer: str, at: str) -> Any:
        self.keys(raw, _RULE_KEYS, pointer)
        name = raw.get("operator")
        if raw.get("valueSource", "value") != "value":
            message = "A rule compares a field with a value, not with another field."
            self.fault(f"{pointer}/valueSource", "not_expressible", message)
        if name in _UNSAYABLE:
            message = f"There is no operator for {name}."
            remedy = f"Use {_UNSAYABLE[name]}."
            self.fault(f"{pointer}/operator", "not_expressible", message, remedy)
        if name in _DENIED:
            return self.denied(raw, pointer, at)
        return self.translated(raw)

    def denied(self, raw: Mapping[str, Any], pointer: str, at: str) -> Any:
        self.notes.append("denied_group")
        if at in self.ids:
            self.ids[f"{at}/rules/0"] = self.ids.pop(at)
        positive = {**raw, "operator": _DENIED[raw["operator"]]}
        inner = self.rule(positive, pointer, at)
        return {"type": "group", "operator": "and", "not": True, "rules": [inner]}

    def translated(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        name = raw.get("operator")
        known = _operators(self.registry, str(raw.get("field")))
        operator = known.get(name, name) if isinstance(name, str) else name
        rule = {"field": raw.get("field"), "operator": operator}
        if operator in VALUELESS_OPERATORS or raw.get("value") is None:
            return rule
        value = raw["value"]
        return rule | {"value": _parted(value) if operator in _SEVERAL else value}

    def keys(self, raw: Mapping[str, Any], known: frozenset[str], pointer: str) -> None:
        for key in [k for k in raw if k not in known][:5]:
            self.fault(
                f"{pointer}/{escaped(key)}",
                "unknown_key",
                f"The key {str(key)[:40]!r} is not known here.",
            )


def _parted(value: Any) -> Any:
    r"""Split the editor's comma-separated form, where ``\,`` is a comma itself."""
    if not isinstance(value, str) or value.lstrip().startswith("["):
        return value
    return [part.strip().replace("\\,", ",") for part in _COMMA.split(value)]

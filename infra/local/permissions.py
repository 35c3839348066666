"""What each function's role may do, read off the template and held on this machine.

A policy that forgets a partition is found out in the cloud, by the first customer.
Here each function signs by its own name, and a call that its statements do not cover
is refused as AWS would. Only DynamoDB's leading keys and the names of secrets are
looked at: nothing else is called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

SIGNED = re.compile(r"Credential=([^/]+)/")
LEADING = "dynamodb:LeadingKeys"
SERVICES = {"DynamoDB": "dynamodb", "secretsmanager": "secretsmanager"}
_WRITES = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
Call = tuple[str, str]
"""An action, and the partition or secret that it is about."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Actions that are allowed on partitions, or on secrets, by their patterns."""

    actions: tuple[str, ...]
    on: tuple[str, ...]

    def covers(self, call: Call) -> bool:
        """Tell whether a call is one that is allowed."""
        action, about = call
        return action in self.actions and any(fnmatchcase(about, p) for p in self.on)


@dataclass
class Roles:
    """The statements of every function; whoever else signs may do everything."""

    by_name: dict[str, tuple[Statement, ...]] = field(default_factory=dict)

    def refusal(self, signature: str, target: str, body: bytes) -> str:
        """Say why a call is refused; nothing where it may pass."""
        signed = SIGNED.search(signature)
        held = self.by_name.get(signed[1]) if signed else None
        if signed is None or held is None:
            return ""
        for call in calls(target, json.loads(body or b"{}")):
            if not any(statement.covers(call) for statement in held):
                return f"{signed[1]} is not authorized to perform {' on '.join(call)}"
        return ""


def calls(target: str, body: Mapping[str, Any]) -> Iterator[Call]:
    """Take a request apart into what it does, and to what."""
    service, _, verb = target.partition(".")
    name = SERVICES.get(service.partition("_")[0], service)
    if name == "secretsmanager":
        # A secret's own name stands behind the last colon of an address.
        yield f"{name}:{verb}", str(body.get("SecretId", "")).rpartition(":")[2]
    elif verb == "TransactWriteItems":
        for item in body["TransactItems"]:
            ((kind, inner),) = item.items()
            yield f"{name}:{_WRITES.get(kind, kind)}", _partition(inner)
    else:
        yield f"{name}:{verb}", _partition(body)


def _partition(body: Mapping[str, Any]) -> str:
    """Give the leading key; a request without one is about the whole table."""
    key = body.get("Key") or body.get("Item")
    if key is None:
        wanted = re.match(r"\s*pk = (:\w+)", body.get("KeyConditionExpression", ""))
        key = {"pk": body["ExpressionAttributeValues"][wanted[1]]} if wanted else {}
    return str(key.get("pk", {}).get("S", ""))


def statements(
    policies: Iterable[Any], resolve: Callable[[Any], Any]
) -> Iterator[Statement]:
    """Read a function's policies off the template; of other services there is none."""
    for raw in (s for policy in policies for s in _statements(policy)):
        actions = tuple(_listed(raw["Action"]))
        if actions[0].startswith("secretsmanager:"):
            # The six letters that AWS adds to a secret's name are not known here.
            listed = map(str, _listed(resolve(raw["Resource"])))
            names = (name.rpartition(":")[2] for name in listed)
            yield Statement(actions, tuple(n.removesuffix("-??????") for n in names))
        elif actions[0].startswith("dynamodb:"):
            keys = raw.get("Condition", {}).get("ForAllValues:StringLike", {})
            yield Statement(actions, tuple(_listed(keys.get(LEADING, ["*"]))))


def _statements(policy: Any) -> list[Mapping[str, Any]]:
    """Give a policy's statements; one of AWS's own is a name alone."""
    return _listed(policy["Statement"]) if isinstance(policy, Mapping) else []


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]

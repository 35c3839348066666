"""The JSON schema of a model's reply, made from the registry.

Fields and operators are enums, groups nest a fixed number of times by definitions of
their own, so no schema recurses: providers that enforce schemas differ on recursion.
Strict mode wants every property required; an absent value is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.session import Intent

NESTED = 3
"""Groups inside one another: (A and B) or (C and D) under a root needs three."""
INTENTS: tuple[str, ...] = get_args(Intent)
_PLAIN: tuple[dict[str, Any], ...] = (
    {"type": "string"},
    {"type": "number"},
    {"type": "boolean"},
)


def reply_schema(registry: Registry, fields: Iterable[Field]) -> dict[str, Any]:
    """Give the schema of a reply that may name these fields."""
    rules = _rules(registry, fields)
    groups = {f"group_{n}": _group(n) for n in range(1, NESTED + 1)}
    return _object(
        {
            "intent": {"type": "string", "enum": list(INTENTS)},
            "rule_group": _ref("group_1"),
            "explanation": {"type": "string"},
        }
    ) | {"$defs": {"rule": {"anyOf": rules}, **groups}}


def _rules(registry: Registry, fields: Iterable[Field]) -> list[dict[str, Any]]:
    """Give one form a type: its fields, with the operators this engine runs."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for field in fields:
        kinds.setdefault(registry.operators(field.key), []).append(field.key)
    return [
        _object(
            {
                "field": {"type": "string", "enum": keys},
                "operator": {"type": "string", "enum": list(operators)},
                "value": {"anyOf": _values()},
            }
        )
        for operators, keys in kinds.items()
        if operators
    ]


def _values() -> list[dict[str, Any]]:
    items = {"type": "array", "items": {"anyOf": list(_PLAIN[:2])}}
    return [*_PLAIN, items, {"type": "null"}]


def _group(level: int) -> dict[str, Any]:
    members = [_ref("rule")]
    if level < NESTED:
        members.append(_ref(f"group_{level + 1}"))
    return _object(
        {
            "type": {"type": "string", "enum": ["group"]},
            "operator": {"type": "string", "enum": ["and", "or"]},
            "not": {"type": "boolean"},
            "rules": {"type": "array", "items": {"anyOf": members}},
        }
    )


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }

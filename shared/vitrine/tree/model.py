"""The rule tree's shape, its bounds, and JSON in and out.

    Group  {"type": "group", "operator": "and"|"or", "not"?: bool, "rules": [...]}
    Rule   {"field": key, "operator": name, "value"?: JSON}

Parsing reports every fault at once and never guesses; an unknown key is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Operator = Literal["and", "or"]

DEPTH = 8
LEAVES = 100
LIST = 200
STRING = 256
SERIALISED = 32 * 1024
"""Bytes of the tree as compact UTF-8 JSON."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One condition; ``value`` is JSON and stays JSON through normalisation."""

    field: str
    operator: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Group:
    """All of the rules, or any of them; ``negated`` is the JSON key ``not``."""

    operator: Operator = "and"
    rules: tuple[Node, ...] = ()
    negated: bool = False

    def __bool__(self) -> bool:
        return bool(self.rules)


Node = Rule | Group
EMPTY = Group()


def dump(node: Node) -> dict[str, Any]:
    """Give a node as JSON-able data."""
    if isinstance(node, Rule):
        rule = {"field": node.field, "operator": node.operator}
        return rule if node.value is None else rule | {"value": _thaw(node.value)}
    head: dict[str, Any] = {"type": "group", "operator": node.operator}
    if node.negated:
        head["not"] = True
    return head | {"rules": [dump(r) for r in node.rules]}


def leaves(node: Node, pointer: str = "") -> Iterator[tuple[str, Rule]]:
    """Yield each rule with its JSON pointer, in tree order."""
    if isinstance(node, Rule):
        yield pointer, node
        return
    for index, child in enumerate(node.rules):
        yield from leaves(child, f"{pointer}/rules/{index}")


def _thaw(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_thaw(v) for v in value]
    return (
        {k: _thaw(v) for k, v in value.items()} if isinstance(value, Mapping) else value
    )

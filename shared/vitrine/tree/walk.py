"""Ways through a tree: look, keep, rewrite, and one normal form to compare by.

Everything is a single pass in tree order and gives a new tree; unchanged parts are
shared, never copied.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator
from hashlib import sha256
from typing import Any, TypeGuard

from vitrine.tree.model import EMPTY, Group, Node, Rule, dump

Rewrite = Callable[[Rule], Node | None]
LOW, HIGH, BOTH = "greater_or_equal", "less_or_equal", "between"
_RANGES = ((LOW, HIGH), ("on_or_after", "on_or_before"))
_MERGED = {
    ("or", "equals"): "in",
    ("or", "in"): "in",
    ("and", "not_equals"): "not_in",
    ("and", "not_in"): "not_in",
    ("or", "vocab_text_equals"): "vocab_text_in",
    ("or", "vocab_text_in"): "vocab_text_in",
    ("and", "vocab_text_not_in"): "vocab_text_not_in",
}
_SINGLE = {"in": "equals", "not_in": "not_equals", "vocab_text_in": "vocab_text_equals"}


def nodes(node: Node, pointer: str = "") -> Iterator[tuple[str, Node]]:
    """Yield every node with its JSON pointer, parents first."""
    yield pointer, node
    if isinstance(node, Group):
        for index, child in enumerate(node.rules):
            yield from nodes(child, f"{pointer}/rules/{index}")


def extent(node: Node) -> tuple[int, int]:
    """Count how deep groups nest, and how many rules there are."""
    if isinstance(node, Rule):
        return 0, 1
    inner = [extent(child) for child in node.rules]
    deepest = max((depth for depth, _ in inner), default=0)
    return deepest + 1, sum(count for _, count in inner)


def find(tree: Group, wanted: Callable[[Node], bool]) -> tuple[str, Node] | None:
    """Give the first node that is wanted, with its pointer, or None."""
    return next((found for found in nodes(tree) if wanted(found[1])), None)


def at(tree: Group, pointer: str) -> Node | None:
    """Give the node at a pointer, or None where there is none."""
    return next((node for path, node in nodes(tree) if path == pointer), None)


def map_rules(tree: Group, rewrite: Rewrite) -> Group:
    """Rewrite each rule in place; None takes it away, and emptied groups with it."""
    return _rewritten(tree, rewrite) or EMPTY


def keep(tree: Group, wanted: Callable[[Rule], bool]) -> Group:
    """Keep the rules that are wanted."""
    return map_rules(tree, lambda rule: rule if wanted(rule) else None)


def _rewritten(group: Group, rewrite: Rewrite) -> Group | None:
    rules = [
        rewrite(child) if isinstance(child, Rule) else _rewritten(child, rewrite)
        for child in group.rules
    ]
    kept = tuple(rule for rule in rules if rule is not None)
    if not kept:
        return None
    same = len(kept) == len(group.rules) and all(
        a is b for a, b in zip(kept, group.rules, strict=True)
    )
    return group if same else Group(group.operator, kept, group.negated)


def tidy(tree: Group) -> Group:
    """Drop empty groups, unwrap groups of one, and join groups into their like.

    The meaning stays: a negated group is never dissolved.
    """
    node = _tidied(tree)
    if node is None:
        return EMPTY
    if isinstance(node, Group) and not (node.negated or node.operator == "or"):
        return node
    return Group(rules=(node,))


def _tidied(node: Node) -> Node | None:
    if isinstance(node, Rule):
        return node
    parts: list[Node] = []
    for child in node.rules:
        part = _tidied(child)
        if part is None:
            continue
        parts.extend(part.rules if _dissolves(part, node) else (part,))
    if not parts:
        return None
    if len(parts) > 1:
        same = tuple(parts) == node.rules
        return node if same else Group(node.operator, tuple(parts), node.negated)
    return _negated(parts[0]) if node.negated else parts[0]


def _dissolves(part: Node, into: Group) -> TypeGuard[Group]:
    alike = isinstance(part, Group) and part.operator == into.operator
    return alike and not getattr(part, "negated", False)


def _negated(node: Node) -> Node:
    if isinstance(node, Group):
        return Group(node.operator, node.rules, negated=not node.negated)
    return Group(rules=(node,), negated=True)


def canonical(tree: Group, *, ranges: bool = True) -> Group:
    """Give the normal form: tidy, sorted, without repetition, lists as lists.

    OR of equals becomes ``in``, AND of differences ``not_in``; with ``ranges``, two
    closed bounds become ``between``, which says the same of a single-valued field.
    """
    node = _canonical(tidy(tree), ranges=ranges)
    return tidy(Group(rules=(node,)) if node else EMPTY)


def tree_hash(tree: Group) -> str:
    """Name a tree by the SHA-256 of its normal form, in hex."""
    return sha256(_text(canonical(tree, ranges=False)).encode()).hexdigest()


def _canonical(node: Node, *, ranges: bool) -> Node | None:
    if isinstance(node, Rule):
        return _spelled(node)
    inner = [_canonical(part, ranges=ranges) for part in node.rules]
    plain = _tidied(Group(node.operator, tuple(p for p in inner if p is not None)))
    if not isinstance(plain, Group) or not _dissolves(plain, node):
        return _negated(plain) if plain and node.negated else plain
    parts = _listed(node.operator, list(plain.rules))
    if ranges and node.operator == "and":
        parts = _ranged(parts)
    distinct = {_text(part): part for part in parts}
    ordered = tuple(distinct[key] for key in sorted(distinct))
    return _tidied(Group(node.operator, ordered, node.negated))


def _spelled(rule: Rule) -> Rule:
    """Sort and thin out a list; a list of one is its value."""
    if rule.operator not in set(_MERGED.values()) or not isinstance(
        rule.value, tuple | list
    ):
        return rule
    values = _sorted(rule.value)
    if len(values) == 1 and rule.operator in _SINGLE:
        return Rule(rule.field, _SINGLE[rule.operator], values[0])
    return Rule(rule.field, rule.operator, values)


def _listed(operator: str, parts: list[Node]) -> list[Node]:
    grouped: dict[Hashable, list[Rule]] = {}
    rest: list[Node] = []
    for part in parts:
        name = _MERGED.get((operator, part.operator))
        if isinstance(part, Rule) and name and part.value is not None:
            grouped.setdefault((part.field, name), []).append(part)
        else:
            rest.append(part)
    return [*rest, *(_joined(name, rules) for name, rules in grouped.items())]


def _joined(name: Any, rules: list[Rule]) -> Rule:
    values = [v for rule in rules for v in _values(rule.value)]
    return _spelled(Rule(name[0], name[1], tuple(values)))


def _ranged(parts: list[Node]) -> list[Node]:
    """Pair each field's only closed lower with its only closed upper bound."""
    bounds: dict[tuple[str, str], list[Rule]] = {}
    for part in parts:
        if isinstance(part, Rule):
            bounds.setdefault((part.field, part.operator), []).append(part)
    paired: dict[int, Rule] = {}
    for low, high in _RANGES:
        for (field, operator), lows in bounds.items():
            highs = bounds.get((field, high), [])
            if operator == low and len(lows) == len(highs) == 1:
                both = Rule(field, BOTH, (lows[0].value, highs[0].value))
                paired |= {id(lows[0]): both, id(highs[0]): both}
    return [paired.get(id(part), part) for part in parts]


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def _sorted(values: Any) -> tuple[Any, ...]:
    distinct = {json.dumps(v, sort_keys=True, default=str): v for v in values}
    return tuple(distinct[key] for key in sorted(distinct))


def _text(node: Node) -> str:
    return json.dumps(
        dump(node), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )

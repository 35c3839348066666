"""Expand: a leaf becomes an alternative of the one in its slot, or widens its bound."""

from __future__ import annotations

from collections.abc import Iterable

from vitrine.tree.model import Group, Node, Rule
from vitrine.tree.slots import (
    EXCLUDED,
    MEMBER,
    PRESENT,
    TEXT,
    covers,
    joined,
    keys,
    palette,
    without,
)
from vitrine.tree.splice import Edit, asserted, conjuncts


def expand(edit: Edit, parts: Iterable[Node]) -> None:
    """Widen the tree by each leaf of a delta."""
    for part in parts:
        key = palette(part, edit.registry)
        if isinstance(part, Rule) and EXCLUDED not in edit.slots(part):
            _expand(edit, part)
        elif isinstance(part, Group) and key is not None:
            expand(edit, part.rules)
        else:
            # What joins several fields names no leaf that it could be the alternative
            # of, and to widen the root to an OR would undo every other filter.
            edit.fail("not_expressible", part)


def _expand(edit: Edit, part: Rule) -> None:
    target = _target(edit, part)
    if target is not None:
        wider = _wider(edit, target, part)
        edit.swap(target, wider)
    elif (excluded := _exclusion(edit, part)) is not None:
        edit.swap(excluded, without(excluded, keys(part)))
    else:
        edit.fail("nothing_to_expand", part)


def _target(edit: Edit, part: Rule) -> Node | None:
    """Find the last asserted node of the slot, else the last of the field."""
    # Of several leaves the last one is what the conversation spoke of last.
    held = [n for n, yes in asserted(edit.tree) if yes and _speaks(edit, n, part)]
    inner = [r for n in held if isinstance(n, Group) for r in n.rules]
    whole = [n for n in held if not any(n is r for r in inner)]
    fitting = [n for n in whole if _filled(edit, n) & edit.slots(part)]
    return next(reversed(fitting or whole), None)


def _speaks(edit: Edit, node: Node, part: Rule) -> bool:
    if isinstance(node, Group):
        return palette(node, edit.registry) == part.field
    filled = edit.slots(node)
    return node.field == part.field and not filled <= {EXCLUDED, PRESENT}


def _filled(edit: Edit, node: Node) -> frozenset[str]:
    inner = (node,) if isinstance(node, Rule) else node.rules
    return frozenset().union(*(edit.slots(r) for r in inner if isinstance(r, Rule)))


def _exclusion(edit: Edit, part: Rule) -> Rule | None:
    """Find the exclusion of a value that is now wanted too.

    One that is a side of an OR can't go whole: the OR would say less, not more.
    """
    if not edit.slots(part) & {MEMBER, TEXT}:
        return None
    binding = [id(node) for node in conjuncts(edit.tree)]
    for node, positive in asserted(edit.tree):
        if not positive or not isinstance(node, Rule) or node.field != part.field:
            continue
        if EXCLUDED not in edit.slots(node) or not keys(node) & keys(part):
            continue
        if id(node) in binding or without(node, keys(part)) is not None:
            return node
    return None


def _wider(edit: Edit, node: Node, part: Rule) -> Node:
    if isinstance(node, Group):
        held = any(isinstance(r, Rule) and covers(r, part) for r in node.rules)
        return node if held else Group("or", (*node.rules, part))
    if covers(node, part):
        return node
    if (both := joined(node, part, edit.field(part.field))) is not None:
        return both
    return part if covers(part, node) else Group("or", (node, part))

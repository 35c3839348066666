"""Refine: a leaf takes its slot, wherever that is; a group takes its like's place.

On a field with one value a later leaf replaces the earlier one of the same slot; on a
field with several it is added. What would contradict the new leaf, an exclusion of
the very value for instance, gives way to it.
"""

from __future__ import annotations

from collections.abc import Iterable

from vitrine.tree.model import Group, Node, Rule
from vitrine.tree.slots import (
    EXCLUDED,
    MEMBER,
    TEXT,
    Slots,
    combined,
    fields,
    is_multi,
    keys,
    palette,
    remainder,
    same,
    without,
)
from vitrine.tree.splice import Edit, conjuncts


def refine(edit: Edit, parts: Iterable[Node]) -> None:
    """Let each part of a delta find its place."""
    # Groups go first: a later one would swallow the leaves that were just placed.
    for part in sorted(parts, key=lambda part: isinstance(part, Rule)):
        _refine(edit, part)


def _refine(edit: Edit, part: Node) -> None:
    key = part.field if isinstance(part, Rule) else palette(part, edit.registry)
    if isinstance(part, Rule) and EXCLUDED in edit.slots(part):
        _exclude(edit, part)
    elif isinstance(part, Group) and key is None:
        _regroup(edit, part)
    elif key is not None and is_multi(edit.field(key)):
        _gain(edit, part)
    elif key is not None:
        _take(edit, part, key)


def _take(edit: Edit, part: Node, key: str) -> None:
    """Replace what fills the slot, at every depth where it is asserted."""
    taken = _taken(edit, part)
    found = False

    def decide(node: Node, positive: bool) -> tuple[Node, ...] | None:
        nonlocal found
        if _denies(edit, node, part, positive=positive):
            return _yield(edit, node, part)
        if not positive or not _fills(edit, node, key, taken):
            return None
        found = True
        return _placed(edit, node, part, taken)

    edit.rewrite(decide)
    if not found:
        edit.join(part)


def _taken(edit: Edit, part: Node) -> Slots:
    inner = (part,) if isinstance(part, Rule) else part.rules
    return frozenset().union(*(edit.slots(r) for r in inner if isinstance(r, Rule)))


def _fills(edit: Edit, node: Node, key: str, taken: Slots) -> bool:
    """Tell whether a node is what a new leaf of the field replaces."""
    if isinstance(node, Group):
        return palette(node, edit.registry) == key and bool(_taken(edit, node) & taken)
    filled = edit.slots(node)
    return node.field == key and EXCLUDED not in filled and bool(filled & taken)


def _placed(edit: Edit, node: Node, part: Node, taken: Slots) -> tuple[Node, ...]:
    """Put the part in a node's place, keeping the bound that it leaves alone."""
    rest = remainder(node, taken) if isinstance(node, Rule) else None
    if rest is None or not isinstance(part, Rule):
        edit.note(node, part)
        return (part,)
    placed = combined((part, rest))
    edit.note(node, placed[0])
    return placed


def _denies(edit: Edit, node: Node, part: Node, *, positive: bool) -> bool:
    """Tell whether a node excludes the very values that a part now asks for."""
    if not isinstance(part, Rule):
        return False
    # A denied group of more than the part itself says something else as well.
    if isinstance(node, Group):
        alone = node.rules[0] if node.negated and len(node.rules) == 1 else None
        return not positive and isinstance(alone, Rule) and same(alone, part)
    if node.field != part.field or not positive:
        return False
    empty = node.operator == "is_empty" and part.operator != "is_empty"
    named = bool(edit.slots(part) & {MEMBER, TEXT}) and bool(keys(node) & keys(part))
    excluded = EXCLUDED in edit.slots(node) and named
    return excluded or (empty and is_multi(edit.field(part.field)))


def _yield(edit: Edit, node: Node, part: Node) -> tuple[Node, ...]:
    rest = None
    if isinstance(node, Rule) and isinstance(part, Rule) and node.value is not None:
        rest = without(node, keys(part))
    edit.note(node, rest)
    return () if rest is None else (rest,)


def _gain(edit: Edit, part: Node) -> None:
    """Add a leaf of a field with several values, beside the ones that are there."""

    def decide(node: Node, positive: bool) -> tuple[Node, ...] | None:
        denied = _denies(edit, node, part, positive=positive)
        return _yield(edit, node, part) if denied else None

    edit.rewrite(decide)
    _assert(edit, part)


def _exclude(edit: Edit, part: Rule) -> None:
    """Add an exclusion in the place of the leaf that it contradicts, if any."""
    for node in conjuncts(edit.tree):
        if isinstance(node, Rule) and _contradicts(edit, node, part):
            edit.swap(node, part)
            return
    _assert(edit, part)


def _contradicts(edit: Edit, node: Rule, part: Rule) -> bool:
    filled = edit.slots(node)
    positive = EXCLUDED not in filled and bool(filled & {MEMBER, TEXT})
    told = positive and node.field == part.field and node.operator != "is_empty"
    # A leaf that names other values too still says those: both stay, and AND joins
    # them.
    return told and keys(node) <= keys(part)


def _assert(edit: Edit, part: Node) -> None:
    known = next((n for n in conjuncts(edit.tree) if same(n, part)), None)
    if known is None:
        edit.join(part)
    else:
        edit.note(known, known)


def _regroup(edit: Edit, part: Group) -> None:
    """Replace the group of the same form that speaks of the same fields."""
    asked, found = fields(part), False

    def decide(node: Node, positive: bool) -> tuple[Node, ...] | None:
        nonlocal found
        if not isinstance(node, Group) or node.negated != part.negated:
            return None
        # Below a negation the same group says the reverse, so that it is no like of the
        # part.
        outside = positive != node.negated
        alike = node.negated or node.operator == part.operator
        if not outside or not alike or fields(node) != asked:
            return None
        found = True
        edit.note(node, part)
        return (part,)

    edit.rewrite(decide)
    if not found:
        _assert(edit, part)

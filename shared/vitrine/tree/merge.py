"""What a turn makes of the tree: the delta finds its place, or it is told why not.

The conversation's state is the tree. Each intent edits it where it stands, at any
depth; then ``promises`` compares what was asked with what came out, so that nothing
is reported as done that is not in the tree. What can't be said this way is listed in
``docs/merge.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from vitrine.registry.profiles import Registry
from vitrine.tree import promises
from vitrine.tree.expand import expand
from vitrine.tree.model import (
    DEPTH,
    EMPTY,
    LEAVES,
    LIST,
    SERIALISED,
    Group,
    Node,
    Rule,
    leaves,
)
from vitrine.tree.parse import serialised
from vitrine.tree.refine import refine
from vitrine.tree.remove import remove
from vitrine.tree.slots import same, values
from vitrine.tree.splice import Edit, Unmet, rooted
from vitrine.tree.walk import extent, nodes, tidy

__all__ = ["Change", "Merged", "Unmet", "merge"]

Kind = Literal["added", "replaced", "removed", "unchanged"]
Parts = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; a path into the new tree, or into the old for what is gone."""

    kind: Kind
    path: str
    before: Node | None = None
    after: Node | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """The new tree, what changed, and what was asked but isn't so."""

    tree: Group
    changes: tuple[Change, ...] = ()
    unmet: tuple[Unmet, ...] = ()


def merge(tree: Group, intent: str, delta: Group, registry: Registry) -> Merged:
    """Apply one turn's delta to a tree.

    ``delta`` is validated (loosely, for ``remove``); the result is to be validated
    again. A tree that would exceed its bounds is left as it was.
    """
    edit, parts = Edit(rooted(tree), registry), tidy(delta).rules
    if not parts and intent in ("refine", "expand", "remove"):
        return Merged(tree, (), (Unmet("empty_delta"),))
    _INTENTS[intent](edit, delta, parts)
    if _oversized(edit.tree):
        return Merged(tree, (), (Unmet("too_big", delta),))
    changes = tuple(_change(tree, edit.tree, *pair) for pair in edit.touched)
    broken = promises.broken(intent, parts, edit.tree, registry)
    # What could not be done needs no second voice that it was not.
    told = [node for unmet in edit.unmet for node in _inside(unmet.what)]
    fresh = tuple(unmet for unmet in broken if unmet.what not in told)
    return Merged(edit.tree, changes, (*edit.unmet, *fresh))


def _inside(node: Node | None) -> list[Node]:
    return [] if node is None else [inner for _, inner in nodes(node)]


def _oversized(tree: Group) -> bool:
    depth, count = extent(tree)
    if depth > DEPTH or count > LEAVES or serialised(tree) > SERIALISED:
        return True
    return any(len(values(rule)) > LIST for _, rule in leaves(tree))


def _change(old: Group, new: Group, before: Node | None, after: Node | None) -> Change:
    if after is None:
        return Change("removed", _path(old, before), before)
    if before is None:
        return Change("added", _path(new, after), None, after)
    kind: Kind = "unchanged" if same(before, after) else "replaced"
    return Change(kind, _path(new, after), before, after)


def _path(tree: Group, wanted: Node | None) -> str:
    """Point at a node: the very one, or one that says the same."""
    found = [(path, node) for path, node in nodes(tree) if node is wanted]
    if not found and wanted is not None:
        found = [(path, node) for path, node in nodes(tree) if same(node, wanted)]
    return found[0][0] if found else ""


def _search(edit: Edit, delta: Group, _parts: Parts) -> None:
    """Let the delta become the tree, and tell what that changed, leaf by leaf."""
    old, new = list(_stated(edit.tree)), list(_stated(delta))
    for rule in old:
        if not any(same(rule, other) for other in new):
            edit.note(rule, None)
    for rule in new:
        known = next((other for other in old if same(rule, other)), None)
        edit.note(known, rule)
    edit.tree = delta


def _reset(edit: Edit, _delta: Group, _parts: Parts) -> None:
    for stated in _stated(edit.tree):
        edit.note(stated, None)
    edit.tree = EMPTY


def _stated(node: Node) -> Iterator[Node]:
    """Yield the leaves, but a negated group whole: its leaves alone say the reverse."""
    if isinstance(node, Rule) or node.negated:
        yield node
        return
    for child in node.rules:
        yield from _stated(child)


_INTENTS: dict[str, Callable[[Edit, Group, Parts], None]] = {
    "search": _search,
    "refine": lambda edit, _, parts: refine(edit, parts),
    "expand": lambda edit, _, parts: expand(edit, parts),
    "remove": lambda edit, _, parts: remove(edit, parts),
    "reset": _reset,
    "clarify": lambda _edit, _delta, _parts: None,
}

"""Edit a tree where it stands: each node may give way to others, at any depth.

What is not touched keeps its place and its wrappers. A group that was touched loses
repetitions, goes when it is empty and is unwrapped when it has shrunk to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.tree.model import EMPTY, Group, Node, Rule
from vitrine.tree.slots import Slots, same, slots

Decide = Callable[[Node, bool], tuple[Node, ...] | None]
"""Give what a node becomes; None leaves it, or looks inside it. The flag tells
whether the node is asserted rather than denied by the groups around it."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """Something that was asked and is not so: a stable code, and what was asked."""

    code: str
    what: Node | None = None


@dataclass(slots=True)
class Edit:
    """A tree being edited, with what was touched: (before, after) in order."""

    tree: Group
    registry: Registry
    touched: list[tuple[Node | None, Node | None]] = field(default_factory=list)
    unmet: list[Unmet] = field(default_factory=list)

    def field(self, key: str) -> Field | None:
        """Find the field that a leaf speaks of."""
        return self.registry.filters.get(key)

    def slots(self, rule: Rule) -> Slots:
        """List the bounds that a leaf fills."""
        return slots(rule, self.field(rule.field))

    def note(self, before: Node | None, after: Node | None) -> None:
        """Remember a difference once."""
        if (before, after) not in self.touched:
            self.touched.append((before, after))

    def fail(self, code: str, what: Node | None = None) -> None:
        """Remember what could not be done."""
        self.unmet.append(Unmet(code, what))

    def rewrite(self, decide: Decide) -> None:
        """Rewrite the tree node by node."""
        self.tree = splice(self.tree, decide)

    def join(self, node: Node) -> None:
        """Add a node to the root AND."""
        self.note(None, node)
        self.tree = _joined(self.tree, node)

    def swap(self, target: Node, node: Node | None) -> None:
        """Put a node in another's place, or take the other away."""
        self.note(target, node)
        parts = () if node is None else (node,)
        self.rewrite(lambda found, _: parts if found is target else None)


def splice(tree: Group, decide: Decide) -> Group:
    """Rewrite a tree node by node; the root stays a group."""
    found = _spliced(tree, decide, positive=not tree.negated)
    if found is tree:
        return tree
    if found is None:
        return EMPTY
    return rooted(found) if isinstance(found, Group) else Group(rules=(found,))


def asserted(node: Node, *, positive: bool = True) -> Iterator[tuple[Node, bool]]:
    """Yield each node with whether it is asserted, in tree order, parents first."""
    if isinstance(node, Group):
        positive = positive != node.negated
    yield node, positive
    if isinstance(node, Group):
        for child in node.rules:
            yield from asserted(child, positive=positive)


def conjuncts(node: Node) -> Iterator[Node]:
    """Yield what must hold whenever the tree does: the children of its ANDs."""
    if isinstance(node, Group) and node.operator == "and" and not node.negated:
        for child in node.rules:
            yield from conjuncts(child)
    else:
        yield node


def _joined(tree: Group, node: Node) -> Group:
    return Group(rules=(*rooted(tree).rules, node))


def rooted(tree: Group) -> Group:
    """Give the tree a root AND, around another root where it must."""
    plain = tree.operator == "and" and not tree.negated
    return tree if plain else Group(rules=(tree,) if tree else ())


def _spliced(group: Group, decide: Decide, *, positive: bool) -> Node | None:
    parts: list[Node] = []
    for child in group.rules:
        parts.extend(_become(child, group, decide, positive=positive))
    unchanged = len(parts) == len(group.rules) and all(
        a is b for a, b in zip(parts, group.rules, strict=True)
    )
    return group if unchanged else _closed(group, _distinct(parts, group))


def _become(
    child: Node, group: Group, decide: Decide, *, positive: bool
) -> tuple[Node, ...]:
    inner = positive != (isinstance(child, Group) and child.negated)
    found = decide(child, inner)
    if found is not None:
        # Parts that take one node's place hold together; bare in an OR they'd be
        # alternatives.
        several = len(found) > 1 and group.operator == "or"
        return (Group(rules=found),) if several else found
    if isinstance(child, Rule):
        return (child,)
    node = _spliced(child, decide, positive=inner)
    return () if node is None else (node,)


def _distinct(parts: list[Node], group: Group) -> tuple[Node, ...]:
    """Drop what a new part repeats; repetitions that were there are not ours."""
    kept: list[tuple[Node, bool]] = []
    for part in parts:
        old = any(part is child for child in group.rules)
        if not any(same(part, other) and not (old and was) for other, was in kept):
            kept.append((part, old))
    return tuple(part for part, _ in kept)


def _closed(group: Group, parts: tuple[Node, ...]) -> Node | None:
    if not parts:
        return None
    shrunk = len(parts) < len(group.rules)
    # A group of one that was so before is somebody's wrapper and stays.
    if len(parts) == 1 and shrunk and not group.negated:
        return parts[0]
    return Group(group.operator, parts, group.negated)

"""After a merge: is what was asked really so?

These checks read the resulting tree alone and not what the merge did, so that a merge
which fails in silence is told all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vitrine.registry.profiles import Registry
from vitrine.tree.model import Group, Node, Rule, leaves
from vitrine.tree.remove import meant
from vitrine.tree.slots import EXCLUDED, covers, fields, keys, same, slots
from vitrine.tree.splice import Edit, Unmet, asserted


def broken(
    intent: str, parts: Iterable[Node], tree: Group, registry: Registry
) -> Iterator[Unmet]:
    """Yield what a turn asked for and the tree does not hold."""
    parts = tuple(parts)
    if intent == "search" and not _is(tree, parts):
        yield Unmet("not_applied", Group(rules=parts))
    if intent == "reset" and tree:
        yield Unmet("not_applied")
    if intent in ("reset", "clarify") and parts:
        yield Unmet("not_applied", Group(rules=parts))
    if intent == "refine":
        yield from (u for part in parts for u in _unasserted(tree, part))
    if intent == "expand":
        yield from (u for part in parts for u in _unadmitted(tree, part, registry))
    if intent == "remove":
        yield from (u for part in parts for u in _remaining(tree, part, registry))


def _is(tree: Group, parts: tuple[Node, ...]) -> bool:
    held = [rule for _, rule in leaves(tree)]
    asked = [rule for part in parts for _, rule in leaves(part)]
    return held == asked


def implies(node: Node, asked: Node) -> bool:
    """Tell whether a node, where it holds, surely makes what was asked hold."""
    if same(node, asked):
        return True
    if isinstance(node, Rule):
        return _leaf_implies(node, asked)
    if node.negated:
        return isinstance(asked, Group) and same(node, asked)
    ask = all if node.operator == "or" else any
    return ask(implies(child, asked) for child in node.rules)


def _leaf_implies(node: Rule, asked: Node) -> bool:
    if isinstance(asked, Rule):
        return node.field == asked.field and covers(asked, node)
    if asked.negated or asked.operator == "and":
        return False
    return any(implies(node, child) for child in asked.rules)


def _unasserted(tree: Group, part: Node) -> Iterator[Unmet]:
    """Tell a leaf that is gone from one that is only a side of an alternative."""
    if implies(tree, part):
        return
    held = any(same(n, part) or _within(n, part) for n, yes in asserted(tree) if yes)
    yield Unmet("only_alternative" if held else "contradiction", part)


def _within(node: Node, part: Node) -> bool:
    both = isinstance(node, Rule) and isinstance(part, Rule)
    return both and _leaf_implies(node, part)  # type: ignore[arg-type] # a rule


def _unadmitted(tree: Group, part: Node, registry: Registry) -> Iterator[Unmet]:
    """Check that each alternative is let through by the leaves of its field."""
    for _, asked in leaves(part):
        field = registry.filters.get(asked.field)
        if EXCLUDED in slots(asked, field):
            continue
        held = [
            n
            for n, yes in asserted(tree)
            if isinstance(n, Rule) and n.field == asked.field
            if yes or EXCLUDED in slots(n, field)
        ]
        positive = [n for n in held if EXCLUDED not in slots(n, field)]
        denied = any(
            EXCLUDED in slots(n, field) and keys(n) & keys(asked) for n in held
        )
        if denied or (positive and not any(covers(n, asked) for n in positive)):
            yield Unmet("not_admitted", asked)


def _remaining(tree: Group, part: Node, registry: Registry) -> Iterator[Unmet]:
    for _, asked in leaves(part):
        bare = not asked.operator and asked.value is None
        left = fields(tree) & {asked.field} if bare else _exactly(tree, asked, registry)
        if left:
            yield Unmet("still_there", asked)


def _exactly(tree: Group, asked: Rule, registry: Registry) -> list[Rule]:
    """List the leaves that a request still means to the letter."""
    still = meant(Edit(tree, registry), asked)
    if asked.value is None:
        return still
    return [rule for rule in still if keys(rule) & keys(asked)]

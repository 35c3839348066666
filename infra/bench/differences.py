"""What somebody must have asked for, if the tree before became the tree after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vitrine.registry.profiles import Registry
from vitrine.tree.merge import merge
from vitrine.tree.model import EMPTY, Group, Node, Rule, leaves
from vitrine.tree.slots import covers, palette, same, values
from vitrine.tree.walk import tidy

_EACH = {"in": "equals", "vocab_text_in": "vocab_text_equals"}


@dataclass(frozen=True, slots=True)
class Step:
    """One merge: an intent and its delta."""

    intent: str
    delta: Group


def steps(edit: str, before: Group, after: Group, registry: Registry) -> list[Step]:
    """Give the merges that an edit of this kind stands for.

    ``edit`` is new, add, replace, remove or clear. What the additions of a
    replacement leave standing (a value of a multi-valued field, an exclusion) was
    taken away as well, in a second merge.
    """
    if edit == "new" or not after:
        return [Step("search", after) if after else Step("reset", EMPTY)]
    gone, fresh = _less(before, after), _less(after, before)
    if edit == "remove":
        return [Step("remove", _removal(gone, fresh, after))]
    wider = [node for node in fresh if _widens(node, gone, registry)]
    others = [node for node in fresh if not any(node is one for one in wider)]
    new = tuple(atom for node in wider for atom in _added(node, gone))
    found = [Step("expand", Group(rules=new))] if new else []
    found += [Step("refine", Group(rules=tuple(others)))] if others else []
    return [*found, *_left_standing(found, before, gone, registry)]


def _less(one: Group, other: Group) -> list[Node]:
    """List the parts of one tree that the other does not have."""
    theirs = tidy(other).rules
    return [n for n in tidy(one).rules if not any(same(n, o) for o in theirs)]


def _removal(gone: list[Node], fresh: list[Node], after: Group) -> Group:
    """Point at a field that went whole by its name, at a value or bound by itself."""
    staying = {rule.field for _, rule in leaves(after)}
    kept = [atom for node in fresh for atom in _atoms(node)]
    asked: list[Rule] = []
    for atom in (a for node in gone for a in _atoms(node)):
        rule = atom if atom.field in staying else Rule(atom.field, "")
        if rule not in asked and not any(same(atom, other) for other in kept):
            asked.append(rule)
    return Group(rules=tuple(asked))


def _widens(node: Node, gone: list[Node], registry: Registry) -> bool:
    """Tell whether a node says all that a node of the same field said, and more."""
    several = isinstance(node, Group) or node.operator in _EACH
    if not several or (isinstance(node, Group) and not palette(node, registry)):
        return False
    now = list(_atoms(node))
    return any(
        all(any(covers(a, was) for a in now) for was in _atoms(old)) for old in gone
    )


def _added(node: Node, gone: list[Node]) -> Iterator[Rule]:
    were = [atom for old in gone for atom in _atoms(old)]
    return (a for a in _atoms(node) if not any(same(a, was) for was in were))


def _atoms(node: Node) -> Iterator[Rule]:
    """Take lists and ranges apart: one value, one bound, one leaf."""
    for _, rule in leaves(node):
        if rule.operator in _EACH:
            yield from (Rule(rule.field, _EACH[rule.operator], v) for v in values(rule))
        elif rule.operator == "between":
            low, high = values(rule)
            dated = isinstance(low, str)
            yield Rule(rule.field, "on_or_after" if dated else "greater_or_equal", low)
            yield Rule(rule.field, "on_or_before" if dated else "less_or_equal", high)
        else:
            yield rule


def _left_standing(
    done: Iterable[Step], before: Group, gone: list[Node], registry: Registry
) -> list[Step]:
    tree = before
    for step in done:
        tree = merge(tree, step.intent, step.delta, registry).tree
    standing = [n for n in gone if any(same(n, now) for now in tidy(tree).rules)]
    asked = tuple(rule for node in standing for _, rule in leaves(node))
    return [Step("remove", Group(rules=asked))] if asked else []

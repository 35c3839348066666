"""Remove: by field, then operator and value where given, loosely, at any depth.

A value may be absent or approximate ("the limit of about 100"), a value leaves a list
or an OR, one bound leaves a range. The emptied groups go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import SequenceMatcher

from vitrine.language.folding import fold
from vitrine.registry.operators import FULL_TEXT_FIELD, FieldType
from vitrine.tree.model import Node, Rule, leaves
from vitrine.tree.slots import (
    EXCLUDED,
    LOWERS,
    PRESENT,
    UPPERS,
    Slots,
    keys,
    remainder,
    values,
    without,
)
from vitrine.tree.splice import Edit

LIKE = 0.8
"""Similarity from which two spellings are one value (Ratcliff and Obershelp)."""
FEW = 3
"""More values than that are no slip of the tongue, and likeness is costly."""
_EXACT_ONLY = frozenset({FieldType.BOOLEAN, FieldType.ORIENTATION})
_BOUNDED = frozenset(
    {FieldType.NUMBER, FieldType.DATE, FieldType.DATETIME, FieldType.TIME}
)


def remove(edit: Edit, parts: Iterable[Node]) -> None:
    """Take away what each leaf of a delta points at."""
    for asked in [rule for part in parts for _, rule in leaves(part)]:
        _remove(edit, asked)


def meant(edit: Edit, asked: Rule) -> list[Rule]:
    """List the leaves that a request to remove means, best reading first."""
    held = [r for _, r in leaves(edit.tree) if r.field == asked.field]
    # The value decides before the operator: models say equals where the tree says in.
    if asked.value is not None:
        exact = [r for r in held if keys(r) & keys(asked)]
        held = exact or [r for r in held if _near(edit, r, asked)]
    return _operated(edit, held, asked)


def _operated(edit: Edit, held: list[Rule], asked: Rule) -> list[Rule]:
    if not asked.operator:
        return held
    if exact := [r for r in held if r.operator == asked.operator]:
        return exact
    wanted = edit.slots(asked)
    if kin := [r for r in held if edit.slots(r) & wanted]:
        return kin
    # "Drop the upper limit" means nothing where a lower one alone stands; a plain
    # operator is often the model's guess, and there the field decides.
    pointed = asked.operator in LOWERS | UPPERS or bool(wanted & {EXCLUDED, PRESENT})
    return [] if pointed else held


def _near(edit: Edit, rule: Rule, asked: Rule) -> bool:
    """Tell whether a value was meant approximately: any limit, a similar word."""
    field = edit.field(rule.field)
    if not values(rule) or (field and field.type in _EXACT_ONLY):
        return False
    if field and field.type in _BOUNDED:
        return bool(_bounded(edit, rule) & _bounded(edit, asked))
    few = len(values(asked)) <= FEW
    return few and any(_alike(a, b) for a in keys(rule) for b in keys(asked))


def _bounded(edit: Edit, rule: Rule) -> Slots:
    return edit.slots(rule) if rule.operator else frozenset({"lower", "upper"})


def _alike(one: str, other: str) -> bool:
    words, asked = set(one.split()), set(other.split())
    if words <= asked or asked <= words:
        return True
    return SequenceMatcher(None, one, other).ratio() >= LIKE


def _remove(edit: Edit, asked: Rule) -> None:
    chosen = meant(edit, asked)
    if not chosen:
        edit.fail("nothing_to_remove", asked)
    for rule in chosen:
        edit.swap(rule, _rest(edit, rule, asked))


def _rest(edit: Edit, rule: Rule, asked: Rule) -> Rule | None:
    """Give what is left of a leaf: other values, the other bound, other words."""
    if rule.field == FULL_TEXT_FIELD and isinstance(asked.value, str):
        return _unsaid(rule, asked.value)
    if asked.operator in LOWERS | UPPERS:
        return remainder(rule, edit.slots(asked))
    if asked.value is None or rule.operator == "between" or not _several(rule):
        return None
    if keys(rule) & keys(asked):
        return without(rule, keys(asked))
    close = {a for a in keys(rule) if any(_alike(a, b) for b in keys(asked))}
    return without(rule, frozenset(close))


def _several(rule: Rule) -> bool:
    return len(values(rule)) > 1


def _unsaid(rule: Rule, words: str) -> Rule | None:
    """Take words out of a query that has no quotes to tear apart."""
    gone = set(fold(words).split())
    kept = [word for word in str(rule.value).split() if fold(word) not in gone]
    whole = len(kept) == len(str(rule.value).split())
    if not kept or whole or '"' in rule.value:
        return None
    return replace(rule, value=" ".join(kept))

"""What a correction is about: the field whose value stands, and what leaves it.

"At least 4, actually" goes to the number that the tree already bounds, "100 cm rather
than 50" to the one that is 50, and "not Lyon anymore" takes Lyon off a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from vitrine.language.numbers import Unreadable
from vitrine.language.quantities import find_numbers
from vitrine.language.units import to_unit
from vitrine.lexicon.assemble import one
from vitrine.lexicon.edits import Edit
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import NEGATIVE_OPERATORS, FieldType
from vitrine.tree.model import Group, Node, Rule, leaves
from vitrine.tree.slots import LOWERS, UPPERS, key, keys

BOUNDS = frozenset(
    {"greater_than", "greater_or_equal", "less_than", "less_or_equal", "equals"}
)


def swapped(said: Sentence, edit: Edit) -> frozenset[str]:
    """Name the fields whose standing number is told as the old one."""
    units = {q.unit for q in find_numbers(said.found, said.lang)}
    old = said.found[edit.old.start : edit.old.stop]
    told = find_numbers(old, said.lang)
    return frozenset(
        rule.field
        for rule in said.standing
        for quantity in told
        for unit in {quantity.unit or "", *(u or "" for u in units)}
        if _is(said, rule, f"{quantity.amount:f} {unit}".strip())
    )


def _is(said: Sentence, rule: Rule, told: str) -> bool:
    """Tell whether a rule's number is one that was told, in the field's unit."""
    field = said.registry.filters.get(rule.field)
    unit = field.unit if field else None
    try:
        stands = to_unit(rule.value, unit) if unit else Decimal(str(rule.value))
        return stands == (to_unit(told, unit) if unit else Decimal(told))
    except (Unreadable, InvalidOperation, TypeError):
        return False


def kept(said: Sentence, rule: Rule) -> Rule:
    """Give a bare number that replaces a bound the bound's operator: "make it 50"."""
    if not said.replacing or rule.operator != "equals":
        return rule
    standing = [r.operator for r in said.standing if r.field == rule.field]
    known = len(standing) == 1 and standing[0] in BOUNDS
    return replace(rule, operator=standing[0]) if known else rule


def bounded(said: Sentence, field: Field, operator: str) -> bool:
    """Tell a field that stands with a bound on the same side: "at least 5" of 3."""
    sides = (LOWERS, UPPERS)
    return any(
        rule.field == field.key and operator in side and rule.operator in side
        for rule in said.standing
        for side in sides
    )


def contrast(said: Sentence) -> frozenset[str]:
    """Drop what is denied beside its new value, and give it as the old one.

    "Oak, not pine" of pine that stands leaves no rule against pine.
    """
    values = [f for f in said.finds if f.kind == "value" and f.field]
    new = {f.field.key for f in values if f.field and not f.negated}
    gone = [f for f in values if f.negated and f.field and f.field.key in new]
    gone = [f for f in gone if _stands(said, f)]
    # what is claimed is no text to search for
    said.swap(lambda f: Find(f.start, f.end, "cue") if f in gone else f)
    return frozenset(key(f.value) for f in gone)


def _stands(said: Sentence, find: Find) -> bool:
    """Tell a value that the tree has, or anything of a field that has an order."""
    field = find.field
    rules = [r for r in said.standing if field and r.field == field.key]
    rules = [r for r in rules if r.operator not in NEGATIVE_OPERATORS]
    if isinstance(find.what, Rule):
        # "after 1960, not after 1980" has two bounds; "2025, not 2026" has one year
        plain = find.what.operator == "equals" or " " not in str(find.value)
        return plain and find.what.operator in {"equals", "in_period"} and bool(rules)
    return any(key(find.value) in keys(rule) for rule in rules)


def dropped(said: Sentence, tree: Group) -> tuple[Rule, ...]:
    """Name the values that leave a list: all that was said denies some of them."""
    finds = [f for f in said.finds if f.kind in {"value", "person"}]
    if not finds or not all(f.negated and f.what is None for f in finds):
        return ()
    gone = [rule for f in finds for rule in _listed(f, tree)]
    return tuple(gone) if len(gone) == len(finds) else ()


def _listed(find: Find, tree: Group) -> Iterator[Rule]:
    """Yield the leaf of a value that stands beside others of its field."""
    field = find.field
    if field is None:
        return
    standing = [
        rule
        for _, rule in leaves(tree)
        if rule.field == field.key and rule.operator not in NEGATIVE_OPERATORS
    ]
    held = {k for rule in standing for k in keys(rule)}
    if not field.multi and len(held) > 1 and key(find.value) in held:
        yield one(field, find.value)


def whole(
    said: Sentence, tree: Group, nodes: Sequence[Node], old: frozenset[str]
) -> Group | None:
    """Give the whole tree where a correction replaces what a refinement would keep.

    A field of several values would gain one, and "before 1820 instead" of a later
    bound would make a range; so the correction says all that now stands.
    ``old`` are the keys of the values that go; without any the field's all do.
    """
    rules = [rule for rule in tree.rules if isinstance(rule, Rule)]
    asked = {rule.field for node in nodes for _, rule in leaves(node)}
    # inside of alternatives a value says more than that it stands
    plain = len(rules) == len(tree.rules) and tree.operator == "and"
    if not (asked and plain and all(_replaced(said, name, rules) for name in asked)):
        return None
    multi = {name for name in asked if said.registry.filters[name].multi}
    named = [r for r in rules if r.field in multi and old and not keys(r) & old]
    stays = (r for r in rules if r.field not in asked or r in named)
    return Group("and", (*stays, *nodes))


def _replaced(said: Sentence, name: str, rules: Sequence[Rule]) -> bool:
    """Tell a field that stands and would keep its value beside a new one."""
    field = said.registry.filters.get(name)
    standing = sum(rule.field == name for rule in rules)
    if field is None or not standing:
        return False
    return field.multi or (field.type in _ORDERED and standing == 1)


_ORDERED = frozenset({FieldType.NUMBER, FieldType.DATE, FieldType.DATETIME})

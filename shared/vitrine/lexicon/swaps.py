"""What a correction is about: the field whose value stands, and what leaves it.

"At least 4, actually" goes to the number that the tree already bounds, "100 cm rather
than 50" to the one that is 50, and "not Lyon anymore" takes Lyon off a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from vitrine.language.folding import fold
from vitrine.language.numbers import Unreadable
from vitrine.language.periods import bounds
from vitrine.language.quantities import find_numbers
from vitrine.language.units import to_unit
from vitrine.lexicon.assemble import one
from vitrine.lexicon.edits import Edit
from vitrine.lexicon.measures import Measure
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import NEGATIVE_OPERATORS, FieldType
from vitrine.tree.merge import merge
from vitrine.tree.model import Group, Node, Rule, leaves
from vitrine.tree.slots import LOWERS, UPPERS, key, keys, slots

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
    standing = [r for r in said.standing if r.field == rule.field]
    ends = [r for r in standing if r.operator in BOUNDS]
    if len(standing) > 1:
        ends = [r for r in ends if _moves(r, rule)]
    return replace(rule, operator=ends[0].operator) if len(ends) == 1 else rule


def _moves(bound: Rule, rule: Rule) -> bool:
    """Tell which of two bounds a number widens: 50 of 10 to 30 is the upper one."""
    stands, told = _amount(bound), _amount(rule)
    if stands is None or told is None:
        return False
    return told > stands if bound.operator in UPPERS else told < stands


def _amount(rule: Rule) -> Decimal | None:
    plain = isinstance(rule.value, int | float) and not isinstance(rule.value, bool)
    return Decimal(str(rule.value)) if plain else None


def bounded(said: Sentence, field: Field, measure: Measure) -> bool:
    """Tell a field that stands with a bound on the same side: "at least 5" of 3."""
    operator = measure.comparison.operator if measure.comparison else ""
    told = _side(Rule(field.key, operator, None))
    if measure.period and field.type is not FieldType.NUMBER:
        told = _side(Rule(field.key, "in_period", measure.period))
    standing = [r for r in said.standing if r.field == field.key]
    return bool(told) and any(_side(rule) == told for rule in standing)


def _side(rule: Rule) -> str:
    """Tell which end of an order a rule bounds, if one alone."""
    if rule.operator == "in_period":
        bound = bounds(str(rule.value))[0]
        return {"since": "low", "after": "low"}.get(bound) or (
            "high" if bound in {"before", "until"} else ""
        )
    return "low" if rule.operator in LOWERS else "high" * (rule.operator in UPPERS)


def contrast(said: Sentence) -> tuple[Rule, ...]:
    """Drop what is denied beside its new value, and give it as the old one.

    "Oak, not pine" of pine that stands leaves no rule against pine.
    """
    values = [f for f in said.finds if f.kind in {"value", "person"} and f.field]
    new = {f.field.key for f in values if f.field and not f.negated}
    gone = [f for f in values if f.negated and f.field and f.field.key in new]
    gone = [f for f in gone if _stands(said, f)]
    # what is claimed is no text to search for
    said.swap(lambda f: Find(f.start, f.end, "cue") if f in gone else f)
    return tuple(one(f.field, f.value) for f in gone if f.field)


def _stands(said: Sentence, find: Find) -> bool:
    """Tell a value that the tree has, or anything of a field that has an order."""
    field = find.field
    rules = [r for r in said.standing if field and r.field == field.key]
    rules = [r for r in rules if r.operator not in NEGATIVE_OPERATORS]
    if field and field.type is FieldType.TEXT:
        told = fold(str(find.value))
        return any(told in k or k in told for r in rules for k in keys(r))
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
    said: Sentence, tree: Group, nodes: Sequence[Node], old: Sequence[Rule]
) -> Group | None:
    """Give the whole tree where a correction replaces what a refinement would keep.

    A field of several values would gain one, "before 1820 instead" of a later bound
    would make a range, and "Rome, not Oslo" of a list would lose the rest of it.
    ``old`` are the values that go; without any the field's all do.
    """
    asked = [rule for node in nodes for _, rule in leaves(node)]
    if not asked or tree.operator != "and":
        return None
    delta = Group("and", tuple(nodes))
    if gone := _exchanged(said, asked, old):
        left = merge(tree, "remove", Group("and", gone), said.registry).tree
        return merge(left, "expand", delta, said.registry).tree
    stays = tuple(node for node in tree.rules if not _outdated(said, node, asked, old))
    if len(stays) == len(tree.rules):
        return None
    return merge(Group("and", stays), "refine", delta, said.registry).tree


def _exchanged(
    said: Sentence, asked: Sequence[Rule], old: Sequence[Rule]
) -> tuple[Rule, ...]:
    """Name the old values that stand beside others of the one field asked for."""
    names = {rule.field for rule in asked}
    field = said.registry.filters.get(next(iter(names)))
    if len(names) > 1 or field is None or field.multi or field.type in _ORDERED:
        return ()
    standing = [r for r in said.standing if r.field == field.key]
    held = {k for r in standing for k in keys(r)}
    gone = [r for r in old if r.field == field.key and keys(r) <= held]
    denied = any(r.operator in NEGATIVE_OPERATORS for r in (*standing, *asked))
    left = held - {k for r in gone for k in keys(r)}
    return tuple(gone) if gone and left and not denied else ()


def _outdated(
    said: Sentence, node: Node, asked: Sequence[Rule], old: Sequence[Rule]
) -> bool:
    """Tell a rule that a refinement would keep beside the new one of its field."""
    # inside of alternatives a value says more than that it stands
    fresh = [r for r in asked if isinstance(node, Rule) and r.field == node.field]
    field = said.registry.filters.get(fresh[0].field) if fresh else None
    if field is None or not isinstance(node, Rule):
        return False
    denied = [r.operator in NEGATIVE_OPERATORS for r in (node, *fresh)]
    if any(denied):
        return all(denied)
    if field.type in _ORDERED:
        # a bound on the same side takes the place of the one that stands anyway
        apart = not any(slots(r, field) & slots(node, field) for r in fresh)
        alone = sum(r.field == node.field for r in said.standing) == 1
        return apart and (alone or any(_contradicts(node, r) for r in fresh))
    told = {k for r in old for k in keys(r)}
    return field.multi and (not told or bool(keys(node) & told))


def _contradicts(bound: Rule, other: Rule) -> bool:
    """Tell two bounds that leave nothing between them."""
    low, high = (bound, other) if _side(bound) == "low" else (other, bound)
    if (_side(low), _side(high)) != ("low", "high"):
        return False
    first, last = _amount(low), _amount(high)
    if first is not None and last is not None:
        return first >= last
    # days, months and years that are written out sort as they are spelled
    days = [bounds(str(r.value))[1] for r in (low, high)]
    return all(day[:1].isdigit() for day in days) and days[0] >= days[1]


_ORDERED = frozenset({FieldType.NUMBER, FieldType.DATE, FieldType.DATETIME})

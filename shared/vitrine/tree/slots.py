"""Slots: what a leaf says of its field, so that a later leaf can take its place.

A slot is a field with a bound: lower, upper, membership, text, name or presence. Two
leaves in one slot can't both be meant of a single value; two in different ones can.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from vitrine.language.folding import fold
from vitrine.language.periods import bounds
from vitrine.registry.fields import Field
from vitrine.registry.operators import (
    FULL_TEXT_FIELD,
    ID_OPERATORS,
    NEGATIVE_OPERATORS,
    OPERATORS,
    FieldType,
)
from vitrine.registry.profiles import Registry
from vitrine.tree.model import Group, Node, Rule, leaves

LOWER, UPPER, MEMBER = "lower", "upper", "membership"
TEXT, NAME, PRESENT, EXCLUDED = "text", "name", "presence", "exclusion"
Slots = frozenset[str]

RANGE = frozenset({LOWER, UPPER})
# A number that was named exactly is both of its own limits: "under 10" after "5" is a
# correction, and beside it would be no news or a contradiction.
POINT = frozenset({LOWER, UPPER, MEMBER})
EVERY = frozenset({LOWER, UPPER, MEMBER, TEXT, NAME, PRESENT})
LOWERS = frozenset({"greater_than", "greater_or_equal", "after", "on_or_after"})
UPPERS = frozenset({"less_than", "less_or_equal", "before", "on_or_before"})
_ORDERED = frozenset(
    {FieldType.NUMBER, FieldType.DATE, FieldType.DATETIME, FieldType.TIME}
)
_LISTS = {
    "equals": "in",
    "in": "in",
    "vocab_text_equals": "vocab_text_in",
    "vocab_text_in": "vocab_text_in",
    "vocab_id_in": "vocab_id_in",
}
_SINGLE = {
    "in": "equals",
    "not_in": "not_equals",
    "vocab_text_in": "vocab_text_equals",
    "with_role": "with_role",
    "without_role": "without_role",
}
_OPEN = {"since": LOWER, "after": LOWER, "before": UPPER, "until": UPPER}
_FIXED = {
    # Nothing else of a field can hold beside emptiness: whatever is said later of it
    # takes the place.
    "is_empty": EVERY,
    "is_not_empty": frozenset({PRESENT}),
    "person_name": frozenset({NAME}),
    "between": RANGE,
}


def slots(rule: Rule, field: Field | None) -> Slots:
    """List the bounds that a leaf fills; an exact value of an order fills all."""
    operator, kind = rule.operator, field.type if field else None
    if operator in NEGATIVE_OPERATORS:
        return frozenset({EXCLUDED})
    if operator in _FIXED:
        return _FIXED[operator]
    if operator in LOWERS | UPPERS:
        return frozenset({LOWER if operator in LOWERS else UPPER})
    if operator == "in_period":
        return _period(rule.value)
    if rule.field == FULL_TEXT_FIELD or kind is FieldType.TEXT:
        return frozenset({TEXT})
    return POINT if kind in _ORDERED else frozenset({MEMBER})


def _period(value: Any) -> Slots:
    bound = bounds(value)[0] if isinstance(value, str) else ""
    return frozenset({_OPEN[bound]}) if bound in _OPEN else RANGE


def is_multi(field: Field | None) -> bool:
    """Tell whether a document has several values, so that leaves add up."""
    return field is not None and (field.multi or field.type is FieldType.RELATION)


def palette(node: Node, registry: Registry) -> str | None:
    """Name the field of an OR that only lists alternatives of one field's value."""
    if not isinstance(node, Group) or node.negated or node.operator != "or":
        return None
    inner = [child for child in node.rules if isinstance(child, Rule)]
    keys = {rule.field for rule in inner}
    if len(inner) != len(node.rules) or len(keys) != 1 or len(inner) == 1:
        return None
    key = keys.pop()
    filled = [slots(rule, registry.filters.get(key)) for rule in inner]
    positive = all(EXCLUDED not in one for one in filled)
    return key if positive and frozenset.intersection(*filled) else None


def remainder(rule: Rule, taken: Slots) -> Rule | None:
    """Give what a range still says when one of its two bounds is taken away."""
    left = RANGE - taken
    if rule.operator not in ("between", "in_period") or len(left) != 1:
        return None
    keep_low = LOWER in left
    if rule.operator == "between":
        return _half(rule, keep_low=keep_low)
    bound, first, second = bounds(rule.value)
    if bound not in ("in", "between"):
        return None
    # "Since last month" needs no calendar here, and still moves with it.
    name = f"since {first}" if keep_low else f"until {second or first}"
    return Rule(rule.field, "in_period", name)


def _half(rule: Rule, *, keep_low: bool) -> Rule:
    value = rule.value[0 if keep_low else 1]
    if isinstance(value, str):
        return Rule(rule.field, "on_or_after" if keep_low else "on_or_before", value)
    operator = "greater_or_equal" if keep_low else "less_or_equal"
    return Rule(rule.field, operator, value)


def values(rule: Rule) -> tuple[Any, ...]:
    """List a leaf's values, one or many."""
    if isinstance(rule.value, tuple | list):
        return tuple(rule.value)
    return () if rule.value is None else (rule.value,)


def key(value: Any) -> str:
    """Give what makes two values one: case, accents and tolerance aside."""
    # "Not red" has to find the red that an earlier turn gave a tolerance.
    if isinstance(value, dict) and "hex" in value:
        value = value["hex"]
    if isinstance(value, str):
        return fold(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True, default=str)


def keys(rule: Rule) -> frozenset[str]:
    """Give the keys of a leaf's values."""
    return frozenset(map(key, values(rule)))


def same(one: Node, other: Node) -> bool:
    """Tell whether two nodes say the same in the same words."""
    if isinstance(one, Rule) and isinstance(other, Rule):
        alike = (one.field, one.operator) == (other.field, other.operator)
        if alike and one.operator == "between":
            return [key(v) for v in values(one)] == [key(v) for v in values(other)]
        return alike and keys(one) == keys(other) and _reach(one) == _reach(other)
    if isinstance(one, Group) and isinstance(other, Group):
        shape = (one.operator, one.negated, len(one.rules))
        if shape != (other.operator, other.negated, len(other.rules)):
            return False
        return all(same(a, b) for a, b in zip(one.rules, other.rules, strict=True))
    return False


def _reach(rule: Rule) -> Any:
    return rule.value.get("tolerance") if isinstance(rule.value, dict) else None


def without(rule: Rule, gone: frozenset[str]) -> Rule | None:
    """Take values out of a leaf; None where none is left."""
    kept = tuple(v for v in values(rule) if key(v) not in gone)
    if len(kept) == len(values(rule)):
        return rule
    return listed(rule.field, rule.operator, kept) if kept else None


def listed(field: str, operator: str, kept: tuple[Any, ...]) -> Rule:
    """Make a leaf of values, as a list only where there are several."""
    if len(kept) == 1 and operator in _SINGLE:
        return Rule(field, _SINGLE[operator], kept[0])
    return Rule(field, operator, kept)


def joined(one: Rule, other: Rule, field: Field | None) -> Rule | None:
    """Make one list of two leaves' values, or None where no operator lists them."""
    operator = _LISTS.get(one.operator)
    if operator is None or operator != _LISTS.get(other.operator):
        return None
    if field is None or operator not in _listable(field):
        return None
    known = keys(one)
    fresh = tuple(v for v in values(other) if key(v) not in known)
    return listed(one.field, operator, (*values(one), *fresh)) if fresh else one


def _listable(field: Field) -> tuple[str, ...]:
    return (*OPERATORS[field.type], *ID_OPERATORS.get(field.type, ()))


def covers(wide: Rule, narrow: Rule) -> bool:
    """Tell whether each value that satisfies ``narrow`` surely satisfies ``wide``."""
    if same(wide, narrow):
        return True
    if wide.operator in _LISTS and narrow.operator in _LISTS:
        alike = _LISTS[wide.operator] == _LISTS[narrow.operator]
        return alike and keys(narrow) <= keys(wide)
    if narrow.operator == "between" and narrow.value:
        halves = (_half(narrow, keep_low=low) for low in (True, False))
        return any(covers(wide, half) for half in halves)
    for operators, sign in ((LOWERS, 1), (UPPERS, -1)):
        if wide.operator in operators and narrow.operator in operators:
            return _looser(wide, narrow, sign)
    return False


def _looser(wide: Rule, narrow: Rule, sign: int) -> bool:
    order = _compared(narrow.value, wide.value)
    if order is None:
        return False
    closed = wide.operator.endswith(("or_equal", "or_after", "or_before"))
    return order * sign > 0 or (
        order == 0 and (closed or wide.operator == narrow.operator)
    )


def _compared(one: Any, other: Any) -> int | None:
    """Order two bounds; None where they can't be told apart without a calendar."""
    # ISO dates sort as text among their own precision only: 2024 is neither before nor
    # after 2024-03-01.
    if isinstance(one, str) and isinstance(other, str) and len(one) == len(other):
        return (one > other) - (one < other)
    numeric = (int, float)
    if isinstance(one, numeric) and isinstance(other, numeric):
        return (one > other) - (one < other)
    return None


def fields(node: Node) -> frozenset[str]:
    """Name the fields that a node speaks of."""
    return frozenset(rule.field for _, rule in leaves(node))


def combined(parts: Iterable[Rule]) -> tuple[Rule, ...]:
    """Join a closed lower and a closed upper bound into ``between``."""
    found = tuple(parts)
    if len(found) != 2:  # noqa: PLR2004 - a pair
        return found
    low, high = sorted(found, key=lambda rule: rule.operator in UPPERS)
    closed = {"greater_or_equal": "less_or_equal", "on_or_after": "on_or_before"}
    if closed.get(low.operator) != high.operator:
        return found
    if _compared(low.value, high.value) in (None, 1):
        return found
    return (Rule(low.field, "between", (low.value, high.value)),)

"""A checked, resolved tree becomes conditions: two-valued tests that engines compile.

Linear in the tree: groups are joined with their like and constants folded, but no
normal form is made, so nothing can grow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import cast

from vitrine.language.folding import fold, squash
from vitrine.language.money import to_minor
from vitrine.registry.fields import Field
from vitrine.registry.operators import FULL_TEXT_FIELD, NEGATIVE_OPERATORS, FieldType
from vitrine.registry.profiles import Registry
from vitrine.tree import moments
from vitrine.tree.conditions import (
    FALSE,
    TRUE,
    All,
    Any,
    Between,
    Condition,
    Contains,
    Linked,
    Member,
    Method,
    Near,
    Not,
    Present,
    Text,
)
from vitrine.tree.model import Group, Node, Rule

_POSITIVE = {
    "not_contains": "contains",
    "not_equals": "equals",
    "not_in": "in",
    "vocab_text_not_in": "vocab_text_in",
    "vocab_id_not_in": "vocab_id_in",
    "without_role": "with_role",
}
_LOW = frozenset({"greater_than", "greater_or_equal", "between"})
_HIGH = frozenset({"less_than", "less_or_equal", "between"})
_ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class Lowered:
    """The filters, and the root's only full-text leaf, on which a search ranks."""

    condition: Condition
    text: Text | None = None


@dataclass(frozen=True, slots=True)
class _Scope:
    registry: Registry
    today: date


def lower(tree: Group, registry: Registry, *, today: date) -> Lowered:
    """Make conditions of a checked tree whose labels are resolved.

    The text is lifted out where the root is an AND with one full-text leaf; below
    the root, or where there are several, it stays a condition.
    """
    scope = _Scope(registry, today)
    texts = [r for r in tree.rules if isinstance(r, Rule) and _is_text(r)]
    # The ladder is decided on one text that every hit must satisfy.
    if tree.negated or (tree.operator == "or" and len(tree.rules) > 1):
        texts = []
    if len(texts) != 1:
        return Lowered(_node(tree, scope) or TRUE)
    rest = tuple(r for r in tree.rules if r is not texts[0])
    return Lowered(_node(Group(rules=rest), scope) or TRUE, _text(texts[0]))


def _is_text(rule: Rule) -> bool:
    return rule.field == FULL_TEXT_FIELD


def _node(node: Node, scope: _Scope) -> Condition | None:
    """Lower a node; an empty group says nothing, whatever stands around it."""
    if isinstance(node, Rule):
        return _rule(node, scope)
    lowered = [_node(child, scope) for child in node.rules]
    parts = [part for part in lowered if part is not None]
    if not parts:
        return None
    joined = every(parts) if node.operator == "and" else some(parts)
    return opposite(joined) if node.negated else joined


def every(parts: list[Condition]) -> Condition:
    """Join by AND: one false part decides, true ones go, inner ANDs dissolve."""
    flat: list[Condition] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, All) else (part,))
    if FALSE in flat:
        return FALSE
    return flat[0] if len(flat) == 1 else All(tuple(flat))


def some(parts: list[Condition]) -> Condition:
    """Join by OR: one true part decides, false ones go, inner ORs dissolve."""
    flat: list[Condition] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Any) else (part,))
    if TRUE in flat:
        return TRUE
    return flat[0] if len(flat) == 1 else Any(tuple(flat))


def opposite(part: Condition) -> Condition:
    """Negate, without a double negation and without negated constants."""
    if isinstance(part, Not):
        return part.part
    if part in (TRUE, FALSE):
        return FALSE if part == TRUE else TRUE
    return Not(part)


def _rule(rule: Rule, scope: _Scope) -> Condition:
    if _is_text(rule):
        return _text(rule)
    field = scope.registry.filters[rule.field]
    if rule.operator in NEGATIVE_OPERATORS:
        positive = Rule(rule.field, _POSITIVE[rule.operator], rule.value)
        return opposite(_rule(positive, scope))
    if rule.operator == "is_empty":
        return Not(Present(field))
    if rule.operator == "is_not_empty":
        return Present(field)
    return _TESTS[field.type](rule, field, scope)


def _text(rule: Rule) -> Text:
    return Text(rule.value, cast("Method", rule.operator))


def _values(rule: Rule) -> tuple[str, ...]:
    return tuple(rule.value) if isinstance(rule.value, tuple | list) else (rule.value,)


def _member(rule: Rule, field: Field, _: _Scope) -> Condition:
    return Member(field, _values(rule)) if rule.value not in ((), []) else FALSE


def _written(rule: Rule, field: Field, _: _Scope) -> Condition:
    needle = fold(rule.value)
    if rule.operator == "equals":
        return Member(field, (needle,))
    return Contains(field, needle, at_start=rule.operator == "starts_with")


def _identifier(rule: Rule, field: Field, _: _Scope) -> Condition:
    codes = tuple(squash(value) for value in _values(rule))
    if rule.operator == "starts_with":
        return Contains(field, codes[0], at_start=True)
    return Member(field, codes)


def _number(rule: Rule, field: Field, _: _Scope) -> Condition:
    if rule.operator == "equals":
        return Member(field, (_scaled(rule.value, field),))
    numbers = [_scaled(value, field) for value in _values(rule)]
    low = numbers[0] if rule.operator in _LOW else None
    high = numbers[-1] if rule.operator in _HIGH else None
    opened = rule.operator in ("greater_than", "less_than")
    if field.integer or field.currency:
        return _whole(field, low, high, opened=opened)
    return Between(
        field,
        low,
        high,
        low_open=opened and low is not None,
        high_open=opened and high is not None,
    )


def _scaled(value: float | str, field: Field) -> Decimal:
    """Give a number exactly, as stored: an amount of money in its smallest unit."""
    number = Decimal(str(value))
    return number * to_minor(_ONE, field.currency) if field.currency else number


def _whole(
    field: Field, low: Decimal | None, high: Decimal | None, *, opened: bool
) -> Condition:
    """Move bounds to the whole numbers inside them, which is all that is stored."""
    if low is not None:
        up = low.to_integral_value(ROUND_CEILING)
        low = up + 1 if opened and up == low else up
    if high is not None:
        down = high.to_integral_value(ROUND_FLOOR)
        high = down - 1 if opened and down == high else down
    if low is not None and high is not None and low > high:
        return FALSE
    return Between(field, low, high)


def _moment(rule: Rule, field: Field, scope: _Scope) -> Condition:
    span = moments.span(rule, field, scope.today, scope.registry.manifest)
    if not span.low and not span.high:
        return Present(field)
    return Between(
        field,
        span.low or None,
        span.high or None,
        low_open=span.low_open,
        high_open=span.high_open and bool(span.high),
    )


def _colour(rule: Rule, field: Field, scope: _Scope) -> Condition:
    if rule.operator != "near":
        return _member(rule, field, scope)
    return Near(field, rule.value["hex"], float(rule.value["tolerance"]))


def _relation(rule: Rule, field: Field, _: _Scope) -> Condition:
    if rule.operator == "person_name":
        return Linked(field, name=rule.value)
    return Linked(field, roles=_values(rule))


Test = Callable[[Rule, Field, _Scope], Condition]
_TESTS: dict[FieldType, Test] = {
    FieldType.TEXT: _written,
    FieldType.KEYWORD: _member,
    FieldType.IDENTIFIER: _identifier,
    FieldType.NUMBER: _number,
    FieldType.DATE: _moment,
    FieldType.DATETIME: _moment,
    FieldType.TIME: _moment,
    FieldType.BOOLEAN: _member,
    FieldType.VOCABULARY: _member,
    FieldType.COLOUR: _colour,
    FieldType.ORIENTATION: _member,
    FieldType.RELATION: _relation,
}

"""What a rule tree means, said naively: one document, one tree, true or false.

Knows nothing of conditions or engines. A document is a plain dict by field key, with
values as stored: cents for money, ISO dates, UTC instants, ``#rrggbb``, a list where
a field has several values, the stored spelling of closed lists and vocabularies. A
relation holds ``{"name": …, "roles": […], "tags": […]}`` for each linked contact.
None, an absent key, ``""`` and ``[]`` are all one thing: missing.

*A missing value matches is_empty and negative operators, and nothing else.*

Full text is the strict mode on plain words: each folded word of the query is a word
of the searched fields. Trees are checked but not resolved: labels are still labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from vitrine.language.folding import fold, squash
from vitrine.language.periods import resolve_period
from vitrine.registry.fields import Field
from vitrine.registry.operators import FULL_TEXT_FIELD, FieldType
from vitrine.registry.profiles import Registry
from vitrine.tree.model import Group, Rule

Document = Mapping[str, Any]
NEGATIVES = {
    "not_contains": "contains",
    "not_equals": "equals",
    "not_in": "in",
    "vocab_text_not_in": "vocab_text_in",
    "vocab_id_not_in": "vocab_id_in",
    "without_role": "with_role",
}
DAY = timedelta(days=1)


def matches(tree: Group, document: Document, registry: Registry, today: date) -> bool:
    """Tell whether a document satisfies a checked tree; an empty tree, always."""
    found = _group(tree, document, registry, today)
    return True if found is None else found


def _group(
    group: Group, document: Document, registry: Registry, today: date
) -> bool | None:
    answers = [
        _rule(child, document, registry, today)
        if isinstance(child, Rule)
        else _group(child, document, registry, today)
        for child in group.rules
    ]
    said = [answer for answer in answers if answer is not None]
    if not said:
        return None
    answer = all(said) if group.operator == "and" else any(said)
    return not answer if group.negated else answer


def _rule(rule: Rule, document: Document, registry: Registry, today: date) -> bool:
    if rule.field == FULL_TEXT_FIELD:
        return _words(rule.value) <= _searched(document, registry)
    if rule.operator in NEGATIVES:
        positive = Rule(rule.field, NEGATIVES[rule.operator], rule.value)
        return not _rule(positive, document, registry, today)
    field = registry.filters[rule.field]
    values = _present(document.get(rule.field))
    if rule.operator in ("is_empty", "is_not_empty"):
        return bool(values) == (rule.operator == "is_not_empty")
    return any(_holds(rule, value, field, registry, today) for value in values)


def _present(value: Any) -> list[Any]:
    values = value if isinstance(value, list | tuple) else [value]
    return [v for v in values if v is not None and v != ""]


def _words(text: Any) -> set[str]:
    return set(re.findall(r"\w+", fold(str(text))))


def _searched(document: Document, registry: Registry) -> set[str]:
    values = [v for k in registry.searches for v in _present(document.get(k))]
    return {word for value in values for word in _words(value)}


def _holds(
    rule: Rule, value: Any, field: Field, registry: Registry, today: date
) -> bool:
    asked = list(rule.value) if isinstance(rule.value, tuple | list) else [rule.value]
    if rule.operator == "in":  # of any type: the normal form lists what is equal
        each = (Rule(rule.field, "equals", one) for one in asked)
        return any(_holds(one, value, field, registry, today) for one in each)
    if field.type in (FieldType.DATE, FieldType.DATETIME):
        return _in_time(rule, value, field, registry, today)
    if field.type in (FieldType.NUMBER, FieldType.TIME):
        bounds = [_scaled(bound, field) for bound in asked]
        return _ordered(rule.operator, _amount(value), bounds)
    if field.type is FieldType.RELATION:
        return _linked(rule.operator, value, asked)
    if rule.operator == "near":
        reach: int = rule.value["tolerance"]
        return _distance(value, rule.value["hex"]) <= reach
    return _written(rule, value, field, asked)


def _written(rule: Rule, value: Any, field: Field, asked: list[Any]) -> bool:
    if field.type is FieldType.IDENTIFIER:
        value, asked = squash(value), [squash(a) for a in asked]
    if field.type in (FieldType.TEXT, FieldType.VOCABULARY):
        value, asked = fold(value), [_label(a, rule, field) for a in asked]
    if rule.operator == "contains":
        return asked[0] in value
    if rule.operator == "starts_with":
        return bool(value.startswith(asked[0]))
    return value in asked


def _label(asked: str, rule: Rule, field: Field) -> str:
    """Take the label that an id stands for; a label stands for itself."""
    if not rule.operator.startswith("vocab_id"):
        return fold(asked)
    return next((fold(c.value) for c in field.choices or () if c.code == asked), "")


def _scaled(asked: Any, field: Field) -> Any:
    return _amount(asked) * 100 if field.currency else _amount(asked)


def _amount(value: Any) -> Any:
    return time.fromisoformat(value) if isinstance(value, str) else Decimal(str(value))


def _ordered(operator: str, value: Any, asked: list[Any]) -> bool:
    first, last = asked[0], asked[-1]
    holds: dict[str, bool] = {
        "equals": value == first,
        "greater_than": value > first,
        "greater_or_equal": value >= first,
        "less_than": value < first,
        "less_or_equal": value <= first,
        "after": value > first,
        "on_or_after": value >= first,
        "before": value < first,
        "on_or_before": value <= first,
        "between": first <= value <= last,
    }
    return holds[operator]


def _in_time(
    rule: Rule, value: str, field: Field, registry: Registry, today: date
) -> bool:
    zone = ZoneInfo(registry.manifest.zone)
    moment = datetime.fromisoformat(value)
    here = moment.astimezone(zone) if field.type is FieldType.DATETIME else moment
    if rule.operator == "in_period":
        hemisphere = registry.manifest.hemisphere
        return here.date() in resolve_period(rule.value, today, hemisphere=hemisphere)
    asked = list(rule.value) if rule.operator == "between" else [rule.value] * 2
    low, high = (_sides(here, bound) for bound in asked)
    return {
        "equals": low == 0,
        "before": low < 0,
        "after": low > 0,
        "on_or_after": low >= 0,
        "on_or_before": high <= 0,
        "between": low >= 0 and high <= 0,
    }[rule.operator]


def _sides(moment: datetime, bound: str) -> int:
    """Tell on which side of a day, or of an instant, a moment lies."""
    if "T" in bound:
        one, other = moment.astimezone(UTC), datetime.fromisoformat(bound)
        return (one > other) - (one < other)
    day = date.fromisoformat(bound)
    return (moment.date() > day) - (moment.date() < day)


def _distance(one: str, two: str) -> int:
    channels = zip(bytes.fromhex(one[1:]), bytes.fromhex(two[1:]), strict=True)
    return max(abs(a - b) for a, b in channels)


def _linked(operator: str, contact: Mapping[str, Any], asked: list[str]) -> bool:
    if operator == "person_name":
        return _words(asked[0]) <= _words(contact["name"])
    marks = {fold(mark) for mark in (*contact["roles"], *contact["tags"])}
    return any(fold(role) in marks for role in asked)

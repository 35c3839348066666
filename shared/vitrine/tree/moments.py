"""Days, instants, times and named periods as rule values, and their half-open bounds.

A date that stands for a span (``2024``, ``last_month``) becomes the named period that
says the same, so a kept tree means "last month" next month too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from vitrine.language.clock import parse_time
from vitrine.language.numbers import Unreadable
from vitrine.language.periods import (
    Period,
    bounds,
    instants,
    normalise_period,
    resolve_period,
)
from vitrine.language.spoken import read_period
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Rule

DAYS = frozenset({FieldType.DATE, FieldType.DATETIME})
_DAY = timedelta(days=1)
# Nothing that is stored lies behind these.
_LAST = {
    FieldType.DATE: date.max.isoformat(),
    FieldType.DATETIME: f"{date.max.isoformat()}T23:59:59.999999Z",
}
# Reduced precision (a year, a month, a week) is a period, not a day.
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{8}")
_PREFIX = {
    "equals": "",
    "in_period": "",
    "before": "before ",
    "after": "after ",
    "on_or_after": "since ",
    "on_or_before": "until ",
}


def named(rule: Rule, field: Field, language: str) -> bool:
    """Tell whether a rule speaks of a period, by operator or by value."""
    if field.type not in DAYS:
        return False
    if rule.operator == "between":
        pair = rule.value
        listed = isinstance(pair, tuple | list) and len(pair) == 2  # noqa: PLR2004 - a pair
        return listed and any(_spans(value, language) for value in pair)
    if rule.operator == "in_period":
        return True
    return rule.operator in _PREFIX and _spans(_alone(rule.value), language)


def as_period(rule: Rule, today: date, manifest: Manifest, language: str) -> Rule:
    """Say a rule as ``in_period`` with a canonical name; raise ``Unreadable``.

    A day that was spelt out ("12 May 2024") keeps its operator.
    """
    asked = rule.value if rule.operator == "between" else (_alone(rule.value),)
    names = [_spelling(value, language) for value in asked]
    if rule.operator != "in_period" and all(map(_is_day, names)):
        return replace(rule, value=names[0] if len(names) == 1 else tuple(names))
    text = "..".join(names)
    name = normalise_period(f"{_PREFIX.get(rule.operator, '')}{text}")
    if name is None:
        raise Unreadable(f'"{text[:60]}" is not a period.')
    resolve_period(name, today, hemisphere=manifest.hemisphere)
    return Rule(rule.field, "in_period", name)


def _alone(value: Any) -> Any:
    listed = isinstance(value, tuple | list) and len(value) == 1
    return value[0] if listed else value


def _spelling(value: Any, language: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Unreadable("A period is named by a string.")
    return _canonical(value, language) or value.strip()


def _canonical(text: str, language: str) -> str | None:
    """Read a name, or words for one; digits alone are ISO or nothing.

    12/05/2024 is a day in May or in December, so it is not guessed at.
    """
    if name := normalise_period(text):
        return name
    spelt = any(sign.isalpha() for sign in text)
    return read_period(text, language) if spelt else None


def _spans(value: Any, language: str) -> bool:
    """Tell a value that stands for more than a day, or that is no ISO date."""
    if isinstance(value, int) and not isinstance(value, bool):
        return 1000 <= value <= 9999  # noqa: PLR2004 - a year
    if not isinstance(value, str) or _is_day(value) or _DATE.match(value.strip()):
        return False
    name = _canonical(value, language)
    return name is not None and bounds(name)[0] == "in"


def _is_day(text: str) -> bool:
    return _DATE.fullmatch(text.strip()) is not None


def day(value: Any) -> str:
    """Read an ISO date; an instant at midnight without zone loses nothing."""
    moment = _moment(value)
    if isinstance(moment, datetime):
        if moment.timetz() != time():
            raise Unreadable(f'"{str(value)[:60]}" is more than a date.')
        moment = moment.date()
    return moment.isoformat()


def instant(value: Any, zone: str) -> str:
    """Read an ISO date, or an instant as UTC; a bare one is in the tenant's zone."""
    moment = _moment(value)
    if not isinstance(moment, datetime):
        return moment.isoformat()
    local = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))
    try:
        return utc(local)
    except OverflowError as error:
        raise Unreadable(f'"{str(value)[:60]}" is not in the calendar.') from error


def clock(value: Any, language: str) -> str:
    """Read a time of day as ``HH:MM:SS``, without a zone."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        found = time.fromisoformat(text)
    except ValueError:
        spoken = parse_time(text, language)
        found = time.max if spoken is None else spoken
    if found.tzinfo or found == time.max:
        raise Unreadable(f'"{str(value)[:60]}" is not a time of day.')
    return found.isoformat()


def _moment(value: Any) -> date | datetime:
    text = value.strip() if isinstance(value, str) else ""
    try:
        if _is_day(text):
            return date.fromisoformat(text)
        if _DATE.match(text) and "W" not in text:
            return datetime.fromisoformat(text)
    except ValueError:
        pass
    raise Unreadable(f'"{str(value)[:60]}" is not a date.')


def utc(moment: datetime) -> str:
    """Write an instant as ISO in UTC, with a Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def order(value: Any, *, end: bool = False) -> Any:
    """Give what puts two values of one field in order; a day ends after its hours."""
    if isinstance(value, str) and _is_day(value):
        return f"{value}T~" if end else f"{value}T"
    return value


@dataclass(frozen=True, slots=True)
class Span:
    """Two bounds as ISO dates, UTC instants or times; an empty one is none."""

    low: str = ""
    high: str = ""
    low_open: bool = False
    high_open: bool = True


def span(rule: Rule, field: Field, today: date, manifest: Manifest) -> Span:
    """Give what a checked rule on a date, an instant or a time spans.

    Days are half-open: a date as upper bound reaches up to the next day.
    """
    if rule.operator == "in_period":
        period = resolve_period(rule.value, today, hemisphere=manifest.hemisphere)
        return Span(*_edges(period, field, manifest.zone))
    low, high = _pair(rule)
    after, before = rule.operator == "after", rule.operator == "before"
    if after and low == date.max.isoformat():
        return Span(low=_LAST[field.type], low_open=True)
    if field.type is FieldType.TIME:
        return Span(low, high, after, before)
    return Span(
        low if "T" in low else _edge(low, field, manifest.zone, end=after),
        high if "T" in high else _edge(high, field, manifest.zone, end=not before),
        low_open="T" in low and after,
        high_open=before or "T" not in high,
    )


def _pair(rule: Rule) -> tuple[str, str]:
    if rule.operator == "between":
        return rule.value[0], rule.value[1]
    low = rule.value if rule.operator in ("equals", "after", "on_or_after") else ""
    high = rule.value if rule.operator in ("equals", "before", "on_or_before") else ""
    return low, high


def _edge(value: str, field: Field, zone: str, *, end: bool) -> str:
    """Give the midnight at which a day begins, or ends; the last day never ends."""
    if not value:
        return ""
    first = date.fromisoformat(value)
    if end and first == date.max:
        return ""
    return _edges(Period(first + _DAY if end else first, None), field, zone)[0]


def _edges(period: Period, field: Field, zone: str) -> tuple[str, str]:
    if field.type is FieldType.DATE:
        low, high = (d.isoformat() if d else "" for d in (period.start, period.end))
        return low, high
    first, last = (utc(i) if i else "" for i in instants(period, zone))
    return first, last

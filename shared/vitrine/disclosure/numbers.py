"""Which searches may tell numbers, and over which bounds they are counted.

A capped profile's numbers are in buckets, but a bucket has an edge: who pads a
question with documents that are known, or leaves one out, moves a count across it
and so learns of a single document (a tracker: Denning, Denning and Schwartz 1979).
So a number is told of a narrowing alone: every part must hold, each about one field
whose values are listed. Its limits are counted at the registry's steps, and dates by
whole months, always outwards.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from zoneinfo import ZoneInfo

from vitrine.language.folding import fold
from vitrine.language.words import languages, words
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.tree.conditions import (
    All,
    Any,
    Between,
    Condition,
    Member,
    Near,
    Not,
    Present,
    Text,
)
from vitrine.tree.moments import utc

_LISTED = frozenset(
    {
        FieldType.KEYWORD,
        FieldType.VOCABULARY,
        FieldType.COLOUR,
        FieldType.ORIENTATION,
        FieldType.BOOLEAN,
    }
)
_RUNS = re.compile(r"[^\W_]+")
_DENIED = re.compile(r"(?:^|\s)-")


def countable(
    condition: Condition, text: Text | None, registry: Registry
) -> Condition | None:
    """Give the condition by which a capped profile's numbers are counted.

    That is the search's own where every limit is a step, a wider one where not, and
    None where no number may be told.
    """
    if text is not None and not _is_plain(text.query):
        return None
    return _coarse(condition, registry)


def _coarse(condition: Condition, registry: Registry) -> Condition | None:
    """Move a condition's limits outwards; None for what is no narrowing."""
    if isinstance(condition, All):
        return _joined(All, condition.parts, registry)
    if isinstance(condition, Any):
        # Alternatives of one field are one list of its values.
        fields = {_field(part) for part in condition.parts}
        alike = len(fields) == 1 and None not in fields
        return _joined(Any, condition.parts, registry) if alike else None
    if isinstance(condition, Not):
        inner = condition.part
        # What a list leaves out is a list of values too; the complement of a range or
        # of a text has no such form.
        denied = isinstance(inner, Member | Present) and inner.field.type in _LISTED
        return condition if denied else None
    return _leaf(condition, registry)


def _joined(
    kind: type[All | Any], parts: tuple[Condition, ...], registry: Registry
) -> Condition | None:
    coarse = [_coarse(part, registry) for part in parts]
    # One part without a coarse form makes the whole untold: to count without it would
    # tell another question's number.
    kept = tuple(part for part in coarse if part is not None)
    return kind(kept) if len(kept) == len(parts) else None


def _field(part: Condition) -> str | None:
    match part:
        case Member(field) | Present(field) | Between(field) | Near(field):
            return field.key
    return None


def _leaf(condition: Condition, registry: Registry) -> Condition | None:
    match condition:
        case Text(query):
            return condition if _is_plain(query) else None
        case Member(field) | Present(field):
            return condition if field.type in _LISTED else None
        case Near(field):
            return condition if field.choices is not None else None
        case Between(field) if field.type is FieldType.NUMBER:
            return _stepped(condition)
        case Between(field) if field.type in (FieldType.DATE, FieldType.DATETIME):
            return _monthly(condition, registry.manifest.zone)
    return None


def _stepped(test: Between) -> Between | None:
    """Move limits out to the next step; a field without steps tells no number."""
    steps = sorted(Decimal(str(step)) for step in test.field.steps)
    if not steps:
        return None
    # Outwards alone: inwards, a count would leave out documents that the page shows.
    made = test
    if isinstance(test.low, Decimal) and test.low not in steps:
        at = bisect_right(steps, test.low)
        made = replace(made, low=steps[at - 1] if at else None, low_open=False)
    if isinstance(test.high, Decimal) and test.high not in steps:
        at = bisect_right(steps, test.high)
        beyond = at == len(steps)
        high = None if beyond else steps[at]
        made = replace(made, high=high, high_open=not beyond)
    return made


def _monthly(test: Between, zone: str) -> Between:
    """Move limits out to the beginnings of months, where the tenant is."""
    made = test
    if isinstance(test.low, str):
        made = replace(made, low=_month(test.low, zone), low_open=False)
    if isinstance(test.high, str):
        # Before the first of a month: these are whole months as they stand.
        begins = test.high == _month(test.high, zone)
        if not (begins and test.high_open):
            high = _month(test.high, zone, following=True)
            made = replace(made, high=high, high_open=high is not None)
    return made


def _month(moment: str, zone: str, *, following: bool = False) -> str | None:
    """Give the beginning of a moment's month, or of the next, in the same form.

    None where the calendar ends.
    """
    place = ZoneInfo(zone)
    try:
        if "T" in moment:
            first = _begun(datetime.fromisoformat(moment).astimezone(place), following)
            return utc(first.replace(tzinfo=place))
        return _begun(datetime.fromisoformat(moment), following).date().isoformat()
    except OverflowError:
        return None


def _begun(moment: datetime, following: bool) -> datetime:
    first = moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    # From a first, 31 days reach the next month, however long, and never the one after.
    return (first + timedelta(days=31)).replace(day=1) if following else first


def _is_plain(query: str) -> bool:
    """Tell whether a text only adds words: no alternative, nothing denied."""
    if _DENIED.search(query):
        return False
    return not any(fold(word) in _joints() for word in _RUNS.findall(query))


@cache
def _joints() -> frozenset[str]:
    """Give each word by which some engine parts alternatives."""
    said = (word for lang in languages() for word in words(lang, "conjunctions/or"))
    return frozenset({"or", *(fold(word) for word in said if word.isalpha())})

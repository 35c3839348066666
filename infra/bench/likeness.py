"""When a value that was read is the gold one, however either is written.

Numbers compare as numbers, days and times as such. A text is the same where it folds
alike, or where every word of the shorter one has its like in the longer: the gold
texts are annotators' wording ("science fiction TV show" for science fiction).
"""

from __future__ import annotations

import re
from datetime import date, time
from typing import Any

from vitrine.language.clock import find_times, parse_time
from vitrine.language.coercion import to_bool, to_decimal
from vitrine.language.folding import fold, tokens
from vitrine.language.numbers import Unreadable
from vitrine.language.periods import Period, resolve_period
from vitrine.language.spoken import find_period, read_period
from vitrine.lexicon.senses import parts
from vitrine.registry.operators import FieldType

_DAY = re.compile(r"\D*(\d\d?)(?:st|nd|rd|th)?")


def alike(kind: FieldType, ours: Any, gold: Any, lang: str, today: date) -> bool:
    """Tell whether a value of a field of this type is the gold value."""
    if fold(str(ours)) == fold(str(gold)):
        return True
    try:
        return _alike(kind, ours, gold, lang, today)
    except Unreadable:
        return False


def _alike(kind: FieldType, ours: Any, gold: Any, lang: str, today: date) -> bool:
    if kind is FieldType.NUMBER:
        return to_decimal(ours, lang) == to_decimal(gold, lang)
    if kind is FieldType.BOOLEAN:
        return to_bool(ours) is to_bool(gold, lang)
    if kind is FieldType.TIME:
        clock = _time(ours, lang)
        return clock is not None and clock == _time(gold, lang)
    if kind in {FieldType.DATE, FieldType.DATETIME}:
        return _days(ours, gold, lang, today)
    return worded(str(ours), str(gold))


def _time(text: str, lang: str) -> time | None:
    found = find_times(tokens(text), lang)
    return parse_time(text, lang) or (found[0].time if found else None)


def _days(ours: str, gold: str, lang: str, today: date) -> bool:
    one, other = _period(ours, lang, today), _period(gold, lang, today)
    if one is not None and other is not None:
        return one == other
    day = _DAY.fullmatch(fold(gold))
    single = one is not None and one.start is not None
    return bool(single and day and one and one.start and one.start.day == int(day[1]))


def _period(text: str, lang: str, today: date) -> Period | None:
    named = read_period(text, lang)
    found = find_period(tokens(text), lang)
    name = named or (found[0].name if found else None)
    return resolve_period(name, today) if name else None


def worded(ours: str, gold: str) -> bool:
    """Tell whether each word of the shorter text has its like in the longer."""
    short, long = sorted((parts(ours), parts(gold)), key=lambda p: len(p[0]))
    return any(
        all(any(a.senses & b.senses for b in longer) for a in shorter)
        for shorter in short
        for longer in long
    )

"""Times of day: ``19:30``, ``7 pm``, ``half past six``, ``19 h 30``, ``midi``."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import time
from typing import Final

from vitrine.language.folding import Token, tokens
from vitrine.language.numbers import spell
from vitrine.language.phrases import Span, phrases
from vitrine.language.words import FALLBACK, words

__all__ = ["TimeSpan", "find_times", "parse_time"]

Tokens = Sequence[Token]

_CLOCK: Final = re.compile(r"(\d\d?)[:h]([0-5]\d)(?::([0-5]\d))?")
_GLUED: Final = re.compile(r"(\d\d?)(?:[:.]([0-5]\d))?(am|pm|h)")
_PARTS: Final = {"half": 30, "quarter": 15, "before": -15}
_NOON: Final = 12
_DAY: Final = 24 * 60


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time of day found: tokens ``start`` up to ``end``."""

    start: int
    end: int
    time: time


def parse_time(text: str, lang: str = FALLBACK) -> time | None:
    """Read a whole text as a time of day, None where it is none."""
    found = tokens(text)
    span = _at(found, 0, lang) if found else None
    return span.time if span and span.end == len(found) else None


def find_times(found: Tokens, lang: str) -> list[TimeSpan]:
    """Return the times of day of a sentence; a bare number is none."""
    return list(_walk(found, lang))


def _walk(found: Tokens, lang: str) -> Iterator[TimeSpan]:
    at = 0
    while at < len(found):
        span = _at(found, at, lang)
        if span:
            yield span
        at = span.end if span else at + 1


def _at(found: Tokens, at: int, lang: str) -> TimeSpan | None:
    cue = _cue(found, at, lang)
    if cue and cue.key in {"noon", "midnight"}:
        return _made(at, cue.end, _NOON * 60 if cue.key == "noon" else 0)
    if words(lang, "clock_first") and cue and cue.key in _PARTS:
        return _parted(found, at, cue, lang)
    return _written(found, at, lang) or _spoken(found, at, lang)


def _cue(found: Tokens, at: int, lang: str) -> Span | None:
    return phrases(lang, "clock").at(found, at, inflected=False)


def _parted(found: Tokens, at: int, cue: Span, lang: str) -> TimeSpan | None:
    """Read ``half past six``: the part comes first, the hour after."""
    hour = _hour(found, cue.end, lang)
    if hour is None:
        return None
    value, end = _halved(found, hour[0], hour[1], lang)
    return _made(at, end, value * 60 + _PARTS[cue.key])


def _written(found: Tokens, at: int, lang: str) -> TimeSpan | None:
    """Read ``19:30``, ``7:30pm``, ``19h30``: one token, perhaps am or pm."""
    if match := _CLOCK.fullmatch(found[at].folded):
        hour, end = _halved(found, int(match[1]), at + 1, lang)
        return _made(at, end, hour * 60 + int(match[2]), int(match[3] or 0))
    match = _GLUED.fullmatch(found[at].folded)
    if not match:
        return None
    hour = _turned(int(match[1]), match[3])
    minutes, end = int(match[2] or 0), at + 1
    if match[3] == "h":
        more, end = _minutes(found, end, lang)
        minutes += more
        hour, end = _halved(found, hour, end, lang)
    return _made(at, end, hour * 60 + minutes)


def _spoken(found: Tokens, at: int, lang: str) -> TimeSpan | None:
    """Read ``7 pm``, ``seven o'clock``, ``19 h 30``, ``sept heures et demie``."""
    hour = _hour(found, at, lang)
    cue = _cue(found, hour[1], lang) if hour else None
    if not hour or not cue or cue.key not in {"am", "pm", "hour"}:
        return None
    if cue.key != "hour":
        return _made(at, cue.end, _turned(hour[0], cue.key) * 60)
    minutes, end = _minutes(found, cue.end, lang)
    value, end = _halved(found, hour[0], end, lang)
    return _made(at, end, value * 60 + minutes)


def _minutes(found: Tokens, at: int, lang: str) -> tuple[int, int]:
    """Read what follows the hour: digits, ``et demie``, ``moins le quart``."""
    if at < len(found) and re.fullmatch(r"[0-5]\d", found[at].folded):
        return int(found[at].folded), at + 1
    cue = _cue(found, at, lang)
    if cue and cue.key in _PARTS and not words(lang, "clock_first"):
        return _PARTS[cue.key], cue.end
    return 0, at


def _hour(found: Tokens, at: int, lang: str) -> tuple[int, int] | None:
    if at >= len(found):
        return None
    if re.fullmatch(r"\d\d?", found[at].folded):
        return int(found[at].folded), at + 1
    value, read = spell([token.folded for token in found[at : at + 2]], lang)
    return (int(value), at + read) if read and value == int(value) else None


def _halved(found: Tokens, hour: int, at: int, lang: str) -> tuple[int, int]:
    """Take am, pm or their words behind an hour."""
    cue = _cue(found, at, lang)
    if not cue or cue.key not in {"am", "pm"}:
        return hour, at
    return _turned(hour, cue.key), cue.end


def _turned(hour: int, half: str) -> int:
    """Return the hour of 24; twelve in the morning is midnight."""
    if half == "h" or hour > _NOON:
        return hour
    return hour % _NOON + (_NOON if half == "pm" else 0)


def _made(start: int, end: int, minutes: int, seconds: int = 0) -> TimeSpan | None:
    if not 0 <= minutes < _DAY or seconds >= 60:  # noqa: PLR2004 - seconds of a minute
        return None
    return TimeSpan(start, end, time(minutes // 60, minutes % 60, seconds))

"""The slots of spoken periods: a day, a month, a year, a written date, read at a token.

Each reader gives the value as text and the token after it, or nothing. What is no
date of the calendar is not read.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Final

from vitrine.language.folding import Token, fold
from vitrine.language.numbers import spell
from vitrine.language.periods import normalise_period
from vitrine.language.phrases import phrases
from vitrine.language.words import words

Tokens = Sequence[Token]
Element = str
Reading = tuple[str, int]
Read = Callable[[Tokens, int, str], Reading | None]

_ISO: Final = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?|(\d{4})-([qh][1-4]|w\d\d)")
_NUMERIC: Final = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)")
_YEAR_FIRST: Final = re.compile(r"(\d{4})[./](\d{1,2})[./](\d{1,2})")
_MONTH_YEAR: Final = re.compile(r"(\d{1,2})/(\d{4})")
_YEARS: Final = re.compile(r"([12]\d{3})-([12]\d{3})")
_YEAR: Final = re.compile(r"[12]\d{3}")
_ROMAN: Final = {"i": 1, "v": 5, "x": 10}
_PIVOT: Final = 70  # two-digit years from 70 on are of the last century (POSIX)
_MONTHS: Final = 12
_DAYS: Final = 31
_CENTURIES: Final = 21
_FULL_YEAR: Final = 4


def readings(found: Tokens, at: int, element: Element, lang: str) -> list[Reading]:
    """Return the readings of one word or slot at a token, with where they end."""
    if at >= len(found):
        return []
    if not element.startswith("{"):
        return [("", at + 1)] if found[at].folded == element else []
    read = _SLOTS[element[1:-1]](found, at, lang)
    return [read] if read else []


def _listed(table: str) -> Read:
    def read(found: Tokens, at: int, lang: str) -> Reading | None:
        span = phrases(lang, f"calendar/{table}").at(found, at, inflected=False)
        if span is None:
            return None
        dotted = span.end < len(found) and found[span.end].folded == "."
        shortened = dotted and found[span.end].start == found[span.end - 1].end
        inside = shortened and span.end + 1 < len(found) and table == "months"
        return span.key, span.end + 1 if inside else span.end

    return read


def day(found: Tokens, at: int, lang: str) -> Reading | None:
    """Read a day of the month, as figures with or without an ending."""
    if at >= len(found):
        return None
    endings = "|".join(words(lang, "calendar/day_endings"))
    match = re.fullmatch(rf"(\d\d?)(?:{endings})?", found[at].folded)
    return (match[1], at + 1) if match and 1 <= int(match[1]) <= _DAYS else None


def _ordinal(found: Tokens, at: int, lang: str) -> Reading | None:
    """Read a day with its ending: "the 12th" is a day where "the 12" may be many."""
    read = day(found, at, lang)
    return read if read and not found[at].folded.isdigit() else None


def _year(found: Tokens, at: int, _: str) -> Reading | None:
    return (found[at].folded, at + 1) if _YEAR.fullmatch(found[at].folded) else None


def _count(found: Tokens, at: int, lang: str) -> Reading | None:
    folded = found[at].folded
    if re.fullmatch(r"\d{1,4}", folded):
        return folded, at + 1
    value, read = spell([token.folded for token in found[at : at + 4]], lang)
    return (str(value), at + read) if read and value == int(value) else None


def decade(found: Tokens, at: int, lang: str) -> Reading | None:
    """Read ``1960s``, ``60s``; French says the plural before (années 60)."""
    endings = words(lang, "calendar/decade_endings")
    text, end = found[at].folded, at + 1
    if end < len(found) and found[end].folded in endings:
        text, end = text + found[end].folded, end + 1
    spoken = "|".join(endings) + ("|" if words(lang, "calendar/decade_plain") else "")
    match = re.fullmatch(rf"((?:\d\d)?\d0)(?:{spoken})", text)
    if not match:
        return None
    return match[1] if len(match[1]) == _FULL_YEAR else f"19{match[1]}", end


def century(found: Tokens, at: int, lang: str) -> Reading | None:
    """Read ``19th`` and ``XIXe``, up to the 21st."""
    endings = "|".join(map(fold, words(lang, "calendar/century_endings")))
    match = re.fullmatch(rf"(\d\d?|[ivx]+)(?:{endings})", found[at].folded)
    if not match:
        return None
    number = int(match[1]) if match[1].isdigit() else _roman(match[1])
    return (str(number), at + 1) if 1 <= number <= _CENTURIES else None


def _roman(text: str) -> int:
    values = [_ROMAN[sign] for sign in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


def _iso(found: Tokens, at: int, lang: str) -> Reading | None:
    """Read a written date; two readings of one are parted by a bar."""
    text = found[at].folded
    names = _written(text, lang)
    return ("|".join(names), at + 1) if names else None


def _written(text: str, lang: str) -> list[str]:
    if match := _YEARS.fullmatch(text):
        return [f"{match[1]}..{match[2]}"] if match[1] < match[2] else []
    if _ISO.fullmatch(text):
        name = normalise_period(text)
        return [name] if name else []
    if match := _YEAR_FIRST.fullmatch(text):
        return _dates([(int(match[1]), int(match[2]), int(match[3]))])
    if match := _MONTH_YEAR.fullmatch(text):
        month = int(match[1])
        return [f"{match[2]}-{month:02}"] if 1 <= month <= _MONTHS else []
    match = _NUMERIC.fullmatch(text)
    return _ordered(match, lang) if match else []


def _ordered(match: re.Match[str], lang: str) -> list[str]:
    """Read day and month in the locale's order, then in the other one."""
    one, two, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) != _FULL_YEAR:
        year += 1900 if year >= _PIVOT else 2000
    readings = [(year, two, one), (year, one, two)]
    if words(lang, "calendar/numeric_order") == "mdy":
        readings.reverse()
    return _dates(readings)


def _dates(readings: list[tuple[int, int, int]]) -> list[str]:
    named = (iso_name(*reading) for reading in readings)
    return list(dict.fromkeys(name for name in named if name))


def iso_name(year: int, month: int, day: int | None) -> str | None:
    """Name a month or a day, or give nothing where the calendar has none."""
    if day is None:
        return f"{year:04}-{month:02}"
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


_SLOTS: Final[dict[str, Read]] = {
    "unit": _listed("units"),
    "span": _listed("spans"),
    "season": _listed("seasons"),
    "month": _listed("months"),
    "weekday": _listed("weekdays"),
    "quarter": _listed("quarters"),
    "half": _listed("halves"),
    "day": day,
    "ordinal": _ordinal,
    "year": _year,
    "n": _count,
    "decade": decade,
    "century": century,
    "iso": _iso,
}

HEADS: Final = tuple(f"{{{slot}}}" for slot in _SLOTS)

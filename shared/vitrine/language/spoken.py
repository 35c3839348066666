"""Periods as people say them, found in a sentence and given canonical names.

The forms stand in the data files as patterns (``the? last {unit}``): words, words
that may be missing, and slots. ``slots`` reads those, this module names what was
found, and ``periods`` alone knows the calendar.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from vitrine.language.folding import fold, tokens
from vitrine.language.periods import MONTHS, normalise_period
from vitrine.language.phrases import Span, is_stop, phrases, split
from vitrine.language.quantities import quantity_at, starts
from vitrine.language.slots import (
    HEADS,
    Element,
    Tokens,
    century,
    day,
    decade,
    iso_name,
    readings,
)
from vitrine.language.words import FALLBACK, words

__all__ = ["PeriodSpan", "find_period", "read_period"]


@dataclass(frozen=True, slots=True)
class PeriodSpan:
    """A period found: tokens ``start`` up to ``end`` and its canonical name.

    ``bare`` marks a plain year or month that no word introduces, which may be
    something else; ``other`` is the second reading of a date such as 03/04/2024.
    """

    start: int
    end: int
    name: str
    bare: bool = False
    other: str | None = None


class _Atom(NamedTuple):
    """One period without its bound; ``kind`` is the pattern's name."""

    kind: str
    end: int
    name: str
    other: str | None = None


def find_period(found: Tokens, lang: str) -> list[PeriodSpan]:
    """Return the periods of a sentence in order, none overlapping another."""
    return list(_walk(found, lang))


def read_period(text: str, lang: str = FALLBACK) -> str | None:
    """Return the canonical name of a whole text: a name, or words for one."""
    if name := normalise_period(text):
        return name
    found = tokens(text)
    span = _period(found, 0, lang) if found else None
    return span.name if span and span.end == len(found) else None


def _walk(found: Tokens, lang: str) -> Iterator[PeriodSpan]:
    at = 0
    while at < len(found):
        span = _period(found, at, lang)
        if span:
            yield span
            yield from (more := _decades(found, span, lang))
            at = more[-1].end if more else span.end
        else:
            at += 1


def _decades(found: Tokens, span: PeriodSpan, lang: str) -> list[PeriodSpan]:
    """Read the 1970 of ``années 1960 et 1970`` as the decade it is."""
    if not re.fullmatch(r"\d{3}0s", span.name):
        return []
    joined = phrases(lang, "conjunctions").at(found, span.end, inflected=False)
    read = (
        decade(found, joined.end, lang) if joined and joined.end < len(found) else None
    )
    if not joined or not read:
        return []
    return [PeriodSpan(joined.end, read[1], f"{read[0]}s")]


def _period(found: Tokens, at: int, lang: str) -> PeriodSpan | None:
    return (
        _between(found, at, lang) or _bounded(found, at, lang) or _led(found, at, lang)
    )


def _bounded(found: Tokens, at: int, lang: str) -> PeriodSpan | None:
    for span in _heads(found, at, "periods/bounds", lang):
        if atom := _atom(found, span.end, lang):
            other = f"{span.key} {atom.other}" if atom.other else None
            return PeriodSpan(at, atom.end, f"{span.key} {atom.name}", other=other)
    return None


def _heads(found: Tokens, at: int, table: str, lang: str) -> Iterator[Span]:
    """Yield a table's phrases at a place, the longest first, then shorter ones.

    "since last month" must not lose its "last" to a longer bound.
    """
    compiled = phrases(lang, table)
    if found[at].folded not in compiled.heads:
        return
    for size in range(min(compiled.longest, len(found) - at), 0, -1):
        if keys := compiled.whole(found[at : at + size]):
            yield Span(at, at + size, keys)


def _led(found: Tokens, at: int, lang: str) -> PeriodSpan | None:
    sizes = [*_lead_sizes(found, at, lang)]
    whole = _atom(found, at, lang) if sizes else None
    if whole and whole.kind in _BOUND:
        sizes = []  # "over 6 months ago" is no day that "over" leads to
    for size in (*sizes, 0):
        if centuries := _centuries(found, at, at + size, lang):
            return centuries
        atom = _atom(found, at + size, lang)
        if not atom:
            continue
        if ranged := _to(found, at, atom, lang):
            return ranged
        return _tailed(found, at, atom, size, lang)
    return None


_BOUND: Final = frozenset({"long_ago", "short_ago"})


def _centuries(found: Tokens, start: int, at: int, lang: str) -> PeriodSpan | None:
    """Read ``18th and 19th centuries``, whose noun is said once."""
    first = century(found, at, lang) if at < len(found) else None
    if first is None or first[1] >= len(found):
        return None
    joined = phrases(lang, "conjunctions").at(found, first[1], inflected=False)
    between = found[first[1]].folded in _tos(lang) or (joined and joined.key == "and")
    second = _atom(found, first[1] + 1, lang) if between else None
    if second is None or second.kind != "century":
        return None
    name = f"century_{first[0]}..{second.name}"
    return PeriodSpan(start, second.end, name)


def _tailed(
    found: Tokens, at: int, atom: _Atom, size: int, lang: str
) -> PeriodSpan | None:
    """Take ``2019 or later`` as a bound, and a plain period otherwise."""
    span = phrases(lang, "periods/after").at(found, atom.end, inflected=False)
    if span:
        return PeriodSpan(at, span.end, f"{span.key} {atom.name}")
    bare = not size and atom.kind in _PLAIN
    if _chance(found, at + size, atom, lang) and (bare or atom.kind == "day_alone"):
        return None
    return PeriodSpan(at, atom.end, atom.name, bare, atom.other)


_PLAIN: Final = {"year", "month", "quarter", "weekday", "day_alone"}


def _chance(found: Tokens, at: int, atom: _Atom, lang: str) -> bool:
    """Tell "may" the verb from the month, "the 3rd floor" from a day."""
    if atom.kind == "month":
        return found[at].text.islower() and is_stop(found[at], lang)
    if atom.kind != "day_alone" or atom.end >= len(found):
        return False
    after = found[atom.end]
    return after.folded[:1].isalpha() and not is_stop(after, lang)


def _lead_sizes(found: Tokens, at: int, lang: str) -> list[int]:
    leads = _leads(lang).get(found[at].folded, [])
    return [len(lead) for lead in leads if starts(found, at, lead)]


@lru_cache(maxsize=16)
def _leads(lang: str) -> dict[str, list[tuple[str, ...]]]:
    """Group the words before a period by their first, the longest first."""
    cut = sorted({split(lead) for lead in words(lang, "periods/lead")}, key=len)
    grouped: dict[str, list[tuple[str, ...]]] = {}
    for lead in reversed(cut):
        grouped.setdefault(lead[0], []).append(lead)
    return grouped


def _to(found: Tokens, at: int, first: _Atom, lang: str) -> PeriodSpan | None:
    """Read ``March to June 2025``."""
    if first.end >= len(found) or found[first.end].folded not in _tos(lang):
        return None
    second = _atom(found, first.end + 1, lang)
    return _range(at, first, second, bare=False) if second else None


@lru_cache(maxsize=16)
def _tos(lang: str) -> frozenset[str]:
    return frozenset(map(fold, words(lang, "periods/to")))


Pair = tuple[tuple[str, ...], tuple[str, ...]]


@lru_cache(maxsize=16)
def _pairs(lang: str) -> dict[str, list[Pair]]:
    """Group the pairs (between, and) by their first word."""
    grouped: dict[str, list[Pair]] = {}
    for first, second in words(lang, "periods/between"):
        opening = split(first)
        grouped.setdefault(opening[0], []).append((opening, split(second)))
    return grouped


def _between(found: Tokens, at: int, lang: str) -> PeriodSpan | None:
    for opening, middle in _pairs(lang).get(found[at].folded, []):
        if not starts(found, at, opening):
            continue
        place = at + len(opening)
        for first in (_atom(found, place, lang), _day_alone(found, place, lang)):
            if not first or not starts(found, first.end, middle):
                continue
            second = _atom(found, first.end + len(middle), lang)
            if second and (span := _range(at, first, second, bare=True)):
                return span
    return None


def _day_alone(found: Tokens, at: int, lang: str) -> _Atom | None:
    """Read the 12 of ``du 12 au 20 mai``; the month comes from what follows."""
    read = day(found, at, lang)
    return _Atom("day", read[1], read[0]) if read else None


def _range(start: int, first: _Atom, second: _Atom, *, bare: bool) -> PeriodSpan | None:
    """Join two atoms; a year or month said once counts for both."""
    second = _carried(first, second)
    name = _shared(first, second)
    if name is None or ".." in name + second.name:
        return None
    years = first.kind == second.kind == "year"
    return PeriodSpan(start, second.end, f"{name}..{second.name}", bare and years)


def _carried(first: _Atom, second: _Atom) -> _Atom:
    """Give a day said alone the month before it: ``from March 3rd to the 8th``."""
    if second.kind != "day_alone" or first.kind not in _DATED:
        return second
    number = int(second.name.partition("_")[2])
    if first.kind == "date":
        name = f"{first.name[:8]}{number:02}"
    else:
        name = f"{first.name.rpartition('_')[0]}_{number}"
    return second._replace(kind=first.kind, name=name)


_DATED: Final = frozenset(
    {"date", "day_month", "this_month_day", "next_month_day", "last_month_day"}
)


def _shared(first: _Atom, second: _Atom) -> str | None:
    year = second.name[:4] if second.name[:4].isdigit() else None
    if first.kind == "day":
        return _same_month(int(first.name), second)
    if year is None or first.kind not in {"month", "day_month", "quarter"}:
        return first.name
    if first.kind == "quarter":
        return f"{year}-{first.name.upper()}"
    month, _, day = first.name.partition("_")
    number = MONTHS.index(month) + 1
    return iso_name(int(year), number, int(day) if day else None)


def _same_month(day: int, second: _Atom) -> str | None:
    if second.kind == "day_month":
        return f"{second.name.partition('_')[0]}_{day}"
    if second.kind == "date":
        return f"{second.name[:8]}{day:02}"
    return None


def _atom(found: Tokens, at: int, lang: str) -> _Atom | None:
    """Return the longest pattern that matches at a token."""
    if at >= len(found):
        return None
    best: _Atom | None = None
    for atom in _atoms(found, at, lang):
        if best is None or atom.end > best.end:
            best = atom
    if best and best.kind == "year" and _measured(found, at, best, lang):
        return None
    return best


def _atoms(found: Tokens, at: int, lang: str) -> Iterator[_Atom]:
    """Yield what matches, trying only patterns whose first element fits."""
    patterns = _patterns(lang)
    for head in (found[at].folded, *HEADS):
        for value, end in readings(found, at, head, lang) if head in patterns else ():
            fits = (
                _fit(found, kind, [(head, value)], (end, tail), lang)
                for kind, tail in patterns[head]
            )
            yield from (atom for atom in fits if atom)


def _measured(found: Tokens, at: int, atom: _Atom, lang: str) -> bool:
    """Tell a year from an amount: ``2000 euros`` is none."""
    quantity = quantity_at(found, at, lang)
    return quantity is not None and quantity.end > atom.end


Values = list[tuple[Element, str]]


def _fit(
    found: Tokens,
    kind: str,
    values: Values,
    rest: tuple[int, tuple[Element, ...]],
    lang: str,
) -> _Atom | None:
    """Match the rest of a pattern, then name what its slots hold."""
    at, tail = rest
    if not tail:
        slots = {key[1:-1]: value for key, value in values if key.startswith("{")}
        name, other = _named(kind, slots)
        return _Atom(kind, at, name, other) if name else None
    for value, end in readings(found, at, tail[0], lang):
        taken = [*values, (tail[0], value)]
        if atom := _fit(found, kind, taken, (end, tail[1:]), lang):
            return atom
    return None


Tails = list[tuple[str, tuple[Element, ...]]]


@lru_cache(maxsize=16)
def _patterns(lang: str) -> dict[Element, Tails]:
    """Expand what may be missing and group the patterns by first element."""
    grouped: dict[Element, Tails] = {}
    for kind, forms in words(lang, "periods/atoms").items():
        for head, *tail in (form for text in forms for form in _expanded(text)):
            grouped.setdefault(head, []).append((kind, tuple(tail)))
    return grouped


def _expanded(pattern: str) -> Iterator[tuple[Element, ...]]:
    choices = [_choices(element) for element in pattern.split()]
    for form in product(*choices):
        yield tuple(element for part in form for element in part)


def _choices(element: str) -> list[tuple[Element, ...]]:
    if element.startswith("{"):
        return [(element,)]
    if element.endswith("?"):
        return [split(element[:-1]), ()]
    return [split(element)]


_NAMES: Final = {
    "last_unit": "last_{unit}",
    "this_unit": "this_{unit}",
    "next_unit": "next_{unit}",
    "last_season": "last_{season}",
    "this_season": "this_{season}",
    "next_season": "next_{season}",
    "last_month_name": "last_{month}",
    "this_month_name": "this_{month}",
    "next_month_name": "next_{month}",
    "last_weekday": "last_{weekday}",
    "next_weekday": "next_{weekday}",
    "weekday": "{weekday}",
    "last_rolling": "last_{n}_{span}",
    "last_one": "last_1_{span}",
    "next_rolling": "next_{n}_{span}",
    "ago": "{n}_{span}_ago",
    "long_ago": "before {n}_{span}_ago",
    "short_ago": "since {n}_{span}_ago",
    "day_month": "{month}_{day}",
    "this_month_day": "this_month_{day}",
    "next_month_day": "next_month_{day}",
    "last_month_day": "last_month_{day}",
    "this_week_day": "{weekday}_this_week",
    "next_week_day": "{weekday}_next_week",
    "month": "{month}",
    "season_year": "{season}_{year}",
    "quarter_year": "{year}-Q{quarter}",
    "quarter": "q{quarter}",
    "half_year": "{year}-H{half}",
    "decade": "{decade}s",
    "century": "century_{century}",
    "year": "{year}",
}
_DAYS: Final = {"last_day": "yesterday", "this_day": "today", "next_day": "tomorrow"}


def _named(kind: str, slots: dict[str, str]) -> tuple[str | None, str | None]:
    """Return the canonical name of a matched pattern, and its second reading."""
    if kind == "iso":
        first, _, second = slots["iso"].partition("|")
        return first, second or None
    if kind in {"date", "month_year"}:
        day = int(slots["day"]) if "day" in slots else None
        return iso_name(int(slots["year"]), int(slots["month"]), day), None
    if kind == "day_alone":
        return f"day_{int(slots.get('ordinal') or slots['day'])}", None
    if kind == "week_year":
        return normalise_period(f"{slots['year']}-W{int(slots['n']):02}"), None
    if "month" in slots:
        slots = slots | {"month": MONTHS[int(slots["month"]) - 1]}
    name = _NAMES.get(kind, kind).format(**slots)
    return normalise_period(_DAYS.get(name, name)), None

"""Deterministic sentences, from the templates of the data files.

Other rooms say what ran, what is missing and what to do next with keys of their
own under ``sentences``; this module only fills them in for a language.
"""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from vitrine.language.periods import MONTHS, SEASONS, WEEKDAYS, bounds, normalise_period
from vitrine.language.words import words

__all__ = ["format_date", "format_number", "join", "quote", "say", "say_period"]

_DAY: Final = re.compile(rf"\d{{4}}-\d\d-\d\d|(?:{'|'.join(MONTHS)})_\d\d?")


def say(key: str, lang: str, **args: Any) -> str:
    """Fill a template: numbers, dates and lists are written as the locale does.

    A template with ``one`` and ``other`` follows the argument ``count``. Raises
    KeyError for an unknown key or a missing argument.
    """
    template = words(lang, "sentences")[key]
    if isinstance(template, dict):
        template = template["one" if _singular(args["count"], lang) else "other"]
    written = {name: _written(value, lang) for name, value in args.items()}
    return str(template).format(**written)


def _singular(count: int, lang: str) -> bool:
    """Follow CLDR: English counts one thing, French anything under two."""
    low, high = words(lang, "formats/singular")
    size = abs(count)
    return bool(low <= (size if low == high else int(size)) <= high)


def _written(value: Any, lang: str) -> str:
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int | float | Decimal):
        return format_number(value, lang)
    if isinstance(value, date):
        return format_date(value, lang)
    if isinstance(value, Sequence):
        return join([_written(item, lang) for item in value], lang)
    return str(value)


def format_number(value: float | Decimal, lang: str) -> str:
    """Write a number with the locale's marks and no digit added: ``1,226.5``."""
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    marks = words(lang, "formats")
    grouped = f"{exact:,f}"
    swap = {",": marks["group"], ".": marks["decimal"]}
    return "".join(swap.get(sign, sign) for sign in grouped)


def format_date(day: date, lang: str) -> str:
    """Write a day with its month's name: ``12 May 2024``, ``1er mai 2024``."""
    number = str(day.day) if day.day > 1 else words(lang, "calendar/first_day")
    template: str = words(lang, "calendar/date_format")
    month = words(lang, f"calendar/months/{day.month}")[0]
    return template.format(day=number, month=_cased(month, lang), year=day.year)


def _cased(month: str, lang: str) -> str:
    capital: bool = words(lang, "formats/capital_months")
    return month.capitalize() if capital else month


def join(items: Sequence[str], lang: str, last: str = "and") -> str:
    """Join items as a sentence does: ``a, b and c``; ``last`` is and or or."""
    if len(items) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(items)
    marks: dict[str, str] = words(lang, "lists")
    return marks["comma"].join(items[:-1]) + marks[last] + items[-1]


def quote(text: str, lang: str) -> str:
    """Put a text between the locale's quotation marks."""
    marks = words(lang, "formats")
    return f"{marks['open_quote']}{text}{marks['close_quote']}"


def say_period(name: str, lang: str) -> str:
    """Say a canonical period name in a language; an unknown one comes back."""
    canonical = normalise_period(name)
    if canonical is None:
        return name
    bound, first, second = bounds(canonical)
    if bound == "in":
        return _atom(first, lang)
    args = {"first": _bound(first, lang)}
    if second:
        args["second"] = _bound(second, lang)
    return _contracted(say(f"period.{bound}", lang, **args), lang)


def _bound(name: str, lang: str) -> str:
    """Say an atom behind a preposition, where French days take an article."""
    said = _atom(name, lang)
    return say("period.day", lang, day=said) if _DAY.fullmatch(name) else said


def _contracted(text: str, lang: str) -> str:
    for apart, joined in words(lang, "contractions"):
        text = text.replace(apart, joined)
    return text


def _atom(name: str, lang: str) -> str:
    if f"period.{name}" in words(lang, "sentences"):
        return say(f"period.{name}", lang)
    if "_" in name:
        head, *rest = name.split("_")
        monthly = rest[0] == "month" and len(rest) > 1
        dayed = head == "day" or head in WEEKDAYS or monthly
        return (_dayed if dayed else _worded)(head, rest, lang)
    return _numbered(name, lang)


def _worded(head: str, rest: list[str], lang: str) -> str:
    """Say ``last_30_days``, ``3_days_ago``, ``spring_2024``, ``last_may``."""
    if rest[-1] == "ago":
        return say(f"period.{rest[0]}_ago", lang, count=int(head))
    if len(rest) == 2:  # noqa: PLR2004 - which, count, span
        return say(f"period.{head}_{rest[1]}", lang, count=int(rest[0]))
    if head in SEASONS:
        return say(f"period.{head}_year", lang, year=rest[0])
    if head == "century":
        return say("period.century", lang, number=_century(rest[0], lang))
    if head in MONTHS:
        return _day(int(rest[0]), head, lang)
    return say(f"period.{head}_name", lang, name=_name(rest[0], lang))


def _dayed(head: str, rest: list[str], lang: str) -> str:
    """Say ``day_12``, ``this_month_12``, ``friday_next_week``."""
    if head == "day":
        return say("period.day_number", lang, number=int(rest[0]))
    if head in WEEKDAYS:
        return say(f"period.{rest[0]}_week_day", lang, name=_name(head, lang))
    return say(f"period.{head}_month_day", lang, number=int(rest[1]))


def _century(number: str, lang: str) -> str:
    names: dict[str, str] = words(lang, "calendar/centuries")
    return names.get(number, number)


def _day(number: int, month: str, lang: str) -> str:
    written = str(number) if number > 1 else words(lang, "calendar/first_day")
    template: str = words(lang, "calendar/date_format")
    return template.format(day=written, month=_name(month, lang), year="").strip()


def _name(word: str, lang: str) -> str:
    if word in MONTHS:
        month = words(lang, f"calendar/months/{MONTHS.index(word) + 1}")[0]
        return _cased(month, lang)
    if word in WEEKDAYS:
        return str(words(lang, f"calendar/weekdays/{word}")[0])
    return word


def _numbered(name: str, lang: str) -> str:
    """Say ``2024``, ``2024-02``, ``2024-02-11``, ``2024-Q3``, ``1990s``."""
    year, dash, rest = name.partition("-")
    if name.endswith("0s"):
        return say("period.decade", lang, year=name[:-1])
    if not dash:
        return _name(name, lang) if name[0] != "q" else name.upper()
    if rest[0] in "QHW":
        kind = {"Q": "quarter", "H": "half", "W": "week"}[rest[0]]
        number = rest[1:].lstrip("0")
        return say(f"period.{kind}_year", lang, number=number, year=year)
    if len(rest) > 2:  # noqa: PLR2004 - a day
        return format_date(date.fromisoformat(name), lang)
    return f"{_name(MONTHS[int(rest) - 1], lang)} {year}"

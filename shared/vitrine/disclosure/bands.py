"""Bands of a number as they are read: ``100..200`` is "€100 – €200"."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from vitrine.disclosure.prices import price
from vitrine.language.money import from_minor
from vitrine.language.sentences import format_number, say
from vitrine.language.words import language
from vitrine.registry.fields import Field

BETWEEN = ".."


def band(field: Field, value: str, tongue: str) -> tuple[str, str]:
    """Give a stored band in the unit that filters take, and its label.

    The low bound is included and the high one excluded; the first band has no low
    bound, the last no high one. What is no band comes back as it is.
    """
    return _band(field.currency, field.unit or "", value, tongue)


@lru_cache(4_096)
def _band(currency: str | None, unit: str, value: str, tongue: str) -> tuple[str, str]:
    low, dots, high = value.partition(BETWEEN)
    if not dots:
        return value, value
    told = BETWEEN.join((_amount(currency, low), _amount(currency, high)))
    lang = language(tongue)
    shown = (_shown(currency, unit, low, lang), _shown(currency, unit, high, lang))
    return told, _label(shown, lang)


def _label(bounds: tuple[str, str], lang: str) -> str:
    low, high = bounds
    if low and high:
        return f"{low} – {high}"
    return say("band.from", lang, low=low) if low else say("band.to", lang, high=high)


def _amount(currency: str | None, bound: str) -> str:
    if not bound or currency is None:
        return bound
    amount = from_minor(int(Decimal(bound)), currency)
    return f"{amount.normalize():f}"


def _shown(currency: str | None, unit: str, bound: str, lang: str) -> str:
    if not bound:
        return ""
    number = Decimal(bound)
    if currency is None:
        written = format_number(number, lang)
        return f"{written} {unit}" if unit else written
    told = price(number, currency, lang)
    return told["display"] if told else bound

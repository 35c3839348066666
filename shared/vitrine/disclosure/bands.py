"""Bands of a number as they are read: ``100..200`` is "€100 – €200"."""

from __future__ import annotations

from decimal import Decimal

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
    low, dots, high = value.partition(BETWEEN)
    if not dots:
        return value, value
    told = BETWEEN.join((_amount(field, low), _amount(field, high)))
    shown = (_shown(field, low, tongue), _shown(field, high, tongue))
    return told, _label(shown, language(tongue))


def _label(bounds: tuple[str, str], lang: str) -> str:
    low, high = bounds
    if low and high:
        return f"{low} – {high}"
    return say("band.from", lang, low=low) if low else say("band.to", lang, high=high)


def _amount(field: Field, bound: str) -> str:
    if not bound or field.currency is None:
        return bound
    amount = from_minor(int(Decimal(bound)), field.currency)
    return f"{amount.normalize():f}"


def _shown(field: Field, bound: str, tongue: str) -> str:
    if not bound:
        return ""
    number = Decimal(bound)
    if field.currency is None:
        written = format_number(number, language(tongue))
        return f"{written} {field.unit}" if field.unit else written
    told = price(number, field.currency, tongue)
    return told["display"] if told else bound

"""Amounts of money: symbols, names and codes, before or after the number."""

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from vitrine.language.folding import fold
from vitrine.language.numbers import Ambiguous, Unreadable, parse_number, parts
from vitrine.language.words import FALLBACK, words

__all__ = ["Money", "currency_of", "from_minor", "parse_money", "to_minor"]

# ISO 4217 minor units other than two digits, of the currencies we name.
_MINOR: Final = {"JPY": 0, "KRW": 0, "XOF": 0, "KWD": 3, "TND": 3}


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in a currency, with the reading that the locale did not choose."""

    amount: Decimal
    currency: str
    other: Decimal | None = None


@lru_cache(maxsize=16)
def _names(lang: str) -> dict[str, str]:
    table: dict[str, list[str]] = words(lang, "currencies")
    return {fold(name): code for code, names in table.items() for name in names}


def currency_of(name: str, lang: str = FALLBACK) -> str | None:
    """Return the ISO 4217 code of a symbol, name or code."""
    return _names(lang).get(fold(name))


def parse_money(text: str, lang: str = FALLBACK) -> Money | None:
    """Read a whole text as an amount with its currency, else None.

    Three digits after a single mark are a group (``1.226 €`` is 1226): prices
    have two decimals. The other reading comes along.
    """
    for head, tail in parts(text.strip(), lang):
        for amount, name in ((head, tail), (tail, head)):
            code = currency_of(name, lang)
            found = _money(amount, code, lang) if code else None
            if found:
                return found
    return _minor(text, lang)


def _money(amount: str, code: str, lang: str) -> Money | None:
    reading = parse_number(amount, lang)
    if reading is None:
        return None
    if not isinstance(reading, Ambiguous):
        return Money(reading, code)
    low, high = sorted((reading.value, reading.other), key=abs)
    grouped = _MINOR.get(code, 2) < 3  # noqa: PLR2004 - dinars have three decimals
    return Money(high, code, low) if grouped else Money(low, code, high)


def _minor(text: str, lang: str) -> Money | None:
    """Read ``50 cents``; whose cents they are, the field must say."""
    names = {fold(name) for name in words(lang, "minor_currency/cents")}
    for head, tail in parts(text.strip(), lang):
        reading = parse_number(head, lang) if fold(tail) in names else None
        if isinstance(reading, Decimal):
            return Money(reading / 100, "")
    return None


def to_minor(amount: Decimal, currency: str) -> int:
    """Return an amount in the currency's smallest unit (12.50 EUR is 1250).

    Raises Unreadable where the amount is finer than that unit.
    """
    scaled = amount.scaleb(_MINOR.get(currency, 2))
    if scaled != scaled.to_integral_value():
        raise Unreadable(f"{amount} {currency} is finer than the currency's cents.")
    return int(scaled)


def from_minor(cents: int, currency: str) -> Decimal:
    """Return the amount that a number of smallest units makes."""
    return Decimal(cents).scaleb(-_MINOR.get(currency, 2))

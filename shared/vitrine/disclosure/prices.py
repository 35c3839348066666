"""A price as a fact and as it is displayed."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from vitrine.language.money import from_minor
from vitrine.language.sentences import format_number
from vitrine.language.words import language, words

_NO_BREAK = "\N{NO-BREAK SPACE}"


def price(cents: Decimal, currency: str, tag: str) -> dict[str, str] | None:
    """Give an amount of whole cents as ``{amount, currency, display}``.

    ``amount`` is a plain decimal with all its digits ("49.90"), ``display`` what the
    locale writes ("€49.90", "49,90 €"); None where there are parts of a cent.
    """
    if cents != cents.to_integral_value():
        return None
    amount, display = _written(int(cents), currency, language(tag))
    return {"amount": amount, "currency": currency, "display": display}


@lru_cache(4_096)
def _written(cents: int, currency: str, lang: str) -> tuple[str, str]:
    """Write an amount plainly and as it is displayed.

    Kept, since the bounds of a facet's bands are on every page.
    """
    amount = from_minor(cents, currency)
    return f"{amount:f}", _display(amount, currency, lang)


def _display(amount: Decimal, currency: str, lang: str) -> str:
    names: dict[str, list[str]] = words(lang, "currencies")
    symbol = next((n for n in names.get(currency, ()) if not n[0].isalpha()), currency)
    number = format_number(abs(amount), lang)
    minus = "-" if amount < 0 else ""
    # CLDR: the sign leads in English and follows, after a space, in French.
    if words(lang, "formats/decimal") == ".":
        space = "" if symbol != currency else _NO_BREAK
        return f"{minus}{symbol}{space}{number}"
    return f"{minus}{number}{_NO_BREAK}{symbol}"

"""How each field type reads one JSON value: the same value said once and for all.

Reading is idempotent and keeps JSON. A value that would lose something raises
``Unfit``, or ``Unreadable`` with the sentence of the language room.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from vitrine.language.coercion import to_bool, to_decimal, to_float, to_text
from vitrine.language.colours import DEFAULT_TOLERANCE, parse_colour
from vitrine.language.folding import fold, squash
from vitrine.language.money import parse_money, to_minor
from vitrine.language.numbers import Unreadable
from vitrine.language.units import to_unit
from vitrine.language.words import languages, words
from vitrine.registry.capabilities import reach
from vitrine.registry.fields import Field
from vitrine.registry.operators import IDENTIFIER_PREFIX, ORIENTATIONS, FieldType
from vitrine.registry.profiles import Registry
from vitrine.tree import choices, moments
from vitrine.tree.model import STRING

# A conversion such as feet to centimetres ends somewhere; no catalogue is finer.
_DECIMALS = Decimal("1e-9")
# Past so many digits before the point, a decimal has no room for nine behind it.
_LARGE = 15


@dataclass(frozen=True, slots=True)
class Context:
    """What a value is read against."""

    registry: Registry
    language: str
    today: date


Remedy = str | Callable[[], str]
"""What would be right; a search for it waits until somebody wants to know."""


class Unfit(ValueError):  # noqa: N818 - reads as the sentence it carries
    """A value that its field can't take; ``at`` is its place below the value."""

    def __init__(
        self, code: str, message: str, remedy: Remedy = "", at: str = ""
    ) -> None:
        super().__init__(message)
        self.code, self.remedy, self.at = code, remedy, at


Read = Callable[[Any, Field, Context], Any]


def near(value: Any, context: Context) -> dict[str, Any]:
    """Read a colour with its tolerance, the default one where none is given."""
    tolerance = value.get("tolerance") if isinstance(value, dict) else None
    reach = to_decimal(DEFAULT_TOLERANCE if tolerance is None else tolerance)
    if not 0 <= reach <= 255:  # noqa: PLR2004 - a channel's width
        raise Unfit("bad_value", "A tolerance lies between 0 and 255.")
    return {"hex": _colour(value, context), "tolerance": _plain(reach)}


def _colour(value: Any, context: Context) -> str:
    return str(_spoken(context, lambda lang: parse_colour(value, lang)))


def _spoken(context: Context, read: Callable[[str], Any]) -> Any:
    """Read a word in the caller's language, then in any other that is known."""
    try:
        return read(context.language)
    except Unreadable:
        for lang in languages():
            try:
                return read(lang)
            except Unreadable:
                continue
        raise


def plain_text(value: Any) -> str:
    """Read a text, trimmed and composed (NFC); whole numbers are text as they are."""
    if isinstance(value, float):
        raise Unreadable(f"{value} is not text.")
    text = unicodedata.normalize("NFC", to_text(value)).strip()
    if not text:
        raise Unfit("missing_value", "The value is empty.", "Use is_empty for none.")
    if len(text) > STRING:
        raise Unfit("too_long", f"A string has at most {STRING} characters.")
    return text


def _words(value: Any) -> str:
    text = plain_text(value)
    if not any(sign.isalnum() for sign in text):
        raise Unfit(
            "bad_value", "The text holds no letter or digit.", "Search for a word."
        )
    return text


def _folded(value: Any) -> str:
    text = plain_text(value)
    if not fold(text):
        raise Unfit("bad_value", "The text holds nothing to compare with.")
    return text


def _identifier(value: Any) -> str:
    text = plain_text(value)
    if not squash(text):
        raise Unfit("bad_value", "An identifier needs letters or digits.")
    return text


def long_enough(code: str) -> None:
    """Refuse a beginning that would list half of the catalogue."""
    if len(squash(code)) < IDENTIFIER_PREFIX:
        raise Unfit(
            "bad_value",
            f"starts_with needs {IDENTIFIER_PREFIX} characters or more.",
            "Send more of the identifier.",
        )


def _number(value: Any, field: Field, context: Context) -> int | float:
    number = _amount(value, field, context)
    least, most = reach(context.registry.engine, field)
    if not least <= number <= most:
        raise Unfit(
            "out_of_range",
            f"{number:g} is more than this field can hold.",
            f"Send a number from {least:f} to {most:f}.",
        )
    return _plain(number)


def _amount(value: Any, field: Field, context: Context) -> Decimal:
    if field.unit:
        number = to_unit(value, field.unit, context.language)
        if number.adjusted() > _LARGE or number == round(number, 9):
            return number
        return number.quantize(_DECIMALS)
    money = parse_money(value, context.language) if isinstance(value, str) else None
    if money is None or not field.currency:
        return to_decimal(value, context.language)
    if money.currency not in ("", field.currency):
        raise Unfit(
            "bad_value",
            f"The amount is in {money.currency}, the field in {field.currency}.",
            f"Send the amount in {field.currency}.",
        )
    return money.amount


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else to_float(number)


def reachable(number: float, field: Field) -> None:
    """Refuse an exact value that no stored number can have."""
    exact = Decimal(str(number))
    if field.currency:
        to_minor(exact, field.currency)
    if field.integer and exact != exact.to_integral_value():
        raise Unfit(
            "bad_value", f"{number} is no whole number.", "Send a whole number."
        )


def _orientation(value: Any, context: Context) -> str:
    text = fold(plain_text(value))
    if text in ORIENTATIONS:
        return text
    for lang in (context.language, *languages()):
        for name, spellings in words(lang, "orientation").items():
            if text in map(fold, spellings):
                return str(name)
    raise Unfit(
        "unknown_value",
        f"{value!r} is no orientation.",
        f"Use {', '.join(ORIENTATIONS)}.",
    )


def _stored(value: Any, field: Field, context: Context) -> str:
    text = plain_text(value)
    if field.choices is None:
        # A value that a facet gave must come back as it is: spaces, marks and all.
        return choices.sampled(to_text(value), context.registry.sample(field.key))
    found = choices.spelled(field, text)
    if len(found) == 1:
        return found[0]
    code = "ambiguous_value" if found else "unknown_value"
    message = f"{field.key}: {text!r} is not in the list."
    if found:
        message = f"{field.key}: {text!r} means several values."
    raise Unfit(
        code,
        message,
        lambda: choices.remedy(field, found or choices.nearest(field, text)),
    )


def _label(value: Any, field: Field, _: Context) -> str:
    """Spell a label of a closed vocabulary; others are left to the resolve step."""
    text = plain_text(value)
    found = choices.spelled(field, text)
    return found[0] if len(found) == 1 else text


READERS: dict[FieldType, Read] = {
    FieldType.FULL_TEXT: lambda v, _f, _c: _words(v),
    FieldType.TEXT: lambda v, _f, _c: _folded(v),
    FieldType.KEYWORD: _stored,
    FieldType.IDENTIFIER: lambda v, _f, _c: _identifier(v),
    FieldType.NUMBER: _number,
    FieldType.DATE: lambda v, _f, _c: moments.day(v),
    FieldType.DATETIME: lambda v, _f, c: moments.instant(v, c.registry.manifest.zone),
    FieldType.TIME: lambda v, _f, c: moments.clock(v, c.language),
    FieldType.BOOLEAN: lambda v, _f, c: _spoken(c, lambda lang: to_bool(v, lang)),
    FieldType.VOCABULARY: _label,
    FieldType.COLOUR: lambda v, _f, c: _colour(v, c),
    FieldType.ORIENTATION: lambda v, _f, c: _orientation(v, c),
    FieldType.RELATION: lambda v, _f, _c: _words(v),
}

"""Lossless coercion of values that arrive as JSON or as text.

Models and agents send ``"2000"`` for a number and one string for a list. What
can be read without loss is read; anything else is refused with a sentence.
"""

import csv
import json
import math
import struct
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final, Literal

from vitrine.language.folding import fold
from vitrine.language.numbers import Ambiguous, Unreadable, parse_number
from vitrine.language.words import FALLBACK, words

__all__ = [
    "is_null_word",
    "to_bool",
    "to_decimal",
    "to_float",
    "to_int",
    "to_list",
    "to_text",
]

Bits = Literal[32, 64]
_DIGITS: Final = {32: 7, 64: 17}  # decimal digits that tell two floats apart
_SHOWN: Final = 60


def to_decimal(value: Any, lang: str = FALLBACK) -> Decimal:
    """Return a number exactly; refuse booleans, NaN and text with two readings."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise Unreadable(f"{shown(value)} is not a number.")
    if isinstance(value, str):
        return _from_text(value, lang)
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        raise Unreadable(f"{shown(value)} is not a finite number.")
    return number


def _from_text(value: str, lang: str) -> Decimal:
    found = parse_number(value, lang)
    if found is None:
        raise Unreadable(f"{shown(value)} is not a number.")
    if isinstance(found, Ambiguous):
        raise Unreadable(
            f"{shown(value)} can be read as {found.value} or {found.other}; "
            "write the number without a group mark."
        )
    return found


def to_int(value: Any, bits: Bits = 64, lang: str = FALLBACK) -> int:
    """Return a whole number within a signed 32- or 64-bit range."""
    number = to_decimal(value, lang)
    if number.adjusted() > bits or number != number.to_integral_value():
        raise Unreadable(f"{shown(value)} is not a whole number of {bits} bits.")
    whole = int(number)
    if not -(2 ** (bits - 1)) <= whole < 2 ** (bits - 1):
        raise Unreadable(f"{shown(value)} is outside the range of {bits} bits.")
    return whole


def to_float(value: Any, bits: Bits = 64, lang: str = FALLBACK) -> float:
    """Return a finite float, if one of 32 or 64 bits holds all digits given."""
    number = to_decimal(value, lang)
    result = _packed(float(number), bits)
    if math.isinf(result):
        raise Unreadable(f"{shown(value)} is outside the range of a {bits}-bit float.")
    if Decimal(f"{result:.{_DIGITS[bits]}g}") != number and not _near(result, number):
        raise Unreadable(f"{shown(value)} has more digits than a {bits}-bit float.")
    return float(number)


def _near(result: float, number: Decimal) -> bool:
    return Decimal(repr(result)) == number


def _packed(value: float, bits: Bits) -> float:
    if bits == 64 or math.isinf(value):  # noqa: PLR2004 - what an engine keeps
        return value
    try:
        (single,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(single)


def to_bool(value: Any, lang: str = FALLBACK) -> bool:
    """Return a boolean from true/false, yes/no in the language, 1 or 0."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in {0, 1}:
        return bool(value)
    found = _booleans(lang).get(fold(value)) if isinstance(value, str) else None
    if found is None:
        raise Unreadable(f"{shown(value)} is neither true nor false.")
    return found


@lru_cache(maxsize=16)
def _booleans(lang: str) -> dict[str, bool]:
    known = {"true": True, "false": False, "1": True, "0": False}
    for key, names in words(lang, "booleans").items():
        known |= dict.fromkeys(map(fold, names), key == "true")
    return known


def to_text(value: Any) -> str:
    """Return text as it is, leading zeros kept; numbers in plain digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise Unreadable(f"{shown(value)} is not text.")
    return format(to_decimal(value), "f")


def to_list(value: Any, *, numeric: bool = False, lang: str = FALLBACK) -> list[Any]:
    """Return a list from a list, a JSON list in a string, or separated items.

    A semicolon or a line break parts items before a comma does. With
    ``numeric`` a comma inside one number (``1,5``) parts nothing.
    """
    if isinstance(value, str):
        return _split(value.strip(), numeric=numeric, lang=lang)
    if isinstance(value, list | tuple):
        return _flat(value)
    if isinstance(value, dict) or value is None:
        raise Unreadable(f"{shown(value)} is not a list.")
    return [value]


def _flat(items: Sequence[Any]) -> list[Any]:
    if any(isinstance(item, list | tuple | dict) for item in items):
        raise Unreadable(f"{shown(list(items))} holds a list or an object.")
    return list(items)


def _split(text: str, *, numeric: bool, lang: str) -> list[Any]:
    if not text:
        return []
    if text.startswith("["):
        return _flat(_json(text))
    if numeric and parse_number(text, lang) is not None:
        return [text]
    mark = next((mark for mark in ";\n" if mark in text), ",")
    if numeric and mark == "," and ", " in text:
        return [item.strip() for item in text.split(", ") if item.strip()]
    return _items(text, mark)


def _json(text: str) -> list[Any]:
    try:
        found = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError, InvalidOperation) as error:
        raise Unreadable(f"{shown(text)} is not a JSON list.") from error
    return list(found)


def _items(text: str, mark: str) -> list[str]:
    if mark == "\n":
        parted = text.splitlines()
    else:
        parted = next(csv.reader([text], delimiter=mark, skipinitialspace=True), [])
    return [item.strip() for item in parted if item.strip()]


def is_null_word(value: Any, lang: str = FALLBACK) -> bool:
    """Tell whether a value is a word for "no value" (unknown, inconnu)."""
    return isinstance(value, str) and fold(value) in _nulls(lang)


@lru_cache(maxsize=16)
def _nulls(lang: str) -> frozenset[str]:
    return frozenset(map(fold, words(lang, "nulls/empty")))


def shown(value: Any) -> str:
    """Quote a value for a sentence, cut to 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"

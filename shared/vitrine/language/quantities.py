"""Amounts and comparisons in a sentence: what, how much, of which unit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final

from vitrine.language.folding import Token, fold
from vitrine.language.money import currency_of
from vitrine.language.numbers import Ambiguous, Reading, parse_number, spell
from vitrine.language.phrases import phrases, split
from vitrine.language.units import unit_of
from vitrine.language.words import words

__all__ = ["Comparison", "Quantity", "find_comparisons", "find_numbers"]

Tokens = Sequence[Token]

_GLUED: Final = re.compile(r"([\d.,]+)([^\W\d_]+\d?)", re.UNICODE)
_RANGE: Final = re.compile(r"(\d+(?:[.,]\d+)?)-(\d+(?:[.,]\d+)?)")
_FEET: Final = re.compile(r"(\d+)'(\d+)\"?")
_METRES: Final = re.compile(r"([1-9]) ?m ?([0-9]{2})")
_THOUSANDS: Final = re.compile(r"\d{3}(?:[.,]\d+)?")
_HEAD: Final = re.compile(r"[1-9]\d{0,2}")
_NUMERIC: Final = re.compile(r"\d+(?:[.,']\d+)*")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a sentence, tokens ``start`` up to ``end``, unit included."""

    start: int
    end: int
    amount: Decimal
    unit: str | None = None
    currency: str | None = None
    other: Decimal | None = None
    spelt: bool = False  # in words: "ten"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A bound in a sentence; ``operator`` is the tree's, or ``about``.

    ``between`` has both amounts. ``dimension`` is what the words name (height,
    price, size …), None where they name nothing.
    """

    start: int
    end: int
    operator: str
    low: Quantity
    high: Quantity | None = None
    dimension: str | None = None


def find_numbers(found: Tokens, lang: str) -> list[Quantity]:
    """Return the numbers of a sentence with the unit or currency beside them."""
    return list(_numbers(found, lang))


def _numbers(found: Tokens, lang: str) -> Iterator[Quantity]:
    at = 0
    while at < len(found):
        quantity = quantity_at(found, at, lang)
        if quantity:
            yield quantity
        at = quantity.end if quantity else at + 1


def quantity_at(found: Tokens, at: int, lang: str) -> Quantity | None:
    """Return the amount that starts at a token, None where none does."""
    if at >= len(found):
        return None
    code = _prefixed(found[at].text, lang)
    dot = at + 1 < len(found) and found[at + 1].text == "."  # "Rs. 500"
    if code and (amount := _amount(found, at + 1 + dot, lang)):
        return replace(amount, start=at, currency=code)
    return _special(found, at) or _measured(found, at, lang)


def _prefixed(name: str, lang: str) -> str | None:
    """Give the currency that stands before its amount: a sign, a code, or Rs.

    Other words behind a number may follow it by chance: "yen 5" is not said.
    """
    code = currency_of(name, lang)
    written = not name.isalnum() or name == code
    return code if written or fold(name) in words(lang, "currency_before") else None


def _special(found: Tokens, at: int) -> Quantity | None:
    """Read ``5'3`` and ``1 m 80``, ``1m80``: two units in one amount."""
    if match := _FEET.fullmatch(found[at].folded):
        inches = Decimal(match[1]) * 12 + Decimal(match[2])
        return Quantity(at, at + 1, inches, "in")
    for size in (3, 2, 1):
        text = " ".join(token.folded for token in found[at : at + size])
        if at + size <= len(found) and (match := _METRES.fullmatch(text)):
            centimetres = Decimal(match[1]) * 100 + Decimal(match[2])
            return Quantity(at, at + size, centimetres, "cm")
    return None


def _measured(found: Tokens, at: int, lang: str) -> Quantity | None:
    amount = _amount(found, at, lang)
    if amount is None:
        return None
    if amount.unit or amount.currency:
        return amount
    return _labelled(found, amount, lang)


def _labelled(found: Tokens, amount: Quantity, lang: str) -> Quantity:
    """Attach the currency or unit that follows an amount."""
    money = _currency(found, _after_of(found, amount.end, lang), lang)
    if money:
        return replace(amount, end=money[0], currency=money[1])
    unit = _unit(found, amount, lang)
    return replace(amount, end=unit[0], unit=unit[1]) if unit else amount


def _after_of(found: Tokens, at: int, lang: str) -> int:
    joiner = at < len(found) and found[at].folded in words(lang, "numbers/of")
    return at + 1 if joiner else at


def _currency(found: Tokens, at: int, lang: str) -> tuple[int, str] | None:
    """Find a currency's symbol or name: one or two words from a place."""
    for size in (2, 1):
        name = " ".join(token.folded for token in found[at : at + size])
        code = currency_of(name, lang) if len(found) >= at + size else None
        if code:
            return at + size, code
    return None


def _unit(found: Tokens, amount: Quantity, lang: str) -> tuple[int, str] | None:
    """Find a unit; one that is also a small word (in, a) must touch the number."""
    at = amount.end
    for size in range(min(4, len(found) - at), 0, -1):
        span = found[at : at + size]
        gap = "" if span[0].start == found[at - 1].end else " "
        name = _joined(span)
        shy = size == 1 and gap and name in _shy(lang)
        unit = None if shy else unit_of(name, lang)
        if unit:
            return at + size, unit
    return None


def _joined(span: Tokens) -> str:
    text = span[0].text
    for left, right in pairwise(span):
        text += (" " if right.start > left.end else "") + right.text
    return text


@lru_cache(maxsize=16)
def _shy(lang: str) -> frozenset[str]:
    return frozenset(words(lang, "shy_units"))


def _amount(found: Tokens, at: int, lang: str) -> Quantity | None:
    """Read digits or words at a place, with a suffix or a scale word."""
    if at >= len(found):
        return None
    if found[at].folded[0].isdigit():
        return _digits(found, at, lang)
    return _spelt(found, at, lang)


def _digits(found: Tokens, at: int, lang: str) -> Quantity | None:
    if not _NUMERIC.fullmatch(found[at].folded):
        return _glued(found, at, lang)
    end = _grouped(found, at, lang)
    text = " ".join(token.text for token in found[at:end])
    if end < len(found) and found[end].text in "½¼¾":
        text, end = f"{text} {found[end].text}", end + 1
    if scaled := _scaled(found, text, end, lang):
        return _quantity(at, end + 1, scaled)
    reading = parse_number(_signed(found, at, text), lang)
    return None if reading is None else _quantity(at, end, reading)


def _signed(found: Tokens, at: int, text: str) -> str:
    """Take a minus that touches the number and follows no other word."""
    if at == 0 or fold(found[at - 1].text) != "-":
        return text
    touches = found[at - 1].end == found[at].start
    free = at == 1 or found[at - 2].end < found[at - 1].start
    return f"-{text}" if touches and free else text


def _scaled(found: Tokens, text: str, end: int, lang: str) -> Reading | None:
    """Read ``5 million``, ``5 k``: a number before a scale of its own."""
    if end >= len(found) or not found[end].text.isalpha():
        return None
    word = found[end].text
    if fold(word) in _centuries(lang):  # "5 cents" is money, not five hundred
        return None
    return parse_number(f"{text} {word}", lang)


@lru_cache(maxsize=16)
def _centuries(lang: str) -> frozenset[str]:
    table: dict[str, list[str]] = words(lang, "numbers/scales")
    small = [name for key, names in table.items() if int(key) <= 100 for name in names]  # noqa: PLR2004 - figures below a hundred
    return frozenset(map(fold, small))


def _grouped(found: Tokens, at: int, lang: str) -> int:
    """Return where a number with spaces between its thousands ends.

    A plain space groups in languages that write so; elsewhere it takes two
    groups or "000", since "iPhone 12 256 GB" holds two numbers.
    """
    end = at + 1
    if not _HEAD.fullmatch(found[at].folded):
        return end
    while end < len(found) and _THOUSANDS.fullmatch(found[end].folded):
        end += 1
    groups = found[at + 1 : end]
    native = words(lang, "numbers/marks/group")[0] == " "
    sure = native or len(groups) > 1 or any(g.folded[:3] == "000" for g in groups)
    return end if sure else at + 1


def _glued(found: Tokens, at: int, lang: str) -> Quantity | None:
    """Read ``30cm``, ``5k``, ``10kg``, ``20EUR``: one token, two parts."""
    text = found[at].text
    reading = parse_number(text, lang)
    if reading is not None:
        return _quantity(at, at + 1, reading)
    match = _GLUED.fullmatch(text)
    reading = parse_number(match[1], lang) if match else None
    if not match or reading is None:
        return None
    code, unit = currency_of(match[2], lang), unit_of(match[2], lang)
    if not code and not unit:
        return None
    quantity = _quantity(at, at + 1, reading)
    return replace(quantity, currency=code, unit=None if code else unit)


def _spelt(found: Tokens, at: int, lang: str) -> Quantity | None:
    folded = [token.folded for token in found[at : at + 12]]
    value, read = spell(folded, lang)
    if not read or (read == 1 and folded[0] in _alone(lang)):
        return None
    return Quantity(at, at + read, value, spelt=True)


@lru_cache(maxsize=16)
def _alone(lang: str) -> frozenset[str]:
    """Return the words that by themselves are articles, not numbers."""
    scales = [
        name for names in words(lang, "numbers/scales").values() for name in names
    ]
    return frozenset(map(fold, [*words(lang, "numbers/shy"), *scales]))


def _quantity(start: int, end: int, reading: Reading) -> Quantity:
    if isinstance(reading, Ambiguous):
        return Quantity(start, end, reading.value, other=reading.other)
    return Quantity(start, end, reading)


def find_comparisons(found: Tokens, lang: str) -> list[Comparison]:
    """Return the bounds of a sentence: ``over 5 cm``, ``entre 10 et 20 €``."""
    return list(_comparisons(found, lang))


def _comparisons(found: Tokens, lang: str) -> Iterator[Comparison]:
    at = 0
    while at < len(found):
        comparison = comparison_at(found, at, lang)
        if comparison:
            yield comparison
        at = comparison.end if comparison else at + 1


def comparison_at(found: Tokens, at: int, lang: str) -> Comparison | None:
    """Return the bound that starts at a token, its dimension words included."""
    comparison = (
        _between(found, at, lang)
        or _before(found, at, lang)
        or _comparative(found, at, lang)
        or _after(found, at, lang)
    )
    return _dimensioned(comparison, found, lang) if comparison else None


def _before(found: Tokens, at: int, lang: str) -> Comparison | None:
    span = phrases(lang, "comparison/before").at(found, at, inflected=False)
    start = _past_of(found, span.end, lang) if span else 0
    quantity = quantity_at(found, start, lang) if span else None
    quantity = quantity or (_one(found, start, lang) if span else None)
    if not span or not quantity:
        return None
    return Comparison(at, quantity.end, span.key, quantity)


def _one(found: Tokens, at: int, lang: str) -> Quantity | None:
    """Read the article of "more than a metre": behind a bound it counts one."""
    if at >= len(found) or found[at].folded not in _alone(lang):
        return None
    value, read = spell([found[at].folded], lang)
    if read and value > 1:
        plain = Quantity(at, at + 1, value, spelt=True)  # "moins de mille"
        return _labelled(found, plain, lang)
    single = Quantity(at, at + 1, Decimal(1), spelt=True)
    unit = _unit(found, single, lang) if at + 1 < len(found) else None
    return replace(single, end=unit[0], unit=unit[1]) if unit else None


def _past_of(found: Tokens, at: int, lang: str) -> int:
    """Step over what may stand between a comparison and its amount: a colon."""
    colon = at < len(found) and found[at].folded == ":"
    return _after_of(found, at + 1 if colon else at, lang)


def _after(found: Tokens, at: int, lang: str) -> Comparison | None:
    """Read an amount with its bound behind it (``50 € ou plus``), or a range."""
    if pair := _hyphened(found, at, lang):
        return pair
    low = quantity_at(found, at, lang)
    if low is None:
        return None
    named = phrases(lang, "dimensions").at(found, low.end)  # "4 stars or more"
    table = phrases(lang, "comparison/after")
    for end, key in ((low.end, None), *([(named.end, named.key)] if named else [])):
        if span := table.at(found, end, inflected=False):
            return Comparison(at, span.end, span.key, low, None, key)
    return _to(found, low, lang)


def _to(found: Tokens, low: Quantity, lang: str) -> Comparison | None:
    """Read ``10 to 20 cm``: only rising amounts of one kind make a range."""
    at = low.end
    if at >= len(found) or fold(found[at].text) not in _tos(lang):
        return None
    high = quantity_at(found, at + 1, lang)
    if high is None or high.amount <= low.amount:
        return None
    return _pair(low.start, low, high)


@lru_cache(maxsize=16)
def _tos(lang: str) -> frozenset[str]:
    return frozenset(map(fold, words(lang, "comparison/to")))


def _hyphened(found: Tokens, at: int, lang: str) -> Comparison | None:
    """Read ``10-20``, one token."""
    match = _RANGE.fullmatch(found[at].folded)
    low = parse_number(match[1], lang) if match else None
    high = parse_number(match[2], lang) if match else None
    if not isinstance(low, Decimal) or not isinstance(high, Decimal) or low >= high:
        return None
    end = _labelled(found, Quantity(at, at + 1, high), lang)
    return _pair(at, Quantity(at, at + 1, low), end)


def _pair(start: int, low: Quantity, high: Quantity) -> Comparison:
    """Join two amounts; the unit and scale said once count for both."""
    low = replace(
        low,
        unit=low.unit or high.unit,
        currency=low.currency or high.currency,
    )
    high = replace(
        high,
        unit=high.unit or low.unit,
        currency=high.currency or low.currency,
    )
    return Comparison(start, high.end, "between", low, high)


@lru_cache(maxsize=16)
def _pairs(lang: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    pairs = words(lang, "comparison/between")
    return [(split(first), split(second)) for first, second in pairs]


def _between(found: Tokens, at: int, lang: str) -> Comparison | None:
    for first, second in _pairs(lang):
        low = starts(found, at, first) and quantity_at(found, at + len(first), lang)
        if not low or not starts(found, low.end, second):
            continue
        high = quantity_at(found, low.end + len(second), lang)
        if high and high.amount > low.amount:
            return _pair(at, low, high)
    return None


def starts(found: Tokens, at: int, phrase: tuple[str, ...]) -> bool:
    """Tell whether a phrase stands at a token, word for word."""
    here = tuple(token.folded for token in found[at : at + len(phrase)])
    return here == phrase


def _comparative(found: Tokens, at: int, lang: str) -> Comparison | None:
    """Read ``taller than 2 m``: the adjective names the dimension too."""
    span = phrases(lang, "comparatives").at(found, at)
    if not span or span.end >= len(found):
        return None
    if found[span.end].folded not in words(lang, "comparison/than"):
        return None
    quantity = quantity_at(found, span.end + 1, lang)
    if not quantity:
        return None
    operator = "greater_than" if span.key[-1] == "+" else "less_than"
    return Comparison(at, quantity.end, operator, quantity, None, span.key[:-1])


def _dimensioned(comparison: Comparison, found: Tokens, lang: str) -> Comparison:
    """Take the dimension beside an amount: ``2 m tall``, ``weighing over 2 kg``."""
    if comparison.dimension:
        return comparison
    table = phrases(lang, "dimensions")
    if span := table.at(found, comparison.end):
        return replace(comparison, end=span.end, dimension=span.key)
    span = table.at(found, comparison.start - 1) if comparison.start else None
    named = span and span.end == comparison.start
    return replace(comparison, dimension=span.key) if span and named else comparison

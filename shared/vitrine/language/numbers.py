"""Numbers as people write them: separators, suffixes, fractions, words.

A mark that the two locales read apart (``3.350``) is settled by the locale and
never in silence: the reading not chosen comes back beside the chosen one.
"""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Final

from vitrine.language.folding import fold, tokens
from vitrine.language.words import FALLBACK, words

__all__ = [
    "Ambiguous",
    "Unreadable",
    "chosen",
    "parse_number",
    "parse_words",
    "parts",
    "read_digits",
    "spell",
]

LONGEST: Final = 64  # characters: past that nobody typed a number
_EXPONENT: Final = 400  # past that no double holds it

_SIGN: Final = re.compile(r"^([+-])\s*(?=[\d.,])")
_SPACED: Final = re.compile(r"\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?")
_INDIAN: Final = re.compile(r"\d{1,2}(?:,\d{2})*,\d{3}(?:\.\d+)?")
_CLEAR: Final = re.compile(r"0\d*|\d{4,}|")  # no group starts or stands so
_SCIENCE: Final = re.compile(r"\d+(?:\.\d+)?e[+-]?\d{1,3}")
_FRACTION: Final = re.compile(r"(?:(\d+)\s+)?(\d{1,6})\s*/\s*(\d{1,6})")
_SUFFIXED: Final = re.compile(r"(.*\d)\s*([^\W\d_]+)")


class Unreadable(ValueError):  # noqa: N818 - reads as the sentence it carries
    """What was given cannot be read, without loss, as what was asked."""


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A number with two readings: the locale's, and the other one's."""

    value: Decimal
    other: Decimal
    text: str


Reading = Decimal | Ambiguous


def parse_number(text: str, lang: str = FALLBACK) -> Reading | None:
    """Read a whole text as a number in a locale, None where it is none.

    Takes group marks (space, no-break and narrow no-break space, apostrophe,
    point, comma), k/M suffixes, fractions, signs and number words.
    """
    plain = _plain(text)
    if not plain or len(plain) > LONGEST:
        return None
    sign, rest = _signed(plain)
    found = _unsigned(rest, lang)
    return _scaled(found, sign) if found is not None else parse_words(text, lang)


def chosen(reading: Reading) -> Decimal:
    """Return the reading that the locale chose."""
    return reading.value if isinstance(reading, Ambiguous) else reading


def _plain(text: str) -> str:
    spaced = "".join(
        f" {sign}" if unicodedata.decomposition(sign).startswith("<fraction>") else sign
        for sign in text
    )
    plain = unicodedata.normalize("NFKC", spaced).translate(_QUOTES)
    return " ".join(
        "".join(str(unicodedata.decimal(c, c)) for c in plain).split()
    ).strip()


_QUOTES: Final = str.maketrans({"’": "'", "−": "-", "–": "-", "⁄": "/"})


def _signed(plain: str) -> tuple[Decimal, str]:
    match = _SIGN.match(plain)
    if not match:
        return Decimal(1), plain
    return Decimal(-1 if match[1] == "-" else 1), plain[match.end() :]


def _unsigned(plain: str, lang: str) -> Reading | None:
    if match := _FRACTION.fullmatch(plain):
        return _fraction(match)
    if (found := read_digits(plain, lang)) is not None:
        return found
    match = _SUFFIXED.fullmatch(plain)
    factor = _suffix(match[2], lang) if match else None
    if not match or factor is None:
        return None
    found = read_digits(match[1], lang)
    return None if found is None else _scaled(found, factor)


def _fraction(match: re.Match[str]) -> Decimal | None:
    whole, above, below = Decimal(match[1] or 0), Decimal(match[2]), Decimal(match[3])
    return whole + above / below if below else None


def _suffix(word: str, lang: str) -> Decimal | None:
    """Return the factor of k, M, bn; capitals count, since m is a metre."""
    scales: dict[str, Decimal] = _suffixes(lang)
    return scales.get(word) or _scales(lang).get(fold(word))


@lru_cache(maxsize=16)
def _suffixes(lang: str) -> dict[str, Decimal]:
    table = words(lang, "numbers/suffixes")
    return {name: Decimal(key) for key, names in table.items() for name in names}


def _scaled(reading: Reading, factor: Decimal) -> Reading:
    if isinstance(reading, Ambiguous):
        value, other = reading.value * factor, reading.other * factor
        return Ambiguous(value, other, reading.text)
    return _exact(reading, factor)


def _exact(value: Decimal, factor: Decimal) -> Decimal:
    """Multiply without rounding; what comes out whole is written whole."""
    with localcontext() as context:
        context.prec = 2 * LONGEST
        product = value * factor
        whole = abs(factor) > 1 and product == product.to_integral_value()
        return product.quantize(Decimal(1)) if whole else product


def read_digits(text: str, lang: str = FALLBACK) -> Reading | None:
    """Read digits with their marks, and nothing else, as a number."""
    if not text or not (text[0].isdigit() or text[0] in ".,") or not text.isascii():
        return None
    if _SCIENCE.fullmatch(text.lower()):
        return _science(text)
    if _SPACED.fullmatch(text):
        return Decimal(re.sub("[ ']", "", text).replace(",", "."))
    marks = set(text) - set("0123456789")
    if not marks:
        return Decimal(text)
    if marks <= {".", ","}:
        return _both(text) if len(marks) == 2 else _one(text, marks.pop(), lang)  # noqa: PLR2004 - a comma and a point
    return None


def _science(text: str) -> Decimal | None:
    value = Decimal(text)
    return value if abs(value.adjusted()) <= _EXPONENT else None


def _both(text: str) -> Decimal | None:
    """Read a text with both marks: the last one is the decimal mark."""
    decimal = max(".,", key=text.rfind)
    group = "." if decimal == "," else ","
    whole, _, rest = text.rpartition(decimal)
    if not rest.isdigit() or not (_grouped(whole, group) or _INDIAN.fullmatch(text)):
        return None
    return Decimal(f"{whole.replace(group, '')}.{rest}")


def _grouped(text: str, mark: str) -> bool:
    pattern = rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+"
    return re.fullmatch(pattern, text) is not None


def _one(text: str, mark: str, lang: str) -> Reading | None:
    """Read a text with one kind of mark, once or several times."""
    head, *tail = text.split(mark)
    joined = Decimal(text.replace(mark, "")) if any(c.isdigit() for c in text) else None
    if joined is None or not tail[-1]:
        return None
    if len(tail) > 1:
        fits = _grouped(text, mark) or _INDIAN.fullmatch(text)
        return joined if fits else None
    fraction = Decimal(f"{head or 0}.{tail[0]}")
    if len(tail[0]) != 3 or _CLEAR.fullmatch(head):  # noqa: PLR2004 - a group
        return fraction
    return _either(joined, fraction, mark, lang)


def _either(joined: Decimal, fraction: Decimal, mark: str, lang: str) -> Reading:
    """Settle ``3.350`` by the locale; only its own first group mark is clear."""
    marks = words(lang, "numbers/marks")
    text = f"{fraction}".replace(".", mark)
    if marks["group"][0] == mark:
        return joined
    if mark in marks["group"]:
        return Ambiguous(joined, fraction, text)
    return Ambiguous(fraction, joined, text)


@lru_cache(maxsize=16)
def _values(lang: str) -> dict[str, int]:
    table = words(lang, "numbers/words")
    pairs = ((fold(n), int(key)) for key, names in table.items() for n in names)
    return dict(pairs)


@lru_cache(maxsize=16)
def _scales(lang: str) -> dict[str, Decimal]:
    table = words(lang, "numbers/scales")
    return {fold(n): Decimal(key) for key, names in table.items() for n in names}


def parse_words(text: str, lang: str = FALLBACK) -> Decimal | None:
    """Read number words up to billions (``soixante-dix-sept``), else None."""
    folded = [token.folded for token in tokens(text)]
    if folded and folded[0] in words(lang, "numbers/minus"):
        found = parse_words(" ".join(folded[1:]), lang)
        return -found if found else None
    value, read = spell(folded, lang)
    if len(folded) == 1 and read == 0:
        return _part(folded[0], lang)
    return value if read and read == len(folded) else None


@lru_cache(maxsize=16)
def _part(word: str, lang: str) -> Decimal | None:
    table: dict[str, list[str]] = words(lang, "numbers/fractions")
    named = (key for key, names in table.items() if word in map(fold, names))
    found = next(named, None)
    return None if found is None else Decimal(found)


@dataclass(slots=True)
class _Sum:
    """A number being spelt: closed thousands, and the part still open."""

    closed: Decimal = Decimal(0)
    open: Decimal = Decimal(0)
    last: Decimal = Decimal(10) ** 15
    empty: bool = True

    def add(self, value: int, gaps: dict[str, int]) -> bool:
        """Add a value if the open part has room for it: no ``two three``."""
        if not self.empty and (value == 0 or value >= _room(self.open, gaps)):
            return False
        self.open, self.empty = self.open + value, False
        return True

    def scale(self, factor: Decimal) -> bool:
        """Multiply the open part by a hundred, a thousand, a million."""
        if factor < 1000:  # noqa: PLR2004 - hundreds and dozens stay open
            if self.open >= 100:  # noqa: PLR2004 - a hundred multiplies what stands before
                return False
            self.open, self.empty = (self.open or 1) * factor, False
            return True
        if factor >= self.last:
            return False
        self.closed, self.last = self.closed + (self.open or 1) * factor, factor
        self.open, self.empty = Decimal(0), False
        return True


def _room(value: Decimal, gaps: dict[str, int]) -> int:
    """Return the bound under which a word may still join what was said."""
    if value == 0:
        return 1000
    tail = int(value % 100)
    if tail == 0:
        return 100
    return gaps.get(str(tail), 10 if tail % 10 == 0 and tail > 10 else 0)  # noqa: PLR2004 - tens


def spell(folded: list[str], lang: str) -> tuple[Decimal, int]:
    """Return the value of the number words a list starts with, and their count."""
    total, read, at = _Sum(), 0, 0
    while at < len(folded):
        if at and folded[at] in words(lang, "numbers/joiners"):
            at += 1
            continue
        step = _step(folded, at, total, lang)
        if not step:
            break
        at = read = at + step
    return total.closed + total.open, read


def _step(folded: list[str], at: int, total: _Sum, lang: str) -> int:
    """Take the longest number word at a place; return how many words it has."""
    for size in (2, 1):
        phrase = " ".join(folded[at : at + size])
        value = _values(lang).get(phrase) if at + size <= len(folded) else None
        if value is not None and total.add(value, words(lang, "numbers/gaps")):
            return size
    factor = _scales(lang).get(folded[at])
    return 1 if factor is not None and total.scale(factor) else 0


# Where an amount may end and its unit begin, or the other way round.
_SEAM: Final = re.compile(
    r"(?<=\d)(?=[^\d\s.,'’/])|(?<=\s)(?=\S)|(?<=[^\d\s.,+-])(?=[\d+-])"
    r"|(?<=\w)(?=[^\w\s.,'’-])|(?<=['’])(?=\w)"
)


def parts(text: str, lang: str = FALLBACK) -> list[tuple[str, str]]:
    """Return the ways to part a text in two, joiners (of, de, d') left out."""
    cuts = [match.start() for match in _SEAM.finditer(text) if match.start()]
    return [(_unjoined(text[:cut], lang), text[cut:].strip()) for cut in cuts]


def _unjoined(head: str, lang: str) -> str:
    head = head.strip()
    for joiner in words(lang, "numbers/of"):
        if fold(head).endswith(f" {joiner}"):
            return head[: -len(joiner)].strip()
    return head

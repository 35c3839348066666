"""Colours: codes and names in, one canonical ``#rrggbb`` out.

Both engines filter a colour as three ranges of red, green and blue, so the
distance here is the largest difference of a channel: an equal box on either.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from vitrine.language.coercion import shown
from vitrine.language.folding import stem, tokens
from vitrine.language.numbers import Unreadable
from vitrine.language.words import FALLBACK, words

__all__ = ["DEFAULT_TOLERANCE", "Colour", "distance", "name_of", "parse_colour"]

DEFAULT_TOLERANCE: Final = 48  # of 255 a channel: names the eye would not part
_HEX: Final = re.compile(r"(?:#|0x)?([0-9a-f]{3}|[0-9a-f]{6})(?:ff)?", re.IGNORECASE)
_RGB: Final = re.compile(
    r"rgba?\(?\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})"
    r"(?:\s*[,/]\s*(?:1|1\.0|100%))?\s*\)?",
    re.IGNORECASE,
)
_TOP: Final = 255
_SHADES: Final = {"dark": (0, 0.55), "light": (_TOP, 0.55), "bright": (0, 1.0)}


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour in sRGB, 0–255 a channel."""

    r: int
    g: int
    b: int

    def __str__(self) -> str:
        """Return the canonical ``#rrggbb``."""
        return f"#{self.r:02x}{self.g:02x}{self.b:02x}"


def parse_colour(value: Any, lang: str = FALLBACK) -> Colour:
    """Read a hex code, ``rgb(…)``, an object with either, or a name.

    Raises Unreadable for anything else, half-transparent colours included.
    """
    found = _object(value, lang) if isinstance(value, Mapping) else None
    if isinstance(value, list | tuple):
        found = _channels(list(value))
    if isinstance(value, str):
        found = _code(value.strip()) or _named(value, lang)
    if isinstance(value, Colour):
        found = value
    if found is None:
        raise Unreadable(f"{shown(value)} is not a colour: use #rrggbb or a name.")
    return found


def _object(value: Mapping[str, Any], lang: str) -> Colour | None:
    keys = {str(key).lower(): item for key, item in value.items()}
    for key in ("hex", "value", "color", "colour", "name"):
        if isinstance(keys.get(key), str):
            return parse_colour(keys[key], lang)
    return _channels([keys.get(key) for key in "rgb"])


def _channels(items: list[Any]) -> Colour | None:
    whole = [item for item in items if type(item) is int and 0 <= item <= _TOP]
    return Colour(*whole) if len(whole) == len(items) == 3 else None  # noqa: PLR2004 - red, green, blue


def _code(text: str) -> Colour | None:
    if match := _HEX.fullmatch(text):
        code = match[1] if len(match[1]) == 6 else "".join(c * 2 for c in match[1])  # noqa: PLR2004 - two hexadecimal digits each
        return Colour(*bytes.fromhex(code))
    match = _RGB.fullmatch(text)
    return _channels([int(part) for part in match.groups()]) if match else None


def _named(text: str, lang: str) -> Colour | None:
    """Find a name, then a name beside a modifier (``dark red``)."""
    parts = [token.folded for token in tokens(text)]
    whole = _stems(words(lang, "colours/whole/colour"), lang)
    parts = [part for part in parts if stem(part, lang) not in whole] or parts
    if found := _names(lang).get(_key(parts, lang)):
        return found
    for index, part in enumerate(parts):
        shade = _modifiers(lang).get(stem(part, lang))
        rest = _names(lang).get(_key(parts[:index] + parts[index + 1 :], lang))
        if shade and rest:
            return _shaded(rest, shade)
    return None


def _key(parts: list[str], lang: str) -> str:
    return " ".join(stem(part, lang) for part in parts)


def _stems(names: list[str], lang: str) -> frozenset[str]:
    return frozenset(stem(name, lang) for name in names)


@lru_cache(maxsize=16)
def _names(lang: str) -> dict[str, Colour]:
    table: dict[str, list[str]] = words(lang, "colours/names")
    return {
        _key([token.folded for token in tokens(name)], lang): colour
        for code, names in table.items()
        for name in names
        if (colour := _code(code))
    }


@lru_cache(maxsize=16)
def _modifiers(lang: str) -> dict[str, str]:
    table: dict[str, list[str]] = words(lang, "colours/modifiers")
    return {stem(n, lang): shade for shade, names in table.items() for n in names}


def _shaded(colour: Colour, shade: str) -> Colour:
    """Mix with black or white: half of what is left, and a little more."""
    towards, kept = _SHADES[shade]
    mixed = (round(c * kept + towards * (1 - kept)) for c in _rgb(colour))
    return Colour(*mixed)


def _rgb(colour: Colour) -> tuple[int, int, int]:
    return colour.r, colour.g, colour.b


def distance(one: Colour, two: Colour) -> int:
    """Return the largest difference of a channel, 0–255."""
    return max(abs(a - b) for a, b in zip(_rgb(one), _rgb(two), strict=True))


def name_of(colour: Colour, lang: str = FALLBACK) -> str:
    """Return the name nearest to the eye, by the "redmean" weights (Riemersma)."""
    table: dict[str, list[str]] = words(lang, "colours/names")
    nearest = min(table, key=lambda code: _seen(colour, parse_colour(code)))
    return table[nearest][0]


def _seen(one: Colour, two: Colour) -> float:
    red = (one.r + two.r) / 2
    dr, dg, db = (a - b for a, b in zip(_rgb(one), _rgb(two), strict=True))
    return (2 + red / 256) * dr**2 + 4 * dg**2 + (2 + (255 - red) / 256) * db**2

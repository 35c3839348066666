"""Phrases of a language, compiled once, and the longest match over tokens.

A table of the data file maps keys to phrases; a phrase matches folded words
first and stems second, so that "moins chères" needs no entry of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vitrine.language.folding import Token, fold, stem, tokens
from vitrine.language.words import languages, words

__all__ = [
    "Phrases",
    "Span",
    "find",
    "is_stop",
    "phrases",
    "synonyms",
    "translate",
]

Tokens = Sequence[Token]


@dataclass(frozen=True, slots=True)
class Span:
    """A phrase found: tokens ``start`` up to ``end``, and the keys it means."""

    start: int
    end: int
    keys: tuple[str, ...]

    @property
    def key(self) -> str:
        """Return the first key, the only one of most phrases."""
        return self.keys[0]


@dataclass(frozen=True, slots=True)
class Phrases:
    """One table of a language, ready to match."""

    lang: str
    exact: dict[tuple[str, ...], tuple[str, ...]]
    stems: dict[tuple[str, ...], tuple[str, ...]]
    longest: int
    heads: frozenset[str]  # first words and stems: most places fail on them
    marked: frozenset[str]  # "dès", which is not "des": their accents count

    def at(self, found: Tokens, start: int, *, inflected: bool = True) -> Span | None:
        """Return the longest phrase that starts at a token, None for none."""
        if start >= len(found) or not self._opens(found[start].folded):
            return None
        for size in range(min(self.longest, len(found) - start), 0, -1):
            here = found[start : start + size]
            folded = tuple(token.folded for token in here)
            keys = self.whole(here)
            if keys is None and inflected and not self._bare(here[0]):
                keys = self.stems.get(tuple(stem(word, self.lang) for word in folded))
            if keys:
                return Span(start, start + size, keys)
        return None

    def whole(self, here: Tokens) -> tuple[str, ...] | None:
        """Return the keys of some tokens word for word, accents where they tell."""
        keys = self.exact.get(tuple(token.folded for token in here))
        return None if self._bare(here[0]) else keys

    def _bare(self, token: Token) -> bool:
        return token.folded in self.marked and token.text.isascii()

    def _opens(self, word: str) -> bool:
        return word in self.heads or stem(word, self.lang) in self.heads


@lru_cache(maxsize=128)
def phrases(lang: str, table: str) -> Phrases:
    """Compile a table of the data file, such as ``edits`` or ``colours/names``."""
    exact: dict[tuple[str, ...], tuple[str, ...]] = {}
    stems: dict[tuple[str, ...], tuple[str, ...]] = {}
    for key, names in words(lang, table).items():
        for name in names:
            cut = split(name)
            bare = tuple(stem(word, lang) for word in cut)
            exact[cut] = _joined(exact.get(cut, ()), key)
            stems[bare] = _joined(stems.get(bare, ()), key)
    heads = frozenset(cut[0] for cut in (*exact, *stems))
    longest = max(map(len, exact), default=0)
    return Phrases(lang, exact, stems, longest, heads, _marked(lang, table))


def _marked(lang: str, table: str) -> frozenset[str]:
    """Return first words that only their accent parts from a stop word."""
    plain = {word for word in words(lang, "stop") if word.isascii()}
    heads = {name.split()[0] for names in words(lang, table).values() for name in names}
    accented = {word for word in heads if not word.isascii()}
    return frozenset(fold(w) for w in accented if fold(w) in plain - heads)


def _joined(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return keys if key in keys else (*keys, key)


def split(phrase: str) -> tuple[str, ...]:
    """Cut a phrase of the data file as a sentence is cut."""
    return tuple(token.folded for token in tokens(phrase))


def find(found: Tokens, lang: str, table: str, *, inflected: bool = True) -> list[Span]:
    """Return a table's phrases in a sentence: longest first, no overlaps."""
    return list(_walk(found, phrases(lang, table), inflected=inflected))


def _walk(found: Tokens, table: Phrases, *, inflected: bool) -> Iterator[Span]:
    at = 0
    while at < len(found):
        span = table.at(found, at, inflected=inflected)
        if span:
            yield span
        at = span.end if span else at + 1


@lru_cache(maxsize=16)
def _stops(lang: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words(lang, "stop"))


def is_stop(token: Token, lang: str) -> bool:
    """Tell whether a word only holds a sentence together."""
    return token.folded in _stops(lang)


def translate(phrase: str, source: str, target: str) -> tuple[str, ...]:
    """Return the other language's words for a phrase, nothing for an unknown one."""
    found = tokens(phrase)
    span = phrases(source, "concepts").at(found, 0) if found else None
    if span is None or span.end != len(found):
        return ()
    table: dict[str, list[str]] = words(target, "concepts")
    return tuple(dict.fromkeys(name for key in span.keys for name in table[key]))


def synonyms(phrase: str, lang: str) -> tuple[str, ...]:
    """Return every word of any language for what a phrase means, itself left out."""
    known: dict[str, Any] = {}
    for other in languages():
        known |= dict.fromkeys(translate(phrase, lang, other))
    return tuple(word for word in known if fold(word) != fold(phrase))

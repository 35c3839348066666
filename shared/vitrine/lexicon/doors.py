"""Which stored phrases a sense could meet, told by first letters alone.

What a phrase means costs some fifty microseconds to work out, and a source may have
tens of thousands: so each waits behind the first letters of its words until a message
has a sense that could meet one of them. A door lets more in than belongs there; the
senses decide. It must never keep one out, so stems, which rewrite endings only, and
irregular words, which rewrite all, have doors of their own.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from vitrine.language.folding import fold, stem, tokens
from vitrine.language.words import languages, words
from vitrine.lexicon.senses import TABLES

SHORT = 5
"""Letters of a word so short that its stem may differ in the third."""
_WORD = re.compile(r"\w+")
_ODD = re.compile(r"[\d'_]")


def doors(phrase: str) -> set[str]:
    """Give the doors of a stored phrase: one for each of its words."""
    irregular, found = _irregular(), set()
    for word in _words(phrase):
        found.add(_door(word))
        found |= irregular.get(word, frozenset())
    return found


def _words(phrase: str) -> list[str]:
    """Cut a phrase as a sentence is cut; most are plain, which is far cheaper."""
    folded = fold(phrase)
    if folded.isalpha():
        return [folded]
    if _ODD.search(folded):
        return [token.folded for token in tokens(phrase)]
    return _WORD.findall(folded)


def _door(word: str) -> str:
    return word[:3] if len(word) > SHORT else f"{word[:2]}."


def _stemmed(root: str) -> set[str]:
    """Give the doors of the words that a stem may come from, short or long."""
    return {root[:3], f"{root[:2]}."}


@cache
def _irregular() -> dict[str, frozenset[str]]:
    """Give the doors of the words that irregular ones are stemmed to."""
    found: dict[str, frozenset[str]] = {}
    for lang in languages():
        for word in words(lang, "stem/irregular"):
            more = _stemmed(stem(word, lang))
            found[word] = found.get(word, frozenset()) | more
    return found


@lru_cache(maxsize=16384)
def opened(sense: str) -> frozenset[str]:
    """Give the doors behind which a phrase with a sense may wait."""
    kind, _, rest = sense.partition(":")
    if sense[0] == "=":
        return frozenset({_door(sense[1:])})
    if kind in TABLES.values():
        return _meaning(kind, rest)
    return frozenset(_stemmed(rest))


def _meaning(kind: str, key: str) -> frozenset[str]:
    """Give the doors of the first words of all that names a concept or a colour."""
    found: set[str] = set()
    for table in (table for table, mark in TABLES.items() if mark == kind):
        for lang in languages():
            for name in words(lang, table).get(key, ()):
                first = tokens(name)[0].folded
                found |= {_door(first)} | _stemmed(stem(first, lang))
    return frozenset(found)

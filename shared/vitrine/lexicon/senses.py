"""What a word may mean: itself, its stem, and the concepts that languages share.

Two words meet when their senses do, so a French sentence finds an English value
("robes" and "dress"), a plural its singular, and nobody lists the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from vitrine.language.folding import Token, fold, stem, tokens
from vitrine.language.phrases import is_stop, phrases
from vitrine.language.words import languages, words

TABLES = {"concepts": "c", "links": "c", "countries": "c", "colours/names": "k"}
Senses = frozenset[str]
ENDING = 2
"""Letters of what could be a word's ending rather than a second word."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Tokens ``start`` up to ``end`` read as one word, with what it may mean."""

    start: int
    end: int
    senses: Senses


@dataclass(frozen=True, slots=True)
class Part:
    """One word of a value or label: what it may mean, and how it is written."""

    senses: Senses
    folded: str


@cache
def senses(word: str, *langs: str) -> Senses:
    """Give the senses of one word in these languages, or in every one."""
    found = {f"={word}"}
    for lang in langs or languages():
        found.add(f"{lang}:{stem(word, lang)}")
        found |= meant(tokens(word), lang)
    return frozenset(found)


def meant(found: Sequence[Token], lang: str) -> set[str]:
    """Name the concepts and colours that a whole phrase means."""
    named: set[str] = set()
    for table, mark in TABLES.items():
        span = phrases(lang, table).at(found, 0) if found else None
        if span and span.end == len(found):
            named |= {f"{mark}:{key}" for key in span.keys}
    return named


def segments(found: Sequence[Token], lang: str) -> list[list[Segment]]:
    """List, for each token, the readings that start there: alone, then in phrases."""
    rows = [[Segment(i, i + 1, senses(t.folded, lang))] for i, t in enumerate(found)]
    for index, (one, two) in enumerate(pairwise(found)):
        wordy = not any(is_stop(t, lang) or not t.folded.isalpha() for t in (one, two))
        if wordy and len(two.folded) > ENDING:
            # "hot pot" may be stored as one word; "size S" is no plural of size
            rows[index].append(Segment(index, index + 2, _glued(one, two, lang)))
    for table in TABLES:
        for index, row in enumerate(rows):
            span = phrases(lang, table).at(found, index)
            if span and span.end - span.start > 1:
                named = meant(found[span.start : span.end], lang)
                row.append(Segment(span.start, span.end, frozenset(named)))
    return rows


def _glued(one: Token, two: Token, lang: str) -> Senses:
    word = one.folded + two.folded
    return frozenset({f"={word}", f"{lang}:{stem(word, lang)}"})


@cache
def parts(phrase: str) -> tuple[tuple[Part, ...], ...]:
    """Cut a value or label into parts: word by word, and by known phrases.

    Words that only hold a phrase together are left out unless nothing else stands.
    """
    found = tokens(phrase)
    single = tuple(Part(senses(t.folded), t.folded) for t in _content(found))
    wholes = (_phrased(found, lang) for lang in languages())
    ways = (single, *(w for w in wholes if w))
    return tuple(dict.fromkeys(way for way in ways if way))


def _content(found: Sequence[Token]) -> list[Token]:
    words = [t for t in found if t.folded[:1].isalnum()]
    return [t for t in words if not hollow(t)] or words


def hollow(token: Token) -> bool:
    """Tell whether a word is a stop word in any language, and quantifies nothing.

    Single letters count as words: sizes, grades.
    """
    return _hollow(token.folded)


# the labels of a source say the same few hundred words over and over
@lru_cache(maxsize=16384)
def _hollow(word: str) -> bool:
    token = Token(word, word, 0, len(word))
    stop = len(word) > 1 and any(is_stop(token, lang) for lang in languages())
    return stop and not any(word in _quantifiers(lang) for lang in languages())


@cache
def _quantifiers(lang: str) -> frozenset[str]:
    """Name the words that a value can't lose: "all-weather" is no weather."""
    return frozenset(map(fold, words(lang, "lexicon/quantifiers")))


def _phrased(found: Sequence[Token], lang: str) -> tuple[Part, ...]:
    """Cut a phrase where it holds a concept of several words, else give nothing."""
    if not any(_opens(token.folded, lang) for token in found):
        return ()
    at, way, joined = 0, [], False
    while at < len(found):
        spans = (phrases(lang, table).at(found, at) for table in TABLES)
        end = max((span.end for span in spans if span), default=at + 1)
        text = " ".join(t.folded for t in found[at:end])
        if end > at + 1:
            way.append(Part(frozenset(meant(found[at:end], lang)), text))
            joined = True
        elif not hollow(found[at]) and text[:1].isalnum():
            way.append(Part(senses(text), text))
        at = end
    return tuple(way) if joined else ()


@cache
def _opens(word: str, lang: str) -> bool:
    """Tell whether a word may be the first of several; most are not."""
    return not _heads(lang).isdisjoint((word, stem(word, lang)))


@cache
def _heads(lang: str) -> frozenset[str]:
    tables = (phrases(lang, table) for table in TABLES)
    cut = (phrase for table in tables for phrase in (*table.exact, *table.stems))
    return frozenset(phrase[0] for phrase in cut if len(phrase) > 1)


def spread(found: Sequence[Token], lang: str) -> Iterator[str]:
    """Yield every sense of a sentence's content words."""
    for index, row in enumerate(segments(found, lang)):
        for segment in row:
            if segment.end > index + 1 or not is_stop(found[index], lang):
                yield from segment.senses

"""The small words that steer: looked up in the language's own lists."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from vitrine.language.folding import stem
from vitrine.language.phrases import split
from vitrine.language.words import words
from vitrine.lexicon.sentence import Sentence


@cache
def _listed(lang: str, path: str) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Group a list by first word, longest phrase first: most tokens open none."""
    cut = {split(phrase) for phrase in words(lang, path)}
    grouped: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in sorted(cut, key=lambda phrase: (-len(phrase), phrase)):
        grouped[phrase[0]] = (*grouped.get(phrase[0], ()), phrase)
    return grouped


def mark(said: Sentence, at: int, path: str) -> int:
    """Give where the longest phrase of a list that starts at a token ends, or 0."""
    if not 0 <= at < len(said.found):
        return 0
    for phrase in _listed(said.lang, path).get(said.found[at].folded, ()):
        if tuple(said.folded(at, at + len(phrase))) == phrase:
            return at + len(phrase)
    return 0


def own(said: Sentence, at: int, key: str) -> int:
    """Do the same with one of the lexicon's own lists."""
    return mark(said, at, f"lexicon/{key}")


def joint(said: Sentence, at: int, key: str) -> bool:
    """Tell whether a token is a conjunction of a kind (and, or, but)."""
    return bool(mark(said, at, f"conjunctions/{key}"))


def joining(said: Sentence, at: int) -> bool:
    """Tell whether a word joins or negates; such a word is no value's first."""
    return said.found[at].folded in _joints(said.lang)


@cache
def _joints(lang: str) -> frozenset[str]:
    tables = (words(lang, "conjunctions"), words(lang, "negation"))
    listed = (name for table in tables for names in table.values() for name in names)
    return frozenset(s[0] for n in listed if len(s := split(n)) == 1)


def akin(said: Sentence, at: int, key: str) -> bool:
    """Tell whether a word, in any inflection, stands in an own list."""
    return stem(said.found[at].folded, said.lang) in _stems(said.lang, key)


@cache
def _stems(lang: str, key: str) -> frozenset[str]:
    cut = (split(phrase) for phrase in words(lang, f"lexicon/{key}"))
    return frozenset(stem(phrase[0], lang) for phrase in cut if len(phrase) == 1)


def ends(said: Sentence, at: int) -> bool:
    """Tell whether a token closes a phrase: a comma, a full stop, a colon."""
    return said.found[at].folded in {",", ";", ".", ":", "!", "?", "(", ")"}

"""Words that nothing knew, as the listed values that mean nearly the same.

Exact, stemmed and translated words come first: by the time these run, what is left is
what would be told as unread, or searched as a lone word. Nearness is measured
elsewhere and handed in; what it is worth is decided here, without a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from vitrine.language.folding import fold
from vitrine.language.words import languages
from vitrine.lexicon import texts
from vitrine.lexicon.index import LONG, Same
from vitrine.lexicon.negation import negators
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry

NEAR = 0.70
"""Least cosine of a link: F1 .82 in French and .89 in English, by vectors alone."""
MARGIN = 0.20
"""Least lead over the next value, else the person is asked.

Measured with 1,154 words of our tables against the lists of four catalogues: under a
lead of .20 the nearest value was the right one 70 times in 132, above it 92 in 140.
"""
REQUEST = 12
"""Tokens of the longest message that is looked at; what is longer is talk.

In talk the unknown words are about the person ("un voyage d'affaires"), not the thing,
and a question about one of them would throw away all that was understood.
"""
MOST = 2_000
"""Labels of a registry: some 4 MB of vectors, a quarter of a second once."""
SHORT = 3
"""Letters of the shortest word: a code or a size has no neighbours in meaning."""
_LISTED = frozenset({FieldType.VOCABULARY, FieldType.KEYWORD})


class Link(Protocol):
    """Tells how near words are to labels."""

    def near(
        self, words: Sequence[str], labels: tuple[str, ...]
    ) -> Sequence[Sequence[float]]:
        """Give, for each word, its cosine with each label.

        The labels of a published registry come as the same tuple each time.
        """
        ...


@dataclass(frozen=True, slots=True)
class Doubt:
    """A word, tokens ``start`` up to ``end``, that two listed values are as near to."""

    start: int
    end: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """Each label of what is listed, and beside it the field and value it stands for."""

    labels: tuple[str, ...]
    options: tuple[tuple[Field, str], ...]


def link(said: Sentence, near: Link, old: range = range(0)) -> Doubt | None:
    """Settle the unknown words that clearly mean a value; give the first in doubt.

    ``old`` are tokens that name what is replaced.
    """
    if len(said.found) > REQUEST:
        return None
    places = list(_unknown(said, old))
    known = _listed(Same(said.registry)) if places else None
    if known is None or not known.labels:
        return None
    heard = [said.found[at].text.lower() for at in places]
    doubts = []
    for at, scores in zip(places, near.near(heard, known.labels), strict=True):
        decided = _decided(at, scores, known)
        if isinstance(decided, Find):
            said.settle([decided])
        elif decided:
            doubts.append(decided)
    return doubts[0] if doubts else None


def _unknown(said: Sentence, old: range) -> Iterator[int]:
    """Yield the places of words that stand alone and that no list of ours knows.

    Words side by side are a title or a thing that no one value names ("Monday blues"),
    and are left to the search for text. A word that is in our own tables and met no
    value means something else: cheap and expensive are as near as two words can be.
    """
    denied = {at for span in negators(said) for at in range(span.start, span.end)}
    left = [
        at not in old and at not in denied and texts.telling(said, at)
        for at in range(len(said.found))
    ]
    for at in range(len(left)):
        beside = left[max(0, at - 1) : at + 2]
        if left[at] and sum(beside) == 1 and _strange(said, at):
            yield at


def _strange(said: Sentence, at: int) -> bool:
    token = said.found[at]
    # a capital inside a sentence is a name, and names are near to other names
    name = token.text[:1].isupper() and (at > 0 or token.text.isupper())
    if name or len(token.folded) < SHORT or not token.folded.isalpha():
        return False
    meant = {sense for segment in said.rows[at] for sense in segment.senses}
    return not any(sense.startswith(("c:", "k:")) for sense in meant)


def _decided(at: int, scores: Sequence[float], known: Listed) -> Find | Doubt | None:
    """Take the nearest value where it leads clearly, doubt where two are as near."""
    best: dict[str, float] = {}
    for score, (_, value) in zip(scores, known.options, strict=True):
        best[fold(value)] = max(score, best.get(fold(value), -1.0))
    first, *others = sorted(best.items(), key=lambda pair: -pair[1])
    if first[1] < NEAR:
        return None
    close = [name for name, score in others[:1] if first[1] - score < MARGIN]
    options = [_options(name, known) for name in (first[0], *close)]
    if close:
        return Doubt(at, at + 1, tuple(held[0][1] for held in options))
    return Find(at, at + 1, "value", options[0])


def _options(name: str, known: Listed) -> tuple[tuple[Field, str], ...]:
    """List the fields that hold a value, once each, in the registry's order."""
    held = {f.key: (f, value) for f, value in known.options if fold(value) == name}
    return tuple(held.values())


@lru_cache(maxsize=16)
def _listed(same: Same) -> Listed:
    """List what may be linked to; a sensitive field's values are never compared."""
    found = [
        (label, (field, value))
        for field in same.registry.filters.values()
        if field.type in _LISTED and not field.sensitive
        for label, value in _labels(field, same.registry)
        if len(label) <= LONG and sum(map(str.isalpha, label)) >= SHORT
    ][:MOST]
    return Listed(tuple(label for label, _ in found), tuple(o for _, o in found))


def _labels(field: Field, registry: Registry) -> Iterator[tuple[str, str]]:
    """Yield each way to write a listed value; those of an open keyword are codes."""
    for choice in field.choices or ():
        for label in {choice.labels.get(lang, choice.value) for lang in languages()}:
            yield label, choice.value
    if field.type is FieldType.VOCABULARY and not field.choices:
        sample = registry.sample(field.key)
        for label in dict.fromkeys((*sample.labels, *sample.values)):
            yield label, label

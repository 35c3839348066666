"""What a source's words mean to a search: stems, synonyms, stopwords and pins.

Synonyms are laid into the documents: for each word or phrase that finds others, every
document that holds one of them holds the word's token too, and a query asks for the
token in the word's place. So they are exact, count as strict, work below the root and
in filters, need nothing of the server, and no swap can lose them. What is pinned to a
question, or never shown for it, is marked in the documents in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from vitrine.language.folding import stem
from vitrine.registry.kept import Kept
from vitrine.registry.manifest import Manifest, Pin, Synonym
from vitrine.typesense.names import digest
from vitrine.typesense.words import telling, words

_NOTHING: Mapping[Stems, str] = MappingProxyType({})
_UNMARKED: Mapping[str, tuple[str, ...]] = MappingProxyType({})
_NOWHERE: Mapping[Stems, tuple[str, ...]] = MappingProxyType({})
Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pinned:
    """A question by its stems, whether it is the whole one, and what is marked."""

    stems: frozenset[str]
    whole: bool
    first: str | None
    never: str | None

    def holds(self, asked: frozenset[str]) -> bool:
        """Tell whether a question is meant."""
        return asked == self.stems if self.whole else self.stems <= asked


@dataclass(frozen=True, slots=True)
class Wording:
    """How texts and queries of one source are read.

    ``asked_as`` gives the token of a word or phrase that has synonyms; ``told_by``
    the tokens that a word or phrase brings to a document.
    """

    language: str
    stop: frozenset[str] = frozenset()
    asked_as: Mapping[Stems, str] = field(default_factory=lambda: _NOTHING)
    told_by: Mapping[Stems, tuple[str, ...]] = field(default_factory=lambda: _NOWHERE)
    pins: tuple[Pinned, ...] = ()
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _UNMARKED)
    """The marks of a record, by its private id."""

    def stems(self, said: Iterable[str]) -> Stems:
        """Give the stem of each word once."""
        return tuple(dict.fromkeys(self._stem(word) for word in said))

    def asked(self, said: Iterable[str]) -> Stems:
        """Give what to look for: stems, or tokens where words have synonyms."""
        if not self.asked_as:
            return self.stems(said)
        return tuple(dict.fromkeys(self._replaced([self._stem(w) for w in said])))

    def widens(self, said: Iterable[str]) -> bool:
        """Tell whether a synonym is looked for too."""
        asked = self.asked(said) if self.asked_as else ()
        return not frozenset(self.asked_as.values()).isdisjoint(asked)

    def first(self, said: Iterable[str]) -> tuple[str, ...]:
        """Give the marks of what comes first for a question."""
        return tuple(p.first for p in self._meant(said) if p.first)

    def never(self, said: Iterable[str]) -> tuple[str, ...]:
        """Give the marks of what never comes for a question."""
        return tuple(p.never for p in self._meant(said) if p.never)

    def _meant(self, said: Iterable[str]) -> Iterator[Pinned]:
        if self.pins:
            asked = frozenset(self.stems(said))
            yield from (pin for pin in self.pins if pin.holds(asked))

    def told(self, said: Iterable[str]) -> Iterator[str]:
        """Yield the tokens that a text brings to its document."""
        if not self.told_by:
            return
        found = [self._stem(word) for word in telling(said, self.stop)]
        longest = max(map(len, self.told_by))
        for start in range(len(found)):
            for end in range(start + 1, min(start + longest, len(found)) + 1):
                yield from self.told_by.get(tuple(found[start:end]), ())

    def _stem(self, word: str) -> str:
        return stem(word, self.language) if word.isalpha() else word

    def _replaced(self, found: Sequence[str]) -> Iterator[str]:
        """Put a token in the place of the longest phrase that begins at a word."""
        longest, at = max(map(len, self.asked_as)), 0
        while at < len(found):
            ends = range(min(at + longest, len(found)), at, -1)
            runs = ((end, self.asked_as.get(tuple(found[at:end]))) for end in ends)
            end, token = next(((e, t) for e, t in runs if t), (at + 1, found[at]))
            yield token
            at = end


def wording_of(manifest: Manifest) -> Wording:
    """Give a manifest's wording, made once."""
    return _known.of(manifest)


def _made(manifest: Manifest) -> Wording:
    stop = frozenset(word for said in manifest.stopwords for word in words(said))
    plain = Wording(manifest.text_language, stop)
    reach: dict[Stems, set[Stems]] = {}
    for synonym in manifest.synonyms:
        for asked, found in _pairs(synonym, plain):
            reach.setdefault(asked, {asked}).add(found)
    asked_as = {asked: "syn" + digest(" ".join(asked)) for asked in reach}
    told_by: dict[Stems, list[str]] = {}
    for asked, found_by in reach.items():
        for one in found_by:
            told_by.setdefault(one, []).append(asked_as[asked])
    return Wording(
        manifest.text_language,
        stop,
        MappingProxyType(asked_as),
        MappingProxyType({one: tuple(tokens) for one, tokens in told_by.items()}),
        tuple(_pinned(pin, plain) for pin in manifest.pins),
        MappingProxyType(_marks(manifest)),
    )


_known = Kept(_made, most=128)


def _pinned(pin: Pin, plain: Wording) -> Pinned:
    return Pinned(
        frozenset(_phrase(pin.query, plain)),
        pin.whole,
        _mark("first", pin) if pin.first else None,
        _mark("never", pin) if pin.never else None,
    )


def _mark(kind: str, pin: Pin) -> str:
    return f"{kind}\x1f{pin.whole}\x1f{pin.query}"


def _marks(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for pin in manifest.pins:
        for kind, ids in (("first", pin.first), ("never", pin.never)):
            for one in ids:
                found[one] = (*found.get(one, ()), _mark(kind, pin))
    return found


def _pairs(synonym: Synonym, plain: Wording) -> Iterator[tuple[Stems, Stems]]:
    """Yield what is asked and what it finds too."""
    every = [_phrase(said, plain) for said in synonym.words]
    roots = every if synonym.root is None else [_phrase(synonym.root, plain)]
    yield from ((root, one) for root in roots for one in every if root and one)


def _phrase(said: str, plain: Wording) -> Stems:
    return tuple(plain._stem(w) for w in telling(words(said), plain.stop))  # noqa: SLF001 - its own module

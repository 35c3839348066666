"""Words with two readings, where the phrase or the session has settled them.

"En paysage" and "landscape format" speak of the shape; a bare "paysage" follows the
session's memory, and without one it stays a word to search for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vitrine.language.phrases import find, phrases, split
from vitrine.language.quantities import starts
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.manifest import Ambiguity, Reading
from vitrine.registry.operators import FieldType


def propose(said: Sentence, readings: Mapping[str, str]) -> Iterator[Find]:
    """Yield the settled terms that mean a filter, and the shapes that are said."""
    for term in said.registry.manifest.ambiguous:
        yield from _phrases(said, term)
        if name := readings.get(term.term):
            yield from _bare(said, term, name)
    yield from _shapes(said)


def _phrases(said: Sentence, term: Ambiguity) -> Iterator[Find]:
    for phrase, name in term.settled.items():
        yield from _everywhere(said, split(phrase), _reading(term, name))


def _bare(said: Sentence, term: Ambiguity, name: str) -> Iterator[Find]:
    for word in (w for listed in term.words.values() for w in listed):
        yield from _everywhere(said, split(word), _reading(term, name))


def _reading(term: Ambiguity, name: str) -> Reading | None:
    return next((r for r in term.readings if r.name == name), None)


def _everywhere(
    said: Sentence, phrase: tuple[str, ...], reading: Reading | None
) -> Iterator[Find]:
    field = said.registry.filters.get(reading.field or "") if reading else None
    if reading is None or field is None or reading.value is None:
        return
    for at in range(len(said.found)):
        if starts(said.found, at, phrase):
            option = ((field, reading.value),)
            yield Find(at, at + len(phrase), "value", option, rank=9)


def _shapes(said: Sentence) -> Iterator[Find]:
    """Yield orientations; a bare word that is also a subject is none."""
    fields = [
        f for f in said.registry.filters.values() if f.type is FieldType.ORIENTATION
    ]
    subjects = phrases(said.lang, "concepts")
    for span in find(said.found, said.lang, "orientation") if fields else ():
        bare = span.end - span.start == 1
        if not bare or subjects.at(said.found, span.start) is None:
            option = ((fields[0], span.key),)
            yield Find(span.start, span.end, "value", option, rank=7)

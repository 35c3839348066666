"""Loose words as values, where a source has no text to search them in.

What a question about columns still says when names and their values are read tells
which rows are meant: "the position of the player from Duke". Each stretch of words
goes to the open field that it looks most like: by the samples, by the kind of thing
that the field's name and the word before the stretch speak of.
"""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.language.words import words
from vitrine.lexicon.bound import opened
from vitrine.lexicon.senses import senses
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.lexicon.shapes import likeness, looks
from vitrine.lexicon.stretches import Stretch, stretches
from vitrine.lexicon.texts import worded
from vitrine.registry.fields import Field

ENOUGH = 1.0
"""Least evidence that gives loose words to a field."""
_LOOKS, _CUED, _TELLING, _ANY = 1.0, 0.7, 0.5, 0.2


def propose(said: Sentence) -> Iterator[Find]:
    """Yield the stretches with their fields, the surest first."""
    pairs = ((s, f) for s in stretches(said) for f in _fields(said))
    ranked = [(_evidence(said, s, f), -s.start, s, f) for s, f in pairs]
    used: set[object] = set()
    for score, _, stretch, field in sorted(ranked, key=lambda r: (-r[0], -r[1])):
        if score < ENOUGH or stretch in used or field.key in used:
            continue
        used |= {stretch, field.key}
        span = stretch.start, stretch.end
        found = worded(said, span, span, field)
        said.finds = [f for f in said.finds if f.kind != "quote" or f.start != span[0]]
        yield found


def _fields(said: Sentence) -> list[Field]:
    """List the open fields that are neither asked for nor filled."""
    asked = {f.key for m in said.names if m.asked for f in m.fields[:1]}
    kinds = {"value", "person"}
    filled = {f.field.key for f in said.finds if f.kind in kinds and f.field}
    known = said.registry.filters.values()
    return [f for f in known if opened(f) and f.key not in asked | filled]


def _evidence(said: Sentence, stretch: Stretch, field: Field) -> float:
    sample = said.registry.sample(field.key)
    score = likeness(stretch.text, (*sample.labels, *sample.values))
    kinds = _kinds(said, field)
    score += _LOOKS * bool(kinds & looks(stretch.text, said.lang))
    score += _CUED * bool(kinds & _cued(said, stretch))
    score += _TELLING * stretch.telling
    return score + _ANY * bool(stretch.cue)


def _kinds(said: Sentence, field: Field) -> set[str]:
    """Name what a field holds, by its name: people, places, days."""
    table: dict[str, list[str]] = words(said.lang, "questions/kinds")
    entries = said.index.names.get(field.key, ())
    held = {s for e in entries for w in e.words if w.weight >= 1 for s in w.senses}
    return {k for k, names in table.items() if any(held & senses(n) for n in names)}


def _cued(said: Sentence, stretch: Stretch) -> set[str]:
    table: dict[str, list[str]] = words(said.lang, "questions/cues")
    return {kind for kind, cues in table.items() if stretch.cue in cues}

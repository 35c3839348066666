"""Loose words as values, where a source has no text to search them in.

What a question about columns still says when names and their values are read tells
which rows are meant: "the position of the player from Duke". Each stretch of words
goes to the open field that it fits best.
"""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.lexicon.bound import opened
from vitrine.lexicon.fitness import Stretch, evidence
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.lexicon.stretches import stretches
from vitrine.lexicon.texts import worded
from vitrine.registry.fields import Field

ENOUGH, SPOKEN = 1.0, 1.35
"""Least evidence that gives loose words to a field: of a question, of other talk."""


def propose(said: Sentence) -> Iterator[Find]:
    """Yield the stretches with their fields, the surest first."""
    told = [s for s in stretches(said) if said.tabular or _spoken(said, s)]
    pairs = ((s, f) for s in told for f in _fields(said))
    ranked = [(evidence(said, s, f), -s.start, s, f) for s, f in pairs]
    used: set[object] = set()
    least = ENOUGH if said.tabular else SPOKEN
    for score, _, stretch, field in sorted(ranked, key=lambda r: (-r[0], -r[1])):
        if score < least or stretch in used or field.key in used:
            continue
        used |= {stretch, field.key}
        span = stretch.start, stretch.end
        found = worded(said, span, span, field)
        said.finds = [f for f in said.finds if f.kind != "quote" or f.start != span[0]]
        yield found


def _spoken(said: Sentence, stretch: Stretch) -> bool:
    """Tell what may be a value in other talk: a name that something leads to."""
    big = any(t.text[:1].isupper() for t in said.found[stretch.start : stretch.end])
    led = bool(stretch.cue) or bool(said.wanted)
    return stretch.telling and big and led


def _fields(said: Sentence) -> list[Field]:
    """List the open fields that are neither asked for nor filled."""
    asked = {f.key for m in said.names if m.asked for f in m.fields[:1]}
    kinds = {"value", "person"}
    filled = {f.field.key for f in said.finds if f.kind in kinds and f.field}
    known = said.registry.filters.values()
    return [f for f in known if opened(f) and f.key not in asked | filled]

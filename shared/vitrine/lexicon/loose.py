"""Loose words as values, where a source has no text to search them in.

What a question about columns still says when names and their values are read tells
which rows are meant: "the position of the player from Duke". Each stretch of words
goes to the open field that it fits best.
"""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.lexicon import groups
from vitrine.lexicon.bound import opened
from vitrine.lexicon.fitness import Stretch, evidence
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.lexicon.stretches import stretches
from vitrine.lexicon.texts import worded
from vitrine.lexicon.values import SHORT
from vitrine.registry.fields import Field
from vitrine.tree.model import Group

ENOUGH, SPOKEN = 1.0, 1.35
"""Least evidence that gives loose words to a field: of a question, of other talk."""


def propose(said: Sentence, tree: Group) -> Iterator[Find]:
    """Yield the stretches with their fields, the surest first."""
    last = groups.current(said, tree)
    told = [s for s in stretches(said) if said.tabular or _spoken(said, s)]
    known = _fields(said)
    pairs = ((s, f) for s in told for f in known if _about(said, s, f, last))
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
    big = said.found[stretch.start].text[:1].isupper()
    led = stretch.cue[:1].isalnum() or stretch.cue == "'s" or bool(said.wanted)
    return stretch.telling and big and led


def _fields(said: Sentence) -> list[Field]:
    """List the open fields that are neither asked for nor filled."""
    asked = {f.key for m in said.names if m.asked for f in m.fields[:1]}
    kinds = {"value", "person"}
    filled = {f.field.key for f in said.finds if f.kind in kinds and f.field}
    known = [f for f in said.registry.filters.values() if not _listed(said, f)]
    return [f for f in known if opened(f) and f.key not in asked | filled]


def _listed(said: Sentence, field: Field) -> bool:
    """Tell a short list of which all is known: in talk, other words are none of it."""
    if said.tabular or field.key in said.wanted:
        return False
    return 0 < len(said.registry.sample(field.key).labels) <= SHORT


def _about(said: Sentence, stretch: Stretch, field: Field, last: str) -> bool:
    """Tell whether a field is of the kind that is spoken of, where there are kinds."""
    return not field.group or field.group == groups.nearest(said, stretch.start, last)

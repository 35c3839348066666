"""How well words fit a field: by samples, by what its name speaks of, by what leads.

"In Oslo" is a place, "against Lyon" a group, "landing at" leads to a destination; a
name such as city, opponent or arrival says that it holds one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from vitrine.language.folding import fold
from vitrine.language.words import words
from vitrine.lexicon.marks import mark
from vitrine.lexicon.senses import senses
from vitrine.lexicon.sentence import Sentence
from vitrine.lexicon.shapes import likeness, looks
from vitrine.registry.fields import Field

BACK = 4
"""Words before a value among which a verb of motion tells where from or where to."""
_LOOKS, _CUED, _LED, _WANTED, _TELLING, _ANY = 1.0, 0.7, 0.9, 0.9, 0.5, 0.2


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens ``start`` up to ``end``, the word before them, and whether they tell."""

    start: int
    end: int
    text: str
    cue: str
    telling: bool


def evidence(said: Sentence, stretch: Stretch, field: Field) -> float:
    """Add up what speaks for a field."""
    sample = said.registry.sample(field.key)
    score = likeness(stretch.text, (*sample.labels, *sample.values))
    held = kinds(said, field)
    score += _LOOKS * bool(held & looks(stretch.text, said.lang))
    score += _CUED * bool(held & cued(said, stretch.cue))
    score += _LED * bool(held & led(said, stretch.start))
    score += _WANTED * (field.key in said.wanted)
    return score + _TELLING * stretch.telling + _ANY * bool(stretch.cue)


def kinds(said: Sentence, field: Field) -> set[str]:
    """Name what a field holds, by its name: people, places, days."""
    table: dict[str, list[str]] = words(said.lang, "questions/kinds")
    entries = said.index.names.get(field.key, ())
    told = [w for e in entries for w in e.words]
    held = {s for w in told if w.weight >= 1 for s in w.senses}
    small = {w.folded for w in told if w.weight < 1}
    if not said.tabular and len({w.folded for w in told if w.weight >= 1}) > 1:
        held -= _naming(said.lang)  # in talk, the name of a song is no person
    return {
        kind
        for kind, names in table.items()
        if any(name in small or held & senses(name) for name in names)
    }


def named(said: Sentence, at: int) -> set[str]:
    """Name the kinds that a word speaks of: "date" of days, "city" of places."""
    table: dict[str, list[str]] = words(said.lang, "questions/kinds")
    word = said.found[at].folded
    return {kind for kind, names in table.items() if word in map(fold, names)}


@cache
def _naming(lang: str) -> frozenset[str]:
    """Name the senses of the word that names things of any kind: a name."""
    return frozenset().union(
        *(senses(word) for word in words(lang, "questions/naming"))
    )


def cued(said: Sentence, cue: str) -> set[str]:
    """Name the kinds that a small word leads to."""
    table: dict[str, list[str]] = words(said.lang, "questions/cues")
    return {kind for kind, cues in table.items() if cue in cues}


def led(said: Sentence, start: int) -> set[str]:
    """Name the direction that a verb or a small word before a value tells."""
    table: dict[str, list[str]] = words(said.lang, "questions/motions")
    for at in range(start - 1, max(-1, start - 1 - BACK), -1):
        for kind in table:
            if mark(said, at, f"questions/motions/{kind}"):
                return {kind}
    return set()

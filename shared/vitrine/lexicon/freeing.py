"""What a message sets free: a limit that is lifted, a field named by what it measures.

"No price limit" and "sans préférence de couleur" say of a limit that there is none;
"undo everything" says it of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vitrine.language.phrases import Span, phrases, split
from vitrine.language.words import words
from vitrine.lexicon.marks import ends, mark, own
from vitrine.lexicon.sentence import Sentence
from vitrine.lexicon.values import match

REACH = 4
"""Words from what denies a limit, or opens a verb in two parts, to its other half."""


def lifted(said: Sentence, cues: Sequence[Span]) -> Iterator[Span]:
    """Yield, as cues to remove, limits that are denied and verbs that stand apart."""
    limits = [s for s in cues if "filter" in s.keys]
    for at in range(len(said.found)):
        end = own(said, at, "lifted")
        near = next((s for s in limits if 0 <= s.start - end <= REACH), None)
        if end and near and not _cut(said, end, near.start):
            yield Span(at, end, ("remove",))
            yield Span(near.start, near.end, ("remove",))
        yield from _apart(said, at)


def _apart(said: Sentence, at: int) -> Iterator[Span]:
    """Read "take the colour off", a verb of which the second half closes the phrase."""
    for first, last in words(said.lang, "lexicon/apart"):
        end = _said(said, at, first)
        for place in range(end + 1, end + REACH + 1) if end else ():
            stop = _said(said, place, last)
            if stop and not _cut(said, end, place) and _closed(said, stop):
                yield Span(at, end, ("remove",))
                yield Span(place, stop, ("remove",))


def _said(said: Sentence, at: int, phrase: str) -> int:
    parts = split(phrase)
    told = tuple(said.folded(at, at + len(parts)))
    return at + len(parts) if told == parts else 0


def _closed(said: Sentence, at: int) -> bool:
    return at >= len(said.found) or ends(said, at)


def _cut(said: Sentence, start: int, end: int) -> bool:
    return any(ends(said, at) for at in range(start, end))


def everything(said: Sentence, cues: Sequence[Span]) -> Iterator[Span]:
    """Yield, as a fresh start, all that goes: "undo everything", "drop all filters"."""
    verbs = [s for s in cues if "remove" in s.keys]
    for at in range(len(said.found)):
        end = own(said, at, "everything")
        near = any(abs(at - s.end) <= 1 or abs(s.start - end) <= 1 for s in verbs)
        if end and near and _alone(said, end, cues):
            yield Span(at, end, ("reset",))
            limits = (s for s in cues if "filter" in s.keys and s.start >= end)
            yield from (Span(s.start, s.end, ("reset",)) for s in limits)


def _alone(said: Sentence, start: int, cues: Sequence[Span]) -> bool:
    """Tell whether nothing but small words, cues and limits goes on up to the sign."""
    known = {at for s in cues for at in range(s.start, s.end)}
    for at in range(start, len(said.found)):
        if ends(said, at):
            return True
        if not said.glue(at) and at not in known:
            return False
    return True


def measure(said: Sentence, at: int) -> int:
    """Give where a word for a limit, or for what fields measure, ends, or 0."""
    span = phrases(said.lang, "dimensions").at(said.found, at)
    return span.end if span else mark(said, at, "edits/filter")


def names(said: Sentence, at: int) -> bool:
    """Tell whether a field's name, or what a field measures, starts at a token."""
    if at >= len(said.found):
        return False
    if phrases(said.lang, "dimensions").at(said.found, at):
        return True
    heard = said.rows[at][0].senses
    labels = (e for e in said.index.about(heard) if e.kind == "label")
    return any(match(said, e.parts, at)[0] for e in labels)

"""Which field the words around a number, a date or a negation name, and how well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vitrine.lexicon.index import WHOLE, Entry
from vitrine.lexicon.senses import Part
from vitrine.lexicon.sentence import Sentence
from vitrine.registry.fields import Field

KEY = 0.98
"""What a field's key counts beside its label."""
NUMBER = "c:number"
WINDOW = 6
"""Tokens on each side that may name the field."""


@dataclass(frozen=True, slots=True)
class Named:
    """A field with how much of a name of it was said, 0 to 1, by which tokens."""

    field: Field
    share: float
    tokens: tuple[int, ...]
    distance: int = 0


def named(said: Sentence, start: int, end: int, fields: Iterable[Field]) -> list[Named]:
    """Rank the fields by how much of a name stands near a span; none is left out."""
    ranked = [_best(said, start, end, field) for field in fields]
    return sorted(ranked, key=lambda n: (-n.share, n.distance))


def _best(said: Sentence, start: int, end: int, field: Field) -> Named:
    heard = [_heard(said, start, end, e) for e in said.index.names.get(field.key, ())]
    heard = [h for h in heard if h.tokens]
    return max(heard, key=lambda h: (h.share, -h.distance), default=Named(field, 0, ()))


def _heard(said: Sentence, start: int, end: int, entry: Entry) -> Named:
    """Find the parts of one name among the open tokens of a window."""
    window = range(max(0, start - WINDOW), min(len(said.found), end + WINDOW))
    left, hits = _counted(entry.parts), []
    for at in window:
        part = None if start <= at < end else _met(said, at, left)
        if part:
            left.remove(part)
            hits.append(at)
    whole = 1.0 if entry.weight == WHOLE else KEY
    share = len(hits) / len(_counted(entry.parts)) * whole
    away = min((min(abs(at - start), abs(at - end)) for at in hits), default=WINDOW)
    return Named(entry.field, share, tuple(hits), away)


def _counted(parts: Sequence[Part]) -> list[Part]:
    """Leave out the "number of" that an amount already says: "7 seats"."""
    content = [part for part in parts if NUMBER not in part.senses]
    return content or list(parts)


def _met(said: Sentence, at: int, left: list[Part]) -> Part | None:
    taken = said.taken(at)
    if taken and taken.kind not in {"label", "flag"}:
        return None
    heard = {s for segment in said.rows[at] for s in segment.senses}
    if said.glue(at):  # "made" is a small word, and yet it may tell the year
        heard = {s for s in heard if s[:2] == "c:"}
    return next((part for part in left if part.senses & heard), None)

"""Colours: names for fields that hold a colour, and the nearest value of a list.

A list of colours by name lacks most names; "violet" then means the listed colour
that is nearest to it, if that is near enough to be what was meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from vitrine.language.colours import distance, parse_colour
from vitrine.language.folding import fold
from vitrine.language.phrases import Span, phrases
from vitrine.language.phrases import find as spans
from vitrine.language.words import languages, words
from vitrine.lexicon.index import Entry
from vitrine.lexicon.marks import joining
from vitrine.lexicon.senses import senses
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.operators import FieldType

NEAR = 128
"""Of 255 a channel: violet is still a purple, turquoise is no longer a green."""


def propose(said: Sentence) -> Iterator[Find]:
    """Yield colour names for the fields that hold a colour, or a list of names."""
    fields = [f for f in said.registry.filters.values() if f.type is FieldType.COLOUR]
    for span in spans(said.found, said.lang, "colours/names"):
        if span.end - span.start == 1 and joining(said, span.start):
            continue
        if fields:
            start, end, value = _shaded(said, span)
            yield Find(start, end, "value", tuple((f, value) for f in fields), rank=5)
        elif near := _nearest(said, span):
            options = ((near.field, near.value),)
            yield Find(span.start, span.end, "value", options, rank=3)


def _shaded(said: Sentence, span: Span) -> tuple[int, int, str]:
    """Take a modifier along: "dark red", "vert clair"."""
    start, end = span.start, span.end
    if start and _modifies(said, start - 1):
        start -= 1
    elif end < len(said.found) and _modifies(said, end):
        end += 1
    told = " ".join(t.text for t in said.found[start:end])
    return start, end, span.key if end - start == span.end - span.start else fold(told)


def _modifies(said: Sentence, at: int) -> bool:
    found = phrases(said.lang, "colours/modifiers").at(said.found[: at + 1], at)
    return found is not None


def _nearest(said: Sentence, span: Span) -> Entry | None:
    """Find the listed colour nearest to a name; none where the list has the name."""
    named = [(code, e) for e in said.index.about(_codes()) for code in _of(e)]
    words_ = said.found[span.start : span.end]
    heard = {s for t in words_ for s in senses(t.folded, said.lang) if s[:2] == "k:"}
    # of "sky blue" the blue is listed, and is nearer than any figure says
    if any(code == span.key or f"k:{code}" in heard for code, _ in named):
        return None
    wanted = parse_colour(span.key)
    ranked = sorted(
        ((distance(wanted, parse_colour(code)), e.place, e) for code, e in named),
        key=lambda r: r[:2],
    )
    return ranked[0][2] if ranked and ranked[0][0] <= NEAR else None


@cache
def _codes() -> tuple[str, ...]:
    """Name the senses of every colour that some language names."""
    tables = (words(lang, "colours/names") for lang in languages())
    return tuple(dict.fromkeys(f"k:{key}" for table in tables for key in table))


def _of(entry: Entry) -> list[str]:
    """Give the colours that a value's only word names."""
    if entry.kind != "value" or len(entry.parts) != 1:
        return []
    return [s[2:] for s in entry.parts[0].senses if s.startswith("k:")]

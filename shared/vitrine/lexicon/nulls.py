"""With and without: a field's name after such a word asks whether it has a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vitrine.lexicon.marks import akin, ends, joint, mark
from vitrine.lexicon.naming import named
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.lexicon.values import match
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Rule

NEAR = 3
"""Words from the cue to the end of the field's name."""


def apply(said: Sentence) -> None:
    """Turn "without a price", "sans image", "date unknown" into rules."""
    for find in list(_lacking(said)):
        said.finds = [f for f in said.finds if not _covered(f, find)]
        said.settle([find])
    said.swap(lambda f: _flagged(f) if f.kind == "flag" else f)


def _covered(one: Find, other: Find) -> bool:
    return one.kind != "cue" and other.start <= one.start < other.end


def _flagged(find: Find) -> Find:
    """Read a flag's name alone as "it is so"."""
    return replace(find, kind="value", options=((find.options[0][0], True),))


def _lacking(said: Sentence) -> Iterator[Find]:
    for at in range(len(said.found)):
        without, having = (mark(said, at, f"nulls/{k}") for k in ("without", "with"))
        end = max(without, having)  # "with no" begins with "with"
        if end and _open(said, at, end):
            yield from _named(said, at, end, empty=without == end)
        yield from _unknown(said, at)


def _open(said: Sentence, start: int, end: int) -> bool:
    return said.free(start, end) and end < len(said.found)


def _named(said: Sentence, start: int, end: int, *, empty: bool) -> Iterator[Find]:
    """Read the field's name behind the cue: up to its last word, and "known"."""
    stop = _clause(said, end)
    if flag := _flag(said, end, stop):
        yield _find(start, flag[0], flag[1], empty=empty)
        return
    if any(f.kind in {"value", "amount"} for f in said.finds if end <= f.start < stop):
        return
    label = next((f for f in said.finds if f.start >= end and f.end <= stop), None)
    if label and label.kind in {"label", "flag"} and label.start - end < NEAR:
        last = _trailed(said, label.end)
        yield _find(start, last, label.options[0][0], empty=empty)
        return
    if not empty:
        return
    near = named(said, start, end, _nullable(said))
    inside = [n for n in near if n.tokens and all(end <= t < stop for t in n.tokens)]
    if inside and inside[0].share >= 0.45:  # noqa: PLR2004 - one word of two
        last = _trailed(said, max(inside[0].tokens) + 1)
        yield _find(start, last, inside[0].field, empty=empty)


def _flag(said: Sentence, start: int, stop: int) -> tuple[int, Field] | None:
    """Find a boolean that is named here, though a value may claim the same word."""
    while start < stop and said.glue(start):
        start += 1
    for key, entries in said.index.names.items():
        field = said.registry.filters[key]
        if field.type is not FieldType.BOOLEAN or start >= stop:
            continue
        ends_ = [match(said, entry.parts, start)[0] for entry in entries]
        if max(ends_, default=0):
            return max(ends_), field
    return None


def _nullable(said: Sentence) -> list[Field]:
    kinds = {FieldType.FULL_TEXT, FieldType.ORIENTATION, FieldType.RELATION}
    return [f for f in said.registry.filters.values() if f.type not in kinds]


def _clause(said: Sentence, start: int) -> int:
    for at in range(start, min(len(said.found), start + NEAR + 1)):
        if ends(said, at) or joint(said, at, "and") or joint(said, at, "or"):
            return at
    return min(len(said.found), start + NEAR + 1)


def _trailed(said: Sentence, end: int) -> int:
    """Take "known" or "given" along: a year not known is no year."""
    return end + 1 if end < len(said.found) and akin(said, end, "known") else end


def _find(start: int, end: int, field: Field, *, empty: bool) -> Find:
    if field.type is FieldType.BOOLEAN:
        rule = Rule(field.key, "equals", not empty)
    else:
        rule = Rule(field.key, "is_empty" if empty else "is_not_empty")
    return Find(start, end, "value", ((field, rule.value),), what=rule, rank=8)


def _unknown(said: Sentence, at: int) -> Iterator[Find]:
    """Read "price unknown": the name first, the word for nothing behind it."""
    end = mark(said, at, "nulls/empty")
    before = next((f for f in said.finds if f.end == at and f.kind == "label"), None)
    if end and before and said.free(at, end):
        yield _find(before.start, end, before.options[0][0], empty=True)

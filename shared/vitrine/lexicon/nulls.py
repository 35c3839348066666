"""With and without: a field's name after such a word asks whether it has a value.

A count that can be zero has none at zero; a flag is then false; anything else is
empty. "Never contacted" has no last contact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from vitrine.language.phrases import find as spans
from vitrine.lexicon.marks import akin, ends, joint, mark, own
from vitrine.lexicon.naming import named
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.lexicon.values import match
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Rule

NEAR = 3
"""Words from the cue to the end of the field's name."""
HALF = 0.45
"""Share of a field's name that tells it: one word of two."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A word for with or without: tokens ``start`` up to ``end``, up to ``stop``."""

    start: int
    end: int
    stop: int
    empty: bool


def apply(said: Sentence) -> None:
    """Turn "without a price", "sans image", "date unknown" into rules."""
    for find in list(_found(said)):
        said.finds = [f for f in said.finds if not _covered(f, find)]
        said.settle([find])
    said.settle(list(_opposed(said)))
    said.swap(lambda f: _flagged(f) if f.kind == "flag" else f)


def _opposed(said: Sentence) -> Iterator[Find]:
    """Read "unavailable" as the flag of what is available, and not so."""
    for span in spans(said.found, said.lang, "opposites"):
        for key, entries in said.index.names.items():
            field = said.registry.filters[key]
            named = any(f"c:{span.key}" in p.senses for e in entries for p in e.parts)
            if named and field.type is FieldType.BOOLEAN:
                rule = _rule(said, field, empty=True)
                option = ((field, rule.value),)
                yield Find(span.start, span.end, "value", option, what=rule, rank=8)


def orphans(said: Sentence) -> None:
    """Read "before 2022 or never" as a period, or none at all."""
    for find in [f for f in said.finds if isinstance(f.what, Rule) and f.field]:
        at = find.end
        if at + 1 < len(said.found) and joint(said, at, "or") and find.field:
            end = own(said, at + 1, "never")
            timed = find.field.type in {FieldType.DATE, FieldType.DATETIME}
            rule = Rule(find.field.key, "is_empty")
            option = ((find.field, None),)
            if end and timed:
                said.settle([Find(at + 1, end, "value", option, what=rule, rank=8)])


def _covered(one: Find, other: Find) -> bool:
    return one.kind != "cue" and other.start <= one.start < other.end


def _flagged(find: Find) -> Find:
    """Read a flag's name alone as "it is so"."""
    return replace(find, kind="value", options=((find.options[0][0], True),))


def _found(said: Sentence) -> Iterator[Find]:
    for at in range(len(said.found)):
        cue = _cue(said, at)
        if cue and (found := _named(said, cue)):
            yield found
            yield from _more(said, cue, found)
        yield from _unknown(said, at)


def _more(said: Sentence, cue: Cue, found: Find) -> Iterator[Find]:
    """Go on with a list: "without width and height"."""
    after = next((f for f in said.finds if f.start >= found.end), None)
    linked = after and after.kind in {"label", "flag"} and after.start == found.end + 1
    if after and linked and joint(said, found.end, "and"):
        further = Cue(after.start, after.start, after.end, cue.empty)
        yield _find(said, further, after.end, after.options[0][0])


def _named(said: Sentence, cue: Cue) -> Find | None:
    return _flag(said, cue) or _label(said, cue) or _part(said, cue)


def _cue(said: Sentence, at: int) -> Cue | None:
    without = max(mark(said, at, "nulls/without"), own(said, at, "never"))
    end = max(without, mark(said, at, "nulls/with"))  # "with no" begins with "with"
    if not end or end >= len(said.found) or not said.free(at, end):
        return None
    stop = _clause(said, end)
    blank = mark(said, end, "nulls/empty")
    if blank and blank < stop:  # "with unknown width" has none
        return Cue(at, blank, stop, empty=True)
    return Cue(at, end, stop, empty=without == end)


def _clause(said: Sentence, start: int) -> int:
    last = min(len(said.found), start + NEAR + 1)
    for at in range(start, last):
        if ends(said, at) or joint(said, at, "and") or joint(said, at, "or"):
            return at
    return last


def _flag(said: Sentence, cue: Cue) -> Find | None:
    """Find a boolean that is named here, though a value may claim the same word."""
    start = cue.end
    while start < cue.stop and said.glue(start):
        start += 1
    for key, entries in said.index.names.items():
        field = said.registry.filters[key]
        if field.type is FieldType.BOOLEAN and start < cue.stop:
            last = max((match(said, e.parts, start)[0] for e in entries), default=0)
            if last:
                return _find(said, cue, last, field)
    return None


def _label(said: Sentence, cue: Cue) -> Find | None:
    """Find a field that is named in full, unless it goes on with a value."""
    inside = [f for f in said.finds if cue.end <= f.start < cue.stop]
    label = next((f for f in inside if f.end <= cue.stop), None)
    if label is None or label.kind not in {"label", "flag"}:
        return None
    field = label.options[0][0]
    # "without a tag in Lyon" has none at all, "without the tag VIP" may have others
    if any(f.kind == "amount" or f.offers(field.key) for f in inside if f is not label):
        return None
    return _find(said, cue, label.end, field)


def _part(said: Sentence, cue: Cue) -> Find | None:
    """Find a field by half of its name: "no upcoming event" is no next event."""
    inside = [f for f in said.finds if cue.end <= f.start < cue.stop]
    if not cue.empty or any(f.kind in {"value", "amount"} for f in inside):
        return None
    near = named(said, cue.start, cue.end, _nullable(said))
    for one in near:
        if one.share >= HALF and all(cue.end <= t < cue.stop for t in one.tokens):
            return _find(said, cue, max(one.tokens) + 1, one.field)
    return None


def _nullable(said: Sentence) -> list[Field]:
    kinds = {FieldType.FULL_TEXT, FieldType.ORIENTATION, FieldType.RELATION}
    return [f for f in said.registry.filters.values() if f.type not in kinds]


def _find(said: Sentence, cue: Cue, end: int, field: Field) -> Find:
    """Write the rule; "known" or "given" behind the name comes along."""
    if end < len(said.found) and akin(said, end, "known"):
        end += 1
    rule = _rule(said, field, empty=cue.empty)
    return Find(cue.start, end, "value", ((field, rule.value),), what=rule, rank=8)


def _rule(said: Sentence, field: Field, *, empty: bool) -> Rule:
    if field.type is FieldType.BOOLEAN:
        return Rule(field.key, "equals", not empty)
    if field.type is FieldType.NUMBER and said.registry.sample(field.key).low == 0:
        return Rule(field.key, "equals" if empty else "greater_than", 0)
    return Rule(field.key, "is_empty" if empty else "is_not_empty")


def _unknown(said: Sentence, at: int) -> Iterator[Find]:
    """Read "price unknown", "whose price is missing": the name first, then nothing."""
    end = mark(said, at, "nulls/empty")
    ends_ = (f for f in said.finds if f.kind == "label" and f.end <= at)
    before = next((f for f in ends_ if _copula(said, f.end, at)), None)
    if end and before and said.free(at, end):
        cue = Cue(before.start, at, end, empty=True)
        yield _find(said, cue, end, before.options[0][0])


def _copula(said: Sentence, start: int, end: int) -> bool:
    """Tell whether nothing, or a verb like "is", stands between two places."""
    return start == end or mark(said, start, "nulls/copula") == end

"""Nearby, there, in the same area: what one kind of thing takes over from another.

Where hotels and museums share a source, "a hotel nearby" is one in the area that the
tree has for the museum. Only a place is taken over, only to a kind that the message
names, and only where it says no place of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.language.folding import fold
from vitrine.lexicon import groups
from vitrine.lexicon.fitness import kinds
from vitrine.lexicon.marks import mark
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.tree.model import Group, Rule, leaves

PLACE = "place"


def propose(said: Sentence, tree: Group) -> Iterator[Find]:
    """Yield the place of what stands, for the kind that is asked for near it."""
    last = groups.current(said, tree)
    span = next(_nearby(said), None) if last else None
    if span is None:
        return
    kind = groups.nearest(said, span[0], last)
    if not any(True for _ in groups.named(said, kind)):
        return
    for rule in (rule for _, rule in leaves(tree)):
        field = _twin(said, rule, kind)
        if field and field.group != said.registry.filters[rule.field].group:
            option = ((field, rule.value),)
            told = Rule(field.key, rule.operator, rule.value)
            yield Find(*span, "value", option, what=told)


def _nearby(said: Sentence) -> Iterator[tuple[int, int]]:
    """Yield the words for "near there", on which no other find has a claim."""
    for at in range(len(said.found)):
        end = mark(said, at, "questions/nearby")
        if end and all(f.kind in {"label", "cue"} for f in _over(said, at, end)):
            said.finds = [f for f in said.finds if f not in list(_over(said, at, end))]
            yield at, end


def _over(said: Sentence, start: int, end: int) -> Iterator[Find]:
    yield from (f for f in said.finds if f.start < end and start < f.end)


def _twin(said: Sentence, rule: Rule, kind: str) -> Field | None:
    """Find the field of a kind that is named as a rule's own, if it is for places."""
    own = said.registry.filters.get(rule.field)
    filled = {f.field.key for f in said.finds if f.field and f.kind == "value"}
    if own is None or PLACE not in kinds(said, own):
        return None
    return next(
        (
            field
            for field in said.registry.filters.values()
            if field.group == kind
            and field.type is own.type
            and field.key not in filled
            and _label(said, field) == _label(said, own)
        ),
        None,
    )


def _label(said: Sentence, field: Field) -> str:
    return fold(field.named(said.lang))

"""Names of people: big letters that no value claims, given to the field for names."""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.language.words import words
from vitrine.lexicon.marks import own
from vitrine.lexicon.senses import parts
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Rule


def propose(said: Sentence) -> Iterator[Find]:
    """Yield names where the registry has a field for them."""
    field = _field(said)
    if field is None:
        return
    for start, end in _names(said):
        if not _credible(said, start, end, field):
            continue
        name = said.text[said.found[start].start : said.found[end - 1].end]
        operator = "person_name" if field.type is FieldType.RELATION else "contains"
        rule = Rule(field.key, operator, name)
        yield Find(start, end, "person", ((field, name),), what=rule, rank=3)


def _field(said: Sentence) -> Field | None:
    """Choose a relation, else a text field that is named as a maker or a person."""
    fields = list(said.registry.filters.values())
    relations = [f for f in fields if f.type is FieldType.RELATION]
    makers = [
        f
        for f in fields
        if authored(f, said) and "contains" in said.registry.operators(f.key)
    ]
    return next(iter([*relations, *makers]), None)


def authored(field: Field, said: Sentence) -> bool:
    """Tell whether a text field keeps who made a thing."""
    if field.type is not FieldType.TEXT:
        return False
    makers = {f"c:{key}" for key in words(said.lang, "lexicon/author")}
    entries = said.index.names.get(field.key, ())
    return any(len(e.parts) == 1 and e.parts[0].senses & makers for e in entries)


def _names(said: Sentence) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(said.found):
        end = at
        while end < len(said.found) and (_big(said, end) or _initial(said, end, at)):
            end += 1
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _big(said: Sentence, at: int) -> bool:
    token = said.found[at]
    return (
        token.text[:1].isupper()
        and not said.taken(at)
        and not (said.glue(at) and at == 0)
    )


def _initial(said: Sentence, at: int, start: int) -> bool:
    """Tell the full stop of an initial, which goes on with a name: "T. S. Eliot"."""
    if at <= start or at + 1 >= len(said.found) or said.found[at].folded != ".":
        return False
    return len(said.found[at - 1].text) == 1 and _big(said, at + 1)


def _credible(said: Sentence, start: int, end: int, field: Field) -> bool:
    """Ask a lone first word, which is big anyway, for more: a sample that has it."""
    if start > 0:
        return field.type is not FieldType.RELATION or _introduced(said, start)
    return end - start > 1 or _sampled(said, start, field)


def _introduced(said: Sentence, start: int) -> bool:
    return bool(own(said, start - 1, "with_person"))


def _sampled(said: Sentence, at: int, field: Field) -> bool:
    heard = said.found[at].folded
    sample = said.registry.sample(field.key)
    named = (way for value in sample.values for way in parts(value))
    return any(part.folded == heard for way in named for part in way)

"""Times of day, for the fields that keep one."""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.language.clock import find_times
from vitrine.lexicon.naming import named
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Rule


def propose(said: Sentence) -> Iterator[Find]:
    """Yield each time with the field that is named near it, or was asked for."""
    fields = [f for f in said.registry.filters.values() if f.type is FieldType.TIME]
    for span in find_times(said.found, said.lang) if fields else ():
        near = named(said, span.start, span.end, fields)
        best = max(near, key=lambda n: (n.share, n.field.key in said.wanted))
        value = span.time.isoformat("minutes")
        rule = Rule(best.field.key, "equals", value)
        option = ((best.field, value),)
        yield Find(span.start, span.end, "value", option, what=rule, rank=4)

"""Lists of ranges: "under 150,000" where a field holds "<150,000" and the like.

Some sources keep a price by its band. An amount that no number field takes is then
the band that says the same bounds.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from vitrine.language.folding import tokens
from vitrine.language.quantities import Comparison, find_comparisons
from vitrine.language.words import languages
from vitrine.lexicon.bound import opened
from vitrine.lexicon.measures import Measure
from vitrine.lexicon.sentence import Find, Sentence

_DASH = re.compile(r"(?<=\d)\s*[-\u2013]\s*(?=\d)")
# "5,000 à 10,000": labels keep the thousands of where they were first written
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LOW = frozenset({"greater_than", "greater_or_equal"})
_HIGH = frozenset({"less_than", "less_or_equal"})
Bounds = tuple[Decimal | None, Decimal | None]
NONE: Bounds = (None, None)


def banded(said: Sentence, find: Find) -> Find | None:
    """Give the value of a list that says the bounds of an amount, if there is one."""
    measure: Measure = find.what
    wanted = _bounds(measure.comparison) if measure.comparison else NONE
    if wanted == NONE:
        return None
    known = said.registry.filters.values()
    options = tuple(
        (field, label)
        for field in known
        if opened(field) and not field.sensitive
        for label in said.registry.sample(field.key).labels
        if label[-1:].isdigit() and read(label) == wanted
    )
    return Find(find.start, find.end, "value", options) if options else None


@lru_cache(maxsize=8192)
def read(label: str) -> Bounds:
    """Give the bounds that a label spells, in any language; none for other labels."""
    found = tokens(_DASH.sub(" - ", _THOUSANDS.sub("", label)))
    for lang in languages():
        for one in find_comparisons(found, lang):
            if (one.start, one.end) == (0, len(found)):
                return _bounds(one)
    return NONE


def _bounds(comparison: Comparison) -> Bounds:
    low, high = comparison.low, comparison.high
    if high:
        return low.amount, high.amount
    if comparison.operator in _LOW:
        return low.amount, None
    return (None, low.amount) if comparison.operator in _HIGH else NONE

"""Comparatives without a number: "cheaper", "plus grands", against what stands.

The reference is the tree's own bound on the field, else the middle of what was
sampled. A bound moves by a quarter, so that "cheaper" than "under 100" is under 75.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from vitrine.language.phrases import Span, find
from vitrine.lexicon.marks import mark
from vitrine.lexicon.placing import measures
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Group, Rule, leaves

STEP = Decimal("0.25")
DIGITS = 2
"""Significant digits of a moved bound."""


def propose(said: Sentence, tree: Group) -> Iterator[Find]:
    """Yield the comparatives that a field can answer, superlatives as mere cues."""
    for span in find(said.found, said.lang, "superlatives"):
        if said.free(span.start, span.end):
            yield Find(span.start, span.end, "cue", rank=8)
    for span in find(said.found, said.lang, "comparatives"):
        compared = mark(said, span.end, "comparison/than")  # "more than" what follows
        free = said.free(span.start, span.end) and not compared
        if free and (found := _moved(said, span, tree)):
            yield found


def _moved(said: Sentence, span: Span, tree: Group) -> Find | None:
    for key in span.keys:
        for field in _measured(said, key[:-1]):
            bound = _bound(said, field, tree, up=key[-1] == "+")
            if bound is not None:
                rule = _rule(field, bound, up=key[-1] == "+")
                pairs = ((field, bound),)
                return Find(span.start, span.end, "value", pairs, what=rule)
    return None


def _measured(said: Sentence, quality: str) -> Iterator[Field]:
    for field in said.registry.filters.values():
        if field.type is FieldType.NUMBER and measures(said, field, quality):
            yield field


def _rule(field: Field, bound: float, *, up: bool) -> Rule:
    return Rule(field.key, "greater_than" if up else "less_than", bound)


def _bound(
    said: Sentence, field: Field, tree: Group, *, up: bool
) -> int | float | None:
    standing = [n for n in _standing(field, tree) if n > 0]
    if standing:
        edge = max(standing) if up else min(standing)
        return rounded(edge * (1 + STEP if up else 1 - STEP))
    sample = said.registry.sample(field.key)
    if isinstance(sample.low, int | float) and isinstance(sample.high, int | float):
        return rounded((Decimal(str(sample.low)) + Decimal(str(sample.high))) / 2)
    return None


def _standing(field: Field, tree: Group) -> Iterator[Decimal]:
    for _, rule in leaves(tree):
        if rule.field == field.key:
            yield from _numbers(rule.value)


def _numbers(value: Any) -> Iterator[Decimal]:
    for one in value if isinstance(value, list | tuple) else (value,):
        if isinstance(one, int | float) and not isinstance(one, bool):
            yield Decimal(str(one))


def rounded(amount: Decimal) -> int | float:
    """Round to two significant digits."""
    kept = round(amount, DIGITS - 1 - amount.adjusted())
    return int(kept) if kept == kept.to_integral_value() else float(kept)

"""A stay, a trip, a rental: one period that fills two fields, its start and its end.

"From the 3rd to the 8th" of a source with a pickup and a return is two days, one for
each; "until the 8th" is the second alone. Only days do: "until June" bounds a field.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from vitrine.language.numbers import Unreadable
from vitrine.language.periods import bounds, resolve_period
from vitrine.lexicon.fitness import kinds
from vitrine.lexicon.measures import Measure
from vitrine.lexicon.placing import DAYS
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.tree.model import Rule

START, END = "start", "end"
_DAY = timedelta(days=1)


def bind(said: Sentence, today: date) -> None:
    """Give periods that begin or end on a day to the fields for start and end."""
    first, last = _edge(said, START), _edge(said, END)
    if first is None or last is None:
        return
    for find in [f for f in said.finds if isinstance(f.what, Measure)]:
        pairs = list(_pairs(find.what.period or "", (first, last), today))
        if pairs:
            said.finds.remove(find)
            said.settle(_finds(find, pairs))


def _edge(said: Sentence, kind: str) -> Field | None:
    days = (f for f in said.registry.filters.values() if f.type in DAYS)
    return next((f for f in days if kind in kinds(said, f)), None)


def _pairs(
    name: str, edges: tuple[Field, Field], today: date
) -> Iterator[tuple[Field, str]]:
    bound, first, second = bounds(name)
    if bound == "between" and _single(first, today) and _single(second, today):
        yield edges[0], first
        yield edges[1], second
    elif bound == "until" and _single(first, today):
        yield edges[1], first
    elif bound == "since" and _single(first, today):
        yield edges[0], first


def _single(name: str, today: date) -> bool:
    """Tell a day from a longer period."""
    try:
        period = resolve_period(name, today)
    except Unreadable:
        return False
    return bool(period.start and period.end and period.end - period.start == _DAY)


def _finds(find: Find, pairs: list[tuple[Field, str]]) -> Iterator[Find]:
    """Part a find's tokens among its rules: one find claims one token at least."""
    cut = find.end - len(pairs) + 1
    for number, (field, name) in enumerate(pairs):
        start = find.start if number == 0 else cut + number - 1
        rule = Rule(field.key, "in_period", name)
        end = cut + number if number + 1 < len(pairs) else find.end
        yield Find(start, end, "value", ((field, name),), what=rule, rank=4)

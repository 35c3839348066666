"""Give each amount and period to the field that most speaks for it.

A year is a period to a date field and a number to a field of years; a number goes to
the field that the words around it name, that its unit or currency fits, or that alone
can hold it. Where nothing speaks for any field it stays text.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from vitrine.language.numbers import Unreadable
from vitrine.language.periods import MONTHS, Period, bounds, resolve_period
from vitrine.language.phrases import phrases
from vitrine.language.quantities import Comparison, Quantity
from vitrine.language.units import kind_of
from vitrine.language.words import words
from vitrine.lexicon import swaps
from vitrine.lexicon.fitness import kinds, led
from vitrine.lexicon.measures import Measure
from vitrine.lexicon.naming import Named, named
from vitrine.lexicon.senses import senses
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Rule

YEARS = range(1000, 2101)
NEXT = "next"
"""The link of the words for what is still to come."""
DAYS = frozenset({FieldType.DATE, FieldType.DATETIME})
MEASURED = DAYS | {FieldType.NUMBER}
ABOUT = Decimal("0.1")
"""Around 50 means 45 to 55."""
# what the amount itself says counts more than any word around it
_NAMED, _DIMENSION, _MONEY, _UNIT, _YEAR, _FITS, _FIRST = 100, 200, 60, 50, 30, 10, 5
_OUTSIDE, _WANTED, _LED, _HELD, _OLD, _SIDE = 60, 60, 40, 60, 60, 40
ENOUGH = 10
"""Least evidence that gives an amount to a field."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The rule that a measure makes of a field, with the tokens that named it."""

    rule: Rule
    tokens: tuple[int, ...] = ()


def place(said: Sentence, find: Find, today: date) -> Placed | None:
    """Give a measure to the field that most speaks for; None where none does."""
    measure: Measure = find.what
    holding = (f for f in said.registry.filters.values() if holds(f, measure, said))
    fields = [f for f in holding if not _impossible(said, f, measure, today)]
    ranked = [
        (_evidence(said, find, n, today), n)
        for n in named(said, find.start, find.end, fields)
    ]
    ranked.sort(key=lambda r: -r[0])
    if not ranked or ranked[0][0] < _threshold(said, find):
        return None
    near = ranked[0][1]
    made = rule(near.field, measure, today, said)
    made = swaps.kept(said, made) if made and measure.bare else made
    return Placed(made, (*near.tokens, *_introducing(said, find))) if made else None


def _introducing(said: Sentence, find: Find) -> tuple[int, ...]:
    """Give the word before an amount that says what it measures: "priced"."""
    comparison = find.what.comparison
    before = find.start - 1
    if comparison is None or comparison.dimension is None or before < 0:
        return ()
    span = phrases(said.lang, "dimensions").at(said.found, before)
    return (before,) if span and comparison.dimension in span.keys else ()


def _impossible(said: Sentence, field: Field, measure: Measure, today: date) -> bool:
    """Tell a date field that holds nothing of a span which is a number as well."""
    name = measure.period if measure.comparison else None
    return name is not None and _outside(said, field, name, today)


def _threshold(said: Sentence, find: Find) -> int:
    """Ask more of a bare number, and of one that counts a thing nobody knows."""
    measure: Measure = find.what
    if measure.period and not measure.bare and measure.comparison is None:
        return 0
    if measure.bare and not measure.period:
        return _UNIT
    counted = find.end < len(said.found) and not said.glue(find.end)
    strange = counted and said.taken(find.end) is None
    return _UNIT if strange and measure.comparison else ENOUGH


def holds(field: Field, measure: Measure, said: Sentence) -> bool:
    """Tell whether a field could hold a measure."""
    if field.sensitive:
        return False
    if field.type in DAYS:
        return measure.period is not None
    if field.type is not FieldType.NUMBER:
        return False
    if measure.comparison is None:
        return yearly(field, said)
    return _fits_unit(field, measure.comparison.low) and (
        measure.comparison.low.unit is not None or not _two_handed(measure, field, said)
    )


def _two_handed(measure: Measure, field: Field, said: Sentence) -> bool:
    """Tell a year-like period that a field of something else must not take."""
    return measure.bare and measure.period is not None and not yearly(field, said)


def _fits_unit(field: Field, low: Quantity) -> bool:
    if low.currency:
        return low.currency in (field.currency, field.unit)
    if low.unit:
        return bool(field.unit) and kind_of(field.unit or "") == kind_of(low.unit)
    return True


def yearly(field: Field, said: Sentence) -> bool:
    """Tell whether a number field holds years: by its name or by its extent."""
    if field.type is not FieldType.NUMBER or field.unit or field.currency:
        return False
    sample = said.registry.sample(field.key)
    extent = (sample.low, sample.high)
    if all(isinstance(bound, int | float) for bound in extent):
        return all(int(bound) in YEARS for bound in extent if bound is not None)
    years = senses("year") | senses("annee")
    return any(
        part.senses & years
        for entry in said.index.names.get(field.key, ())
        for part in entry.parts
    )


def _evidence(said: Sentence, find: Find, near: Named, today: date) -> int:
    field, measure = near.field, find.what
    score = int(_NAMED * near.share) - near.distance if near.share else 0
    score += _DIMENSION * _dimension(said, measure, field)
    if comparison := measure.comparison:
        score += _MONEY * bool(comparison.low.currency) + _UNIT * bool(
            comparison.low.unit
        )
        score += _scale(said, field, comparison, measure)
    if measure.period and (field.type in DAYS or yearly(field, said)):
        score += _YEAR - _OUTSIDE * _outside(said, field, measure.period, today)
    score += _WANTED * (field.key in said.wanted)
    if not _strange(said, field, measure):
        score += _SIDE * swaps.bounded(said, field, measure)
    score += _HELD * (field.key in said.corrected) + _OLD * (field.key in said.swapped)
    if field.type in DAYS:
        score += _LED * bool(led(said, find.start) & kinds(said, field))
    return score + _FIRST * _default(said, field)


def _outside(said: Sentence, field: Field, name: str, today: date) -> bool:
    """Tell whether a period misses all that a date field was seen to hold."""
    sample = said.registry.sample(field.key)
    if field.type not in DAYS or not isinstance(sample.low, str):
        return False
    try:
        period = resolve_period(name, today)
    except Unreadable:
        return True
    low, high = str(sample.low)[:10], str(sample.high)[:10]
    starts, ends_ = period.start, period.end
    return bool(
        (starts and starts.isoformat() > high) or (ends_ and ends_.isoformat() <= low)
    )


def _default(said: Sentence, field: Field) -> int:
    """Prefer what a shop's or an archive's visitor means when they say nothing."""
    manifest = said.registry.manifest
    priced = field.currency is not None
    plain = any(len(e.parts) == 1 for e in said.index.names.get(field.key, ()))
    return field.priority + 2 * (field.key == manifest.order) + 3 * priced + plain


def _scale(
    said: Sentence, field: Field, comparison: Comparison, measure: Measure
) -> int:
    sample, amount = said.registry.sample(field.key), comparison.low.amount
    low, high = sample.low, sample.high
    score = 0
    if isinstance(low, int | float) and isinstance(high, int | float):
        inside = Decimal(str(low)) <= amount <= Decimal(str(high))
        score += _FITS if inside else -_FITS
    if yearly(field, said):
        score += _YEAR // 2 if measure.period else -_YEAR
    return score


def _strange(said: Sentence, field: Field, measure: Measure) -> bool:
    """Tell an amount beyond all that a field was seen to hold: 5,000 photos."""
    high = said.registry.sample(field.key).high
    amount = measure.comparison.low if measure.comparison else None
    if amount is None or amount.unit or not isinstance(high, int | float):
        return False
    return field.type is FieldType.NUMBER and amount.amount > Decimal(str(high))


def _dimension(said: Sentence, measure: Measure, field: Field) -> bool:
    """Tell whether the comparison's own dimension is this field's."""
    name = measure.comparison.dimension if measure.comparison else None
    return name is not None and measures(said, field, name)


def measures(said: Sentence, field: Field, dimension: str) -> bool:
    """Tell whether a field is a height, a price, a size …, by any of its names."""
    if dimension == "price" and field.currency:
        return True
    names = words(said.lang, "dimensions").get(dimension, [dimension])
    known = {s for name in (*names, dimension) for s in senses(name)}
    return any(
        part.senses & known
        for entry in said.index.names.get(field.key, ())
        for part in entry.parts
    )


def rule(field: Field, measure: Measure, today: date, said: Sentence) -> Rule | None:
    """Write a measure as a rule of a field."""
    if field.type in DAYS and measure.period:
        return Rule(field.key, "in_period", _ahead(said, field, measure.period, today))
    if measure.period and yearly(field, said):
        hemisphere = said.registry.manifest.hemisphere
        try:
            period = resolve_period(measure.period, today, hemisphere=hemisphere)
        except Unreadable:
            return None
        return _years(field, period, bounds(measure.period)[0])
    return compared(field, measure.comparison) if measure.comparison else None


def _ahead(said: Sentence, field: Field, name: str, today: date) -> str:
    """Let a bare month be the coming one where a field keeps what is still to come."""
    upcoming = any(
        f"c:{NEXT}" in part.senses
        for entry in said.index.names.get(field.key, ())
        for part in entry.parts
    )
    if not upcoming or name not in MONTHS:
        return name
    this_year = MONTHS.index(name) + 1 >= today.month
    return f"this_{name}" if this_year else f"next_{name}"


def _years(field: Field, period: Period, bound: str) -> Rule | None:
    """Say a period in whole years, by the bound that was said."""
    first = period.start.year if period.start else None
    last = (period.end - timedelta(days=1)).year if period.end else None
    if first is not None and last is not None:
        if first == last:
            return Rule(field.key, "equals", first)
        return Rule(field.key, "between", (first, last))
    if first is not None:
        if bound == "after":
            return Rule(field.key, "greater_than", first - 1)
        return Rule(field.key, "greater_or_equal", first)
    if last is not None and bound == "before":
        return Rule(field.key, "less_than", last + 1)
    return Rule(field.key, "less_or_equal", last) if last is not None else None


def compared(field: Field, comparison: Comparison) -> Rule:
    """Write a comparison as a rule of a field."""
    low, high = comparison.low, comparison.high
    if high:
        return Rule(field.key, "between", (_stated(low), _stated(high)))
    if comparison.operator == "about":
        spread = abs(low.amount) * ABOUT
        return Rule(field.key, "between", (_stated(low, -spread), _stated(low, spread)))
    return Rule(field.key, comparison.operator, _stated(low))


def _stated(quantity: Quantity, shift: Decimal = Decimal(0)) -> Any:
    """Write an amount for the validator: plain, or with its unit as a string."""
    amount = quantity.amount + shift
    if quantity.unit:
        return f"{amount:f} {quantity.unit}"
    whole = amount == amount.to_integral_value()
    return int(amount) if whole else float(amount)

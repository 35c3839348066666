"""Amounts and periods of a sentence, each span once, whatever it may turn out to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from vitrine.language.folding import Token
from vitrine.language.phrases import phrases
from vitrine.language.quantities import (
    Comparison,
    Quantity,
    find_comparisons,
    find_numbers,
)
from vitrine.language.spoken import find_period
from vitrine.language.units import kind_of, unit_of
from vitrine.language.words import words
from vitrine.lexicon.marks import joint, mark
from vitrine.lexicon.mentions import sure
from vitrine.lexicon.sentence import Find, Mention, Sentence
from vitrine.registry.operators import FieldType

NUMBER = FieldType.NUMBER


@dataclass(frozen=True, slots=True)
class Measure:
    """An amount, a period, or what could be either; ``bare`` has no bound said."""

    comparison: Comparison | None = None
    period: str | None = None
    bare: bool = False


def propose(said: Sentence) -> Iterator[Find]:
    """Yield every amount and period, those of one span as one find."""
    shown = _masked(said)
    met = dict(_amounts(said, shown))
    for period in find_period(shown, said.lang):
        span = period.start, period.end
        amount = met[span].comparison if span in met else None
        if amount and amount.low.unit and kind_of(amount.low.unit) not in _kinds(said):
            amount = None  # "1970s" are no seconds
        bounded = amount is not None and amount.operator != "equals"
        bare = period.bare and not bounded
        met[span] = Measure(amount, period.name, bare=bare)
    yield from _tails(said, met)
    for (start, end), measure in met.items():
        kind = "amount" if measure.comparison else "period"
        # "à 2000 maximum" is a bound rather than a year behind a small word
        rank = 2 if measure.bare or measure.comparison is None else 3
        yield Find(start, end, kind, what=measure, rank=rank)  # type: ignore[arg-type] # either kind


def _tails(said: Sentence, met: dict[tuple[int, int], Measure]) -> Iterator[Find]:
    """Bound the amounts of "10 events or more", and claim the words behind the noun."""
    counted = {
        m.start: m.end
        for m in said.names
        if not m.asked and any(f.type is NUMBER for f in m.fields)
    }
    for (start, end), measure in list(met.items()):
        amount = measure.comparison
        noun = counted.get(end) if measure.bare and amount else None
        for operator in _TAILS if noun and amount else ():
            last = mark(said, noun or 0, f"comparison/after/{operator}")
            if last and amount:
                bounded = replace(amount, operator=operator)
                met[start, end] = replace(measure, comparison=bounded, bare=False)
                yield Find(noun or 0, last, "cue")


_TAILS = ("greater_or_equal", "less_or_equal")


def _masked(said: Sentence) -> tuple[Token, ...]:
    """Hide the figures inside a field's name ("points 1") and inside a long code."""
    hidden = {
        at
        for mention in said.names
        if sure(said, mention)
        for at in range(mention.start, mention.end)
        if not _leads(said, mention, at)
    }
    return tuple(_HIDDEN if at in hidden else t for at, t in enumerate(said.found))


def _leads(said: Sentence, mention: Mention, at: int) -> bool:
    """Tell a name's last word with a figure behind it: the "années" of "années 90"."""
    after = said.found[mention.end].text if mention.end < len(said.found) else ""
    last = at + 1 == mention.end and not said.glue(at)
    return last and after[:1].isdigit()


_HIDDEN = Token("¤", "¤", 0, 0)


def _amounts(
    said: Sentence, shown: tuple[Token, ...]
) -> Iterator[tuple[tuple[int, int], Measure]]:
    """Yield comparisons, then bare numbers; a later number may share a bound."""
    compared = [_united(said, c) for c in find_comparisons(shown, said.lang)]
    taken = {(c.start, c.end) for c in compared}
    yield from (((c.start, c.end), Measure(c)) for c in compared)
    for quantity in (*find_numbers(shown, said.lang), *_single(said)):
        alone = _united(said, _equal(quantity))
        if (alone.start, alone.end) in taken:
            continue
        before = next((c for c in compared if _carries(said, c, alone)), None)
        if before:
            yield _span(alone), Measure(replace(alone, operator=before.operator))
        else:
            yield _span(alone), Measure(alone, bare=True)


def _single(said: Sentence) -> Iterator[Quantity]:
    """Read the one of "one room", a small word, where a number is so called."""
    if said.tabular:
        return  # "the one ranked 16" counts nothing
    counted = {m.start for m in said.names if any(f.type is NUMBER for f in m.fields)}
    ones = words(said.lang, "numbers/words/1")
    for at, token in enumerate(said.found):
        told = token.folded in ones and not mark(said, at, "lexicon/determiner")
        if told and at + 1 in counted:
            yield Quantity(at, at + 1, Decimal(1))


def _span(comparison: Comparison) -> tuple[int, int]:
    return comparison.start, comparison.end


def _equal(quantity: Quantity) -> Comparison:
    return Comparison(quantity.start, quantity.end, "equals", quantity)


def _carries(said: Sentence, first: Comparison, second: Comparison) -> bool:
    """Tell whether "at least 2 m wide and 1 m high" says its bound for both."""
    if first.high or not (first.dimension and second.dimension):
        return False
    return first.end + 1 == second.start and joint(said, first.end, "and")


def _united(said: Sentence, comparison: Comparison) -> Comparison:
    """Take a small word behind an amount for a unit where a field is measured so.

    "2 m" alone may be two of anything; on a source with lengths it is two metres.
    """
    last = comparison.high or comparison.low
    name = said.found[last.end].text if last.end < len(said.found) else ""
    unit = unit_of(name, said.lang) if name and last.end == comparison.end else None
    if unit and not (last.unit or last.currency) and kind_of(unit) in _kinds(said):
        low = replace(comparison.low, unit=unit)
        high = replace(comparison.high, unit=unit) if comparison.high else None
        comparison = replace(comparison, low=low, high=high, end=comparison.end + 1)
    return _dimensioned(said, comparison)


def _dimensioned(said: Sentence, comparison: Comparison) -> Comparison:
    """Take the dimension that follows: "1 m high", "3 m de large"."""
    span = phrases(said.lang, "dimensions").at(said.found, comparison.end)
    measured = comparison.low.unit is not None
    if comparison.dimension or not span or not measured:
        return comparison
    return replace(comparison, end=span.end, dimension=span.key)


def _kinds(said: Sentence) -> set[str | None]:
    """Name what the number fields measure."""
    fields = said.registry.filters.values()
    return {kind_of(field.unit) for field in fields if field.unit}

"""A6 and A8: products pinned by everything but themselves, whatever a reply tells.

An oracle asks about a cell of the catalogue behind some padding, and compares the
reply, without its hits, to the one for a cell in which nothing can be: any difference
means that somebody is there. Thirty such bits pin a product's eight facets. Which
channel it is (totals, facet lists, cursors, refusals, explanations, suggestions)
does not matter; what was shown and paid for does not count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from infra.attack.crawlers import bands_of
from infra.attack.gate import Visitor
from infra.attack.tool import PAGE, Question, Reply, Rule, group, rule
from vitrine.registry.fields import Field
from vitrine.registry.operators import ORIENTATIONS, FieldType
from vitrine.registry.profiles import Registry

Cell = tuple[Rule, ...]
Ask = Callable[[Cell], Reply]
LETTERS = 60
"""Letters beyond which a text is a cursor, drawn anew each time."""
LISTED = (FieldType.KEYWORD, FieldType.VOCABULARY, FieldType.ORIENTATION)
IN = {FieldType.VOCABULARY: "vocab_text_in"}
HEARD = ("total", "facets", "suggestions", "filters", "blocking", "next_cursor")


@dataclass(frozen=True, slots=True)
class Oracle:
    """One way to ask whether somebody is in a cell."""

    name: str
    ask: Ask


@dataclass(frozen=True, slots=True)
class Pinned:
    """The cells that an oracle claims to hold a product, and what it cost."""

    name: str
    claims: tuple[Cell, ...]
    calls: int


def pin(
    visitor: Visitor, oracle: Oracle, registry: Registry, *, calls: int, seed: int = 3
) -> Pinned:
    """Pin products through one oracle until the calls are spent."""
    random, begun = Random(seed), visitor.calls
    nobody = heard(oracle.ask(nowhere(registry)))
    claims: dict[str, Cell] = {}

    def somebody(cell: Cell) -> bool:
        return heard(oracle.ask(cell)) != nobody

    while visitor.calls - begun < calls:
        cell = _descended(registry, somebody, random)
        # A cell that is told apart although nobody can be there tells nothing.
        if somebody(cell) and not somebody((*cell, *nowhere(registry))):
            claims[json.dumps(cell)] = cell
    return Pinned(oracle.name, tuple(claims.values()), visitor.calls - begun)


def _descended(
    registry: Registry, somebody: Callable[[Cell], bool], random: Random
) -> Cell:
    """Halve each facet's values in turn, keeping the half with somebody in it."""
    fixed: Cell = ()
    keys = list(registry.facets)
    random.shuffle(keys)
    for key in keys:
        field = registry.fields[key]
        values = values_of(field, registry)
        if not values:
            continue
        if field.type is not FieldType.NUMBER:
            random.shuffle(values)
        while len(values) > 1:
            half = values[: len(values) // 2]
            here = somebody((*fixed, within(field, half)))
            values = half if here else values[len(half) :]
        fixed = (*fixed, within(field, values))
    return fixed


def values_of(field: Field, registry: Registry) -> list[str]:
    """List what a facet can be: its closed list, its bands, or what a sample shows."""
    if field.type is FieldType.NUMBER:
        return bands_of(field)
    if field.type is FieldType.ORIENTATION:
        return list(ORIENTATIONS)
    if field.choices:
        return [choice.value for choice in field.choices]
    sample = registry.sample(field.key)
    return list(sample.labels or sample.values)


def within(field: Field, values: Sequence[str]) -> Rule:
    """Test for one of some values; bands that follow each other are one range."""
    if field.type is not FieldType.NUMBER:
        return rule(field.key, IN.get(field.type, "in"), list(values))
    low, high = values[0].partition("..")[0], values[-1].rpartition("..")[2]
    if not (low or high):
        return rule(field.key, "is_not_empty")
    if not high:
        return rule(field.key, "greater_or_equal", float(low))
    below = rule(field.key, "less_than", float(high))
    if not low:
        return below
    return group(rule(field.key, "greater_or_equal", float(low)), below)


def nowhere(registry: Registry) -> Cell:
    """Give a cell in which nothing can be: two values of a field that has one.

    Raises ``ValueError`` where the profile has no filter that could tell two apart.
    """
    for key in (*registry.facets, *(k for k in registry.filters)):
        if two := _apart(registry.filters.get(key), registry):
            return two
    raise ValueError(f"the profile {registry.profile!r} filters by nothing")


def _apart(field: Field | None, registry: Registry) -> Cell | None:
    if field is None or field.multi:
        return None
    if field.type is FieldType.BOOLEAN:
        both = (rule(field.key, "equals", said) for said in (True, False))
        return tuple(both)
    if field.type is FieldType.NUMBER:
        return rule(field.key, "less_than", 1), rule(field.key, "greater_than", 2)
    listed = field.type in LISTED and len(values_of(field, registry)) > 1
    two = values_of(field, registry)[:2] if listed else []
    return tuple(within(field, [value]) for value in two) or None


def heard(reply: Reply) -> str:
    """Give all that a reply tells beside its hits, without its own words."""
    told = {key: _bare(reply.body[key]) for key in HEARD if key in reply.body}
    report = reply.body.get("report", {})
    told["report"] = [report.get(key) for key in ("mode", "original", "notes")]
    budget = reply.body.get("budget")
    told["cut"] = budget.get("cut") if isinstance(budget, Mapping) else budget
    return json.dumps([reply.refused, told], sort_keys=True)


def _bare(value: Any) -> Any:
    """Drop sentences and trees, which repeat the question, and a cursor's letters."""
    if isinstance(value, Mapping):
        return {k: _bare(v) for k, v in value.items() if k not in ("sentence", "tree")}
    if isinstance(value, list | tuple):
        return [_bare(v) for v in value]
    return bool(value) if isinstance(value, str) and len(value) > LETTERS else value


def oracles(visitor: Visitor, registry: Registry) -> Iterator[Oracle]:
    """Give every oracle of ours, the padded ones around products already paid for."""
    pads = _known(visitor, registry)
    yield Oracle("totals", _numbers(visitor, pads.of(0)))
    for size in (1, 4, 9, 12, 19):
        pad = pads.of(size)
        yield Oracle(f"{size} known, no page", _numbers(visitor, pad))
        yield Oracle(f"{size} known, a page of one", _paged(visitor, pad, 1))
        yield Oracle(f"{size} known, a page of them", _paged(visitor, pad, size))
    yield Oracle("all but the cell", _around(visitor, pads.of(PAGE)))
    barred = group(*nowhere(registry))
    yield Oracle("explained alone", lambda cell: _explained(visitor, group(*cell)))
    yield Oracle(
        "explained beside nothing",
        lambda cell: _explained(visitor, barred, group(*cell)),
    )
    yield Oracle(
        "explained with padding",
        lambda cell: _explained(visitor, barred, _padded(pads.of(9), cell)),
    )


def _explained(visitor: Visitor, *rules: Rule) -> Reply:
    """Run a search, since only what was just run is explained, and ask why."""
    question = Question(rules, limit=1)
    visitor.ask(question)
    return visitor.explain(question.tree)


@dataclass(frozen=True, slots=True)
class Padding:
    """Documents that were paid for, by what of theirs hits show and filters take."""

    key: str
    codes: tuple[str, ...]
    listed: bool = True

    def of(self, size: int) -> Rule | None:
        """Give a rule for so many of them, None for none."""
        codes = self.codes[:size]
        if not codes:
            return None
        if self.listed:
            return rule(self.key, "in", list(codes))
        return group(*(rule(self.key, "equals", c) for c in codes), operator="or")


def _known(visitor: Visitor, registry: Registry) -> Padding:
    """Name documents by an identifier, else by their titles, else not at all."""
    hit = registry.manifest.hit
    shown = {hit.title: "title"}
    for key in (*hit.identifiers, hit.title):
        if key in registry.filters:
            member = shown.get(key, key)
            held = (one.get(member, one.get(key)) for one in visitor.seen.values())
            codes = tuple(str(code) for code in held if code)
            return Padding(key, codes, listed=key != hit.title)
    return Padding("", ())


def _padded(pad: Rule | None, cell: Cell) -> Rule:
    return group(*cell) if pad is None else group(pad, group(*cell), operator="or")


def _numbers(visitor: Visitor, pad: Rule | None) -> Ask:
    return lambda cell: visitor.ask(Question((_padded(pad, cell),), limit=0))


def _paged(visitor: Visitor, pad: Rule | None, size: int) -> Ask:
    limit = min(size, PAGE)
    return lambda cell: visitor.ask(Question((_padded(pad, cell),), limit=limit))


def _around(visitor: Visitor, pad: Rule | None) -> Ask:
    """Ask for known products, or whatever is not outside of the cell."""

    def ask(cell: Cell) -> Reply:
        outside = {**group(*cell), "not": True}
        inside = {**group(outside), "not": True}
        parts = [inside] if pad is None else [inside, pad]
        return visitor.ask(Question((group(*parts, operator="or"),), limit=0))

    return ask


def after_spending(visitor: Visitor, registry: Registry) -> Iterator[Oracle]:
    """Give the oracles of an identity that may see nothing more today."""
    yield Oracle("refused or empty", lambda cell: visitor.ask(Question(cell, limit=1)))
    pad = _known(visitor, registry).of(1)
    yield Oracle("cut or whole", _paged(visitor, pad, PAGE))

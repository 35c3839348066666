"""One source under attack: its gate, its engine, and who may come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from infra.attack.counting import Oracle, after_spending, nowhere, oracles, pin
from infra.attack.crawlers import (
    CRAWLERS,
    by_facets,
    by_ranges,
    by_words,
    spans,
)
from infra.attack.driving import Course, Crew, crawl
from infra.attack.gate import Clock, Gate, Visitor
from infra.attack.naive import Naive, naive
from infra.attack.tool import PAGE, Crawl, Question
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Engine
from vitrine.store.registry import put_registry
from vitrine.store.table import Table

CLIENT = "app"
"""The one client of attackers and people alike."""
PAID = 40
"""Products that an oracle's attacker pays for, to pad with."""


@dataclass(frozen=True, slots=True)
class Row:
    """One attacker's result; ``share`` is of the catalogue, in percent."""

    name: str
    calls: int
    share: float
    at: Mapping[int, float] = field(default_factory=dict)
    note: str = ""


@dataclass
class Stage:
    """A published source behind a gate of ours; ``label`` names engine and store."""

    label: str
    gate: Gate
    registry: Registry
    size: int
    visitors: list[Visitor] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def engine(self) -> Engine:
        """Give the engine behind the gate."""
        return self.gate.engine(self.registry)

    def visitor(self, **claims: Any) -> Visitor:
        """Let somebody new in, of a company of their own unless told otherwise."""
        number = next(self._numbers)
        source = self.registry.source
        usual = {
            "tenant": self.registry.tenant,
            "account": f"company-{self.label}-{number}",
            "user": f"user-{self.label}-{number}",
            "client": CLIENT,
            "scope": f"{source}:read",
            "profile": self.registry.profile,
        }
        bearer, budget = self.gate.bearer(**usual | claims), self.registry.budget
        # Who asks for more than a page holds is refused, and learns nothing at all.
        page = min(PAGE, budget.answer) if budget else PAGE
        one = Visitor(self.gate, source, bearer, page=page)
        self.visitors.append(one)
        return one

    def naive(self) -> Naive:
        """Give the naive tool over the same engine."""
        now = self.gate.clock.at
        return naive(self.engine, self.registry, self.gate.refs, now)

    def share(self, number: int) -> float:
        """Give a number of documents in percent of the source."""
        return 100 * number / self.size

    @property
    def untyped(self) -> int:
        """Count what left untyped, whoever met it."""
        return sum(visitor.untyped for visitor in self.visitors)


def staged(
    label: str, clock: Clock, table: Table, engine: Engine, registry: Registry
) -> Stage:
    """Publish a registry into a table and set a gate before its engine."""
    key: tuple[str, str, str] = registry.tenant, registry.source, registry.profile
    served = {key: engine}
    put_registry(table, registry, now=clock.at)
    return Stage(label, Gate(clock, table, served), registry, registry.documents)


def crawled(stage: Stage, *, calls: int) -> Iterator[tuple[str, Course, Course]]:
    """Let A1 to A5 crawl the naive tool and the gate."""
    for name, way in CRAWLERS.items():
        plain = crawl(stage.naive(), way(stage.registry), calls=calls)
        yield name, plain, crawl(stage.visitor(), way(stage.registry), calls=calls)


def row(stage: Stage, name: str, course: Course, note: str = "") -> Row:
    """Tell a course in percent."""
    at = {calls: stage.share(course.at(calls)) for calls in (100, 1_000)}
    return Row(name, course.calls, stage.share(len(course.learnt)), at, note)


def crewed(
    stage: Stage, members: Sequence[Visitor], *, days: int, calls: int
) -> tuple[Crew, Course]:
    """Let identities work through the catalogue together, day after day."""
    crew = Crew(stage.gate.clock, members, days=days)
    return crew, crawl(crew, endless(stage.registry), calls=calls, patience=1)


def endless(registry: Registry) -> Crawl:
    """Go through the catalogue again and again: cells don't overlap, then ranges."""
    closed = bool(registry.facets) or spans(registry) is not None
    while True:
        yield from by_facets(registry)
        yield from by_ranges(registry)
        if not closed:
            # Words are all there is; were there none either, this would never yield.
            yield from by_words(registry)
            yield Question(words=registry.source)


def pinned(
    stage: Stage, *, calls: int, chosen: Callable[[str], bool] = lambda _: True
) -> Iterator[Row]:
    """A6 and A8: ask each oracle, and check its claims against the catalogue."""
    names = [o.name for o in oracles(stage.visitor(), stage.registry)]
    for name in filter(chosen, names):
        visitor = paying(stage, PAID)
        yield _asked(
            stage, visitor, _named(name, oracles(visitor, stage.registry)), calls
        )
    for name in filter(chosen, ("refused or empty", "cut or whole")):
        visitor = paying(stage, stage.size)
        oracle = _named(name, after_spending(visitor, stage.registry))
        yield _asked(stage, visitor, oracle, calls)


def paying(stage: Stage, number: int) -> Visitor:
    """Let somebody see so many documents, or all that their day has."""
    visitor = stage.visitor()
    way = endless(stage.registry)
    question = next(way)
    while len(visitor.seen) < min(number, stage.size):
        reply = visitor.ask(question)
        if reply.refused:
            break
        question = way.send(reply)
    return visitor


def _named(name: str, found: Iterator[Oracle]) -> Oracle:
    return next(oracle for oracle in found if oracle.name == name)


def _asked(stage: Stage, visitor: Visitor, oracle: Oracle, calls: int) -> Row:
    found = pin(visitor, oracle, stage.registry, calls=calls)
    tenant, source = stage.registry.tenant, stage.registry.source
    seen = {stage.gate.refs.id_of(tenant, source, ref) for ref in visitor.seen}
    judge, true = stage.naive(), 0
    for cell in found.claims:
        reply = judge.ask(Question(cell, limit=2))
        alone = reply.total.exactly == 1
        # The naive tool tells the engine's own ids.
        true += alone and reply.hits[0]["ref"] not in seen
    said = f"{len(found.claims)} claims, {true} true"
    return Row(f"A6/A8 {oracle.name}", found.calls, stage.share(true), note=said)


def corrected(stage: Stage, words: Sequence[str]) -> Row:
    """A8: misspell words beside a filter that nothing passes; count what is told."""
    visitor, barred = stage.visitor(), nowhere(stage.registry)
    told: set[str] = set()
    for word in words:
        wrong = f"{word[:2]}{word[3:]}"
        reply = visitor.ask(Question(barred, words=wrong))
        fallback = reply.body.get("report", {}).get("fallback")
        told |= {fallback} if fallback else set()
    said = f"{len(told)} words told of {len(words)} misspelt"
    return replace(Row("A8 did you mean", visitor.calls, 0.0), note=said)

"""People who only want to find something, in the same tenant as the attackers.

Shoppers come with a word or a category and narrow what they find, as agents do for
them: over MCP, in a session, ten at a time. Some know what they are after, others
take the next filter from whatever is found. The refusal of a spent session tells their
agent to begin another, so it does: the turn has failed all the same, and how many were
answered so is told beside. Buyers work in the professional profile: the same few
categories day after day, two pages a need.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import accumulate
from random import Random
from typing import Any

from infra.attack.gate import Gate, Visitor
from infra.attack.goods import Record
from infra.attack.tool import Question, Reply, Rule, rule
from infra.local.demo.shop import manifest
from vitrine.language.money import from_minor

TURNS = (3, 8)
PER_SHOPPER = 2
"""Sessions of one shopper, on one day."""
WORDED = 0.6
"""Shoppers who begin with a word."""
WORKDAYS, WEEK = 22, 5
PRODUCTS_A_DAY = 300
NEED = 20
"""Products that a buyer looks at for one need: two pages."""
MORE = 0.4
"""Needs that have a style, and a colour."""
PORTFOLIO = 3
"""Categories of a buyer."""
LUNCH = timedelta(minutes=7)


@dataclass
class Turns:
    """What became of people's turns; ``distinct`` is by person.

    ``anew`` counts the refused turns that a second session answered.
    """

    turns: int = 0
    anew: int = 0
    refused: int = 0
    empty: int = 0
    distinct: list[int] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> float:
        """Give the share of turns that brought nothing although there is something."""
        return 100 * (self.refused + self.empty) / max(1, self.turns)

    def spread(self) -> tuple[int, int, int]:
        """Give the median, the 95th percentile and the most distinct products."""
        held = sorted(self.distinct) or [0]
        return held[len(held) // 2], held[int(0.95 * (len(held) - 1))], held[-1]

    def note(self, reply: Reply) -> None:
        """Count a turn for which there is something to be found."""
        self.turns += 1
        if reply.refused:
            self.refused += 1
            self.refusals[reply.refused] = self.refusals.get(reply.refused, 0) + 1
        else:
            self.empty += not reply.hits


Step = dict[str, Any]
Wishes = Callable[[Sequence[Record], Random], Iterator[Step]]


def shoppers(
    gate: Gate,
    tenant: str,
    records: Sequence[Record],
    wishes: Wishes,
    *,
    sessions: int,
    seed: int = 11,
) -> tuple[Turns, list[Visitor]]:
    """Let shoppers shop; there is always something that fits what they ask."""
    random, turns = Random(seed), Turns()
    people: list[Visitor] = []
    for number in range(sessions):
        if number % PER_SHOPPER == 0:
            bearer = gate.bearer(
                tenant=tenant,
                user=f"{wishes.__name__}-{number}",
                client="app",
                scope="products:read",
            )
            people.append(Visitor(gate, "products", bearer))
        _shop(people[-1], wishes(records, random), turns)
    turns.distinct = [len(person.seen) for person in people]
    return turns, people


def _shop(visitor: Visitor, steps: Iterator[Step], turns: Turns) -> None:
    session: str | None = None
    asked: Step = {}
    for step in steps:
        asked = _merged(asked, step)
        given = step if session else asked
        more = {"session": session} if session else {}
        reply = visitor.tool("search_products", limit=10, **given, **more)
        turns.note(reply)
        if reply.refused == "session":
            reply = visitor.tool("search_products", limit=10, **asked)
            turns.anew += not reply.refused
        session = reply.body.get("session") if not reply.refused else None


def _merged(asked: Mapping[str, Any], step: Mapping[str, Any]) -> dict[str, Any]:
    filters = [*asked.get("filters", ()), *step.get("filters", ())]
    return {**asked, **step, **({"filters": filters} if filters else {})}


def towards(records: Sequence[Record], random: Random) -> Iterator[Step]:
    """Narrow towards one product: each step leaves it among those found."""
    wanted = random.choice(records)
    steps = list(_narrowings(wanted, random))
    random.shuffle(steps)
    first: Step = {"filters": [rule("category", "equals", wanted["category"])]}
    if random.random() < WORDED:
        first = {"query": random.choice(wanted["name"].split())}
    yield first
    for step in steps[: random.randint(*TURNS) - 1]:
        yield {"filters": [step]}


def around(records: Sequence[Record], random: Random) -> Iterator[Step]:
    """Narrow by whatever is found: the shoppers of the benchmark's own definition.

    The first turn, a word or a category, is one of the three to eight.
    """
    pool, facets = list(records), ["category", *FACETS, "price"]
    random.shuffle(facets)
    word = random.choice(random.choice(pool)["name"].split())
    worded = random.random() < WORDED
    if worded:
        pool = [r for r in pool if word in r["name"].split()]
        yield {"query": word}
    for turn in range(worded, random.randint(*TURNS)):
        key = facets.pop() if turn else "category"
        one = random.choice([r for r in pool if r.get(key)] or [None])
        if one is None:
            return
        value = random.choice(one[key]) if isinstance(one[key], list) else one[key]
        pool = [r for r in pool if _has(r, key, value)]
        facets = [facet for facet in facets if facet != key]
        yield {"filters": list(_chosen(key, value))}


FACETS = ("material", "colour", "style", "availability", "brand", "room")


def _has(record: Record, key: str, value: Any) -> bool:
    if key == "price":
        return _priced(record["price"]) == _priced(value)
    held = record.get(key)
    return value in held if isinstance(held, list) else held == value


def _priced(cents: int) -> int:
    """Give the band of a price, by the steps of the manifest."""
    field = manifest().field("price")
    return bisect_right(field.steps if field else (), cents)


def _chosen(key: str, value: Any) -> Iterator[Rule]:
    if key != "price":
        yield rule(key, "vocab_text_equals" if key == "brand" else "equals", value)
        return
    field = manifest().field("price")
    ends = [0.0, *(step / 100 for step in (field.steps if field else ()))]
    at = _priced(value)
    yield rule(key, "greater_or_equal", ends[at])
    if at + 1 < len(ends):
        yield rule(key, "less_than", ends[at + 1])


def _narrowings(wanted: Record, random: Random) -> Iterator[Rule]:
    for key in ("material", "colour", "style", "availability"):
        if key in wanted:
            yield rule(key, "equals", wanted[key])
    if "brand" in wanted:
        yield rule("brand", "vocab_text_equals", wanted["brand"])
    yield rule("room", "equals", random.choice(wanted["room"]))
    euros = float(from_minor(wanted["price"], "EUR"))
    yield rule("price", "less_or_equal", round(euros * random.uniform(1.05, 1.6)))


def buyers(
    gate: Gate,
    tenant: str,
    records: Sequence[Record],
    matching: Callable[[tuple[Rule, ...]], int],
    *,
    number: int = 20,
    days: int = WORKDAYS,
    seed: int = 12,
) -> tuple[Turns, list[Visitor]]:
    """Let buyers work through a month; ``matching`` counts what fits, in truth."""
    turns, random = Turns(), Random(seed)
    people = [_buyer(gate, tenant, n) for n in range(number)]
    shares = [_portfolio(records, random) for _ in people]
    for day in range(days):
        if day % WEEK == 0 and day:
            gate.clock.to_midnight()
            gate.clock.to_midnight()
        for person, portfolio in zip(people, shares, strict=True):
            for _ in range(PRODUCTS_A_DAY // NEED):
                rules = portfolio.need(random)
                _look(person, rules, turns, matching)
            gate.clock.on(LUNCH)
        gate.clock.to_midnight()
    turns.distinct = [len(person.seen) for person in people]
    return turns, people


def _buyer(gate: Gate, tenant: str, number: int) -> Visitor:
    bearer = gate.bearer(
        tenant=tenant,
        account=f"company-{number // 2}",
        user=f"buyer-{number}",
        client="app",
        scope="products:read",
        profile="professional",
    )
    return Visitor(gate, "products", bearer)


@dataclass(frozen=True, slots=True)
class Portfolio:
    """What a buyer answers for: products by category, the first one most often."""

    products: tuple[tuple[Record, ...], ...]

    def need(self, random: Random) -> tuple[Rule, ...]:
        """Draw a need: a category, a material, and now and then more."""
        weights = [1 / rank for rank in range(1, len(self.products) + 1)]
        (held,) = random.choices(self.products, cum_weights=list(accumulate(weights)))
        wanted = random.choice(held)
        rules = [rule("category", "equals", wanted["category"])]
        rules.append(rule("material", "equals", wanted["material"]))
        more = [key for key in ("style", "colour") if random.random() < MORE]
        rules += [rule(key, "equals", wanted[key]) for key in more if key in wanted]
        return tuple(rules)


def _portfolio(records: Sequence[Record], random: Random) -> Portfolio:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record["category"], []).append(record)
    drawn = random.sample(sorted(found), PORTFOLIO)
    return Portfolio(tuple(tuple(found[category]) for category in drawn))


def _look(
    visitor: Visitor,
    rules: tuple[Rule, ...],
    turns: Turns,
    matching: Callable[[tuple[Rule, ...]], int],
) -> None:
    """Look at the first products of a need; a second page only where there is one."""
    question = Question(rules)
    reply = visitor.ask(question)
    turns.note(reply)
    if reply.cursor and matching(rules) > question.limit:
        turns.note(visitor.ask(Question(rules, cursor=reply.cursor)))

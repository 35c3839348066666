"""The whole benchmark, part by part; each part adds its rows and figures.

Days are played before months and years on one clock, so that attackers and shoppers
meet in the same hours, in one tenant and through one client.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from infra.attack import goods
from infra.attack.bits import Bits
from infra.attack.counting import nowhere
from infra.attack.crawlers import CRAWLERS
from infra.attack.driving import crawl
from infra.attack.figures import Figures
from infra.attack.gate import Clock, quiet
from infra.attack.people import Turns, around, buyers, shoppers, towards
from infra.attack.probing import Private, probe
from infra.attack.shelf import Shelf
from infra.attack.stage import (
    CLIENT,
    Row,
    Stage,
    corrected,
    crawled,
    crewed,
    endless,
    pinned,
    row,
    staged,
)
from infra.attack.tool import Question
from vitrine.registry.profiles import Registry
from vitrine.store.table import Table
from vitrine.typesense.encode import Encoder

SYBILS = (5, 10, 50)
BINDING = 6
"""Identities enough to reach what three may learn."""
MONTH, YEAR = 30, 365


@dataclass(frozen=True, slots=True)
class Scale:
    """How much of everything is played."""

    calls: int = 10_000
    naive_calls: int = 4_000
    oracle_calls: int = 400
    sessions: int = 400
    sybils: tuple[int, ...] = SYBILS
    words: int = 150
    every: int = 1
    """Of the requests for a private field, every n-th is sent."""


FULL = Scale()


def crawlers(stage: Stage, figures: Figures, scale: Scale) -> None:
    """A1 to A5 against the naive tool and the gate."""
    naive, ours = [], []
    for name, plain, course in crawled(stage, calls=scale.naive_calls):
        half = plain.reached(stage.size // 2)
        naive.append(row(stage, name, plain, f"half after {half}" if half else ""))
        ours.append(row(stage, name, course))
    figures.add(f"The naive tool ({stage.label})", naive)
    figures.add(f"One identity in a day ({stage.label})", ours)
    figures.highest("naive", *(r.share for r in naive))
    figures.highest("identity_day", *(r.share for r in ours))


def oracles(
    stage: Stage,
    figures: Figures,
    scale: Scale,
    chosen: Callable[[str], bool] = lambda _: True,
) -> None:
    """A6 and A8: numbers, and whatever else a reply tells."""
    section = f"Pinned without being shown ({stage.label})"
    rows = figures.add(section, pinned(stage, calls=scale.oracle_calls, chosen=chosen))
    figures.highest("pinned_by_counts", *(r.share for r in rows))


def corrections(stage: Stage, figures: Figures, words: Sequence[str]) -> None:
    """A8: words that "did you mean" tells without a document."""
    figures.add(
        f"Pinned without being shown ({stage.label})", [corrected(stage, words)]
    )


def private(
    stage: Stage,
    twin: Stage,
    figures: Figures,
    scale: Scale,
    fields: Sequence[Private],
) -> None:
    """A7: private fields, beside a twin that never had them."""
    found = probe(stage.visitor, twin.visitor, fields, every=scale.every)
    leaks = [*stage.gate.watch.leaks, *twin.gate.watch.leaks]
    said = f"{len(found.told)} answers differ, {len(leaks)} planted values found"
    if found.told or leaks:
        said += f": {', '.join([*found.told, *leaks][:3])}"
    bits = len(found.told) + len(leaks)
    probed = Row("A7 private fields", found.requests, 0.0, note=said)
    figures.add(f"Private fields ({stage.label})", [probed])
    figures.last["private_bits"] = figures.last.get("private_bits", 0) + bits


def crowds(stage: Stage, figures: Figures, scale: Scale) -> None:
    """A9: identities of one account, of none at all, and of as many accounts."""
    rows = []
    for number in scale.sybils:
        company = f"sybil-{stage.label}-{number}"
        members = [stage.visitor(account=company) for _ in range(number)]
        _, course = crewed(stage, members, days=1, calls=scale.calls)
        rows.append(row(stage, f"A9 {number} identities of one account", course))
    figures.highest("sybil50_account", *(r.share for r in rows))
    nobody = stage.visitor(user=CLIENT, account=None)
    course = crawl(nobody, endless(stage.registry), calls=PROBES)
    said = ", ".join(f"{code}: {times}" for code, times in nobody.refusals.items())
    rows.append(row(stage, "a client's token without a user", course, said))
    figures.highest("anonymous_pool", rows[-1].share)
    figures.add(f"Many identities in a day ({stage.label})", rows)


PROBES = 30
UNKNOWN = "zzz-unknown-value"


def restaged(stage: Stage, table: Table, store: str) -> Stage:
    """Set the same engine behind a gate with another store."""
    label = f"{stage.label}, {store}"
    return staged(label, stage.gate.clock, table, stage.engine, stage.registry)


def emulated(stage: Stage, figures: Figures, scale: Scale) -> None:
    """Repeat the best crawlers and the crowds where a call costs real round trips."""
    ways = {name: CRAWLERS[name] for name in ("A2 facets", "A5 combined")}
    rows = [
        row(
            stage,
            name,
            crawl(stage.visitor(), way(stage.registry), calls=scale.naive_calls),
        )
        for name, way in ways.items()
    ]
    figures.add(f"One identity in a day ({stage.label})", rows)
    figures.highest("identity_day", *(r.share for r in rows))
    crowds(stage, figures, replace(scale, sybils=scale.sybils[:1]))


def outsiders(stage: Stage, figures: Figures, scale: Scale) -> None:
    """Many accounts, which the claim does not bound: said plainly."""
    number = scale.sybils[-1]
    members = [stage.visitor() for _ in range(number)]
    _, course = crewed(stage, members, days=1, calls=scale.calls)
    name = f"{number} identities of {number} accounts: outside of the claim"
    figures.add(f"Many identities in a day ({stage.label})", [row(stage, name, course)])


def months(stage: Stage, figures: Figures, scale: Scale) -> None:
    """A10: thirty days of one identity, and of an account's six."""
    rows = []
    for number, name in ((1, "one identity"), (BINDING, "one account")):
        company = f"month-{stage.label}-{number}"
        members = [stage.visitor(account=company) for _ in range(number)]
        _, course = crewed(stage, members, days=MONTH, calls=scale.calls)
        rows.append(row(stage, f"A10 thirty days of {name}", course))
    figures.highest("thirty_days", rows[0].share)
    figures.add(f"Month and year ({stage.label})", rows)


def years(
    stage: Stage, figures: Figures, scale: Scale, demand: Mapping[str, float]
) -> None:
    """A year of one identity, and of an account's six, weighted by demand."""
    rows = []
    for number, name in ((1, "one identity"), (BINDING, "one account")):
        company = f"year-{stage.label}-{number}"
        members = [stage.visitor(account=company) for _ in range(number)]
        crew, course = crewed(stage, members, days=YEAR, calls=scale.calls)
        weighted = 100 * sum(demand[hit["sku"]] for hit in crew.seen.values())
        said = f"{weighted:.1f} % weighted by demand"
        rows.append(row(stage, f"a year of {name}", course, said))
        figures.highest("year_demand_weighted", weighted)
    figures.add(f"Month and year ({stage.label})", rows)


def shopping(
    stage: Stage, figures: Figures, scale: Scale, records: Sequence[goods.Record]
) -> None:
    """Shoppers of both kinds."""
    for wishes in (towards, around):
        turns, people = shoppers(
            stage.gate,
            stage.registry.tenant,
            records,
            wishes,
            sessions=scale.sessions,
        )
        stage.visitors += people
        name = f"{scale.sessions} shopping sessions, {wishes.__name__}"
        figures.people[f"{name} ({stage.label})"] = turns
        figures.highest("shopper_turns_refused", turns.failed)


@dataclass(frozen=True, slots=True)
class Month:
    """What became of the buyers, and of attackers in their tenant."""

    name: str
    turns: Turns
    attacked: Row
    untyped: int


def buying(size: int = goods.LARGE, number: int = 20, days: int = 22) -> Month:
    """Let buyers work beside fifty attackers of one account, on a large catalogue."""
    registry = goods.seen_by("professional", size=size)
    records = goods.public(goods.products(size))
    encoder = Encoder(registry, goods.KEY)
    engine = Bits(encoder, records)
    stage = staged("large", Clock(goods.START), Shelf(), engine, registry)
    members = [stage.visitor(account="sybil") for _ in range(SYBILS[-1])]
    _, course = crewed(stage, members, days=1, calls=FULL.calls)
    attacked = row(stage, f"A9 {len(members)} professionals of one account", course)
    judge = stage.naive()
    turns, people = buyers(
        stage.gate,
        registry.tenant,
        records,
        lambda rules: judge.ask(Question(rules, limit=0)).total.number,
        number=number,
        days=days,
    )
    stage.visitors += people
    name = f"{number} buyers, {days} days, {size:,} products"
    return Month(name, turns, replace(attacked, note=f"of {size:,}"), stage.untyped)


def buying_apart(*, full: bool) -> Month:
    """Let the buyers work in a process of their own, or two of them for three days."""
    quiet()
    return buying() if full else buying(goods.SIZE, number=2, days=3)


def bought(month: Month, figures: Figures) -> None:
    """Add what became of the buyers."""
    label = "memory engine, memory store"
    figures.add(f"Beside the buyers ({label})", [month.attacked])
    figures.people[f"{month.name} ({label})"] = month.turns
    figures.highest("buyer_turns_refused", month.turns.failed)
    figures.last["untyped_refusals"] = (
        figures.last.get("untyped_refusals", 0) + month.untyped
    )


def hidden(registry: Registry) -> list[Private]:
    """Take every field that the profile does not have, with a value of no document."""
    beside = nowhere(registry)[0]
    every = (f.key for f in registry.manifest.fields)
    return [
        Private(key, UNKNOWN, beside) for key in every if key not in registry.fields
    ]

"""What a run measured, as a table for people and one JSON line for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from infra.attack.people import Turns
from infra.attack.stage import Row

KEYS = (
    "naive",
    "identity_day",
    "anonymous_pool",
    "sybil50_account",
    "thirty_days",
    "year_demand_weighted",
    "pinned_by_counts",
    "private_bits",
    "shopper_turns_refused",
    "buyer_turns_refused",
    "untyped_refusals",
)
OUTSIDE = (
    "Outside of the claim: the public site and its product feeds, what an agent's host "
    "remembers of former answers, and identities that are no one's account: who gets "
    "many accounts gets many budgets. A year is long: the budgets bound how fast a "
    "catalogue is learnt, and prices age; they don't keep it from being learnt."
)


@dataclass
class Figures:
    """Rows by section, people's turns, and the figures of the last line."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    people: dict[str, Turns] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)

    def add(self, section: str, rows: Iterable[Row]) -> list[Row]:
        """Keep rows of a section, and give them."""
        kept = list(rows)
        self.rows.setdefault(section, []).extend(kept)
        return kept

    def highest(self, key: str, *values: float) -> None:
        """Keep the worst value of a figure."""
        worst = max(values, default=0.0)
        self.last[key] = max(self.last.get(key, 0.0), round(worst, 2))

    def told(self) -> Iterator[str]:
        """Say everything; the JSON line comes last."""
        for section, rows in self.rows.items():
            yield f"\n**{section}**\n"
            yield from _table(rows)
        if self.people:
            yield "\n**People in the same tenant, through the same client**\n"
            yield from _people(self.people)
        yield f"\n{OUTSIDE}\n"
        yield self.line()

    def line(self) -> str:
        """Give the figures as one line of JSON, None for what was not measured."""
        return json.dumps({key: self.last.get(key) for key in KEYS})


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield "| attacker | calls | after 100 | after 1,000 | in the end | |"
    yield "|---|---:|---:|---:|---:|---|"
    for row in rows:
        early = (_percent(row.at, calls) for calls in (100, 1_000))
        cells = [row.name, f"{row.calls:,}", *early, f"{row.share:.2f} %", row.note]
        yield f"| {' | '.join(cells)} |"


def _percent(at: Mapping[int, float], calls: int) -> str:
    return f"{at[calls]:.1f} %" if calls in at else ""


def _people(people: Mapping[str, Turns]) -> Iterator[str]:
    yield "| who | turns | anew | refused | empty | failed | distinct p50 / p95 / max |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for name, turns in people.items():
        spread = " / ".join(f"{number:,}" for number in turns.spread())
        counts = f"{turns.turns:,} | {turns.anew:,} | {turns.refused:,}"
        counts = f"{counts} | {turns.empty:,}"
        yield f"| {name} | {counts} | {turns.failed:.2f} % | {spread} |"

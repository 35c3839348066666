"""Random trees find the same documents by the oracle and on both engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from infra.bench.parity import campaign
from infra.bench.worlds import Servers
from vitrine.search.engine import Count, Engine, Found, Hits, Query, Row, Wanted
from vitrine.tree.conditions import Condition


def test_both_engines_agree_with_the_oracle(servers: Servers) -> None:
    """F01–F10: every type and operator, hostile values, hidden and foreign twins."""
    tally = campaign(servers, 400, seed=20_261_130)

    assert tally.told == []
    assert (tally.trees, tally.differences, tally.leaks) == (400, 0, 0)
    assert tally.ran["postgres"] == 400
    assert tally.ran["typesense"] > 200
    assert tally.refused["unusable"] > 0


@dataclass(frozen=True, slots=True)
class Liar:
    """An engine whose answers are falsified on the way."""

    engine: Engine
    falsified: Callable[[Hits], Hits]
    more: int = 0

    def search(self, query: Query) -> Hits:
        return self.falsified(self.engine.search(query))

    def count(self, query: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        counted = self.engine.count(query, conditions)
        return tuple(Count(c.number + self.more) for c in counted)

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        return self.engine.look_up(query, wanted)

    def fetch(self, query: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        return self.engine.fetch(query, ids)


def _short(hits: Hits) -> Hits:
    return replace(hits, rows=hits.rows[1:])


def _open(hits: Hits) -> Hits:
    return replace(hits, rows=(*hits.rows, Row("hidden", {})))


@pytest.mark.parametrize(
    ("lie", "more", "seen"),
    [
        (_short, 0, "differences"),
        (_open, 0, "leaks"),
        (lambda hits: replace(hits, exact=False), 0, "differences"),
        (lambda hits: replace(hits, total=41), 0, "leaks"),
        (lambda hits: hits, 20, "leaks"),
    ],
    ids=["a row less", "a hidden row", "a lower bound", "a total", "a count"],
)
def test_a_campaign_sees_an_engine_that_lies(
    servers: Servers, lie: Callable[[Hits], Hits], more: int, seen: str
) -> None:
    liar = Liar(servers.postgres, lie, more)

    tally = campaign(replace(servers, postgres=liar), 10, seed=1)

    assert getattr(tally, seen) > 0
    assert tally.told

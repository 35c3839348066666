from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from vitrine.disclosure.budgets import mark
from vitrine.problems import Unavailable
from vitrine.store import memory
from vitrine.store.memory import CHUNK, Addition, Memory

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
PLACE = "SEEN#demo"


def marks(start: int, stop: int) -> frozenset[bytes]:
    return frozenset(mark(str(n)) for n in range(start, stop))


def add(table: Table, seen: Memory, new: frozenset[bytes], cap: int = 900) -> bool:
    addition = Addition(new, cap, fresh=len(new), fresh_cap=cap)
    return table.write(*memory.additions(seen, addition, now=NOW, days=30)).won


def read(table: Table) -> Memory:
    return memory.read(table, PLACE, now=NOW, days=30)


def test_a_day_is_remembered_over_several_items(table: Table) -> None:
    for start in range(0, 300, 50):
        assert add(table, read(table), marks(start, start + 50))

    seen = read(table)

    assert seen.today == marks(0, 300)
    assert seen.fresh == 300
    assert seen.number == 300 // 50 - 1
    assert len(seen.head) <= CHUNK


def test_days_before_are_remembered_apart_and_then_forgotten(table: Table) -> None:
    add(table, read(table), marks(0, 3))

    next_day = memory.read(table, PLACE, now=NOW + timedelta(days=1), days=30)
    last_day = memory.read(table, PLACE, now=NOW + timedelta(days=29), days=30)
    after = memory.read(table, PLACE, now=NOW + timedelta(days=30), days=30)

    assert (next_day.today, next_day.past[-1]) == (frozenset(), marks(0, 3))
    assert last_day.past[0] == marks(0, 3)
    assert not any(after.past)


@pytest.mark.parametrize(
    ("meanwhile", "mine"),
    [
        (marks(0, 1), marks(0, 2)),  # one of mine was added by another
        (marks(100, 196), marks(0, 2)),  # no room is left in the item
        (marks(100, 190), marks(0, 12)),  # nor for so many
    ],
)
def test_what_was_decided_on_an_old_reading_is_not_written(
    table: Table, meanwhile: frozenset[bytes], mine: frozenset[bytes]
) -> None:
    add(table, read(table), marks(500, 501))
    old = read(table)
    assert add(table, old, meanwhile) or add(table, read(table), meanwhile)

    assert not add(table, old, mine)
    assert not mine <= read(table).today


def test_a_head_is_closed_only_with_all_of_it_seen(table: Table) -> None:
    add(table, read(table), marks(0, 90))
    old = read(table)
    add(table, old, marks(90, 91))

    assert not add(table, old, marks(91, 101))
    assert add(table, read(table), marks(91, 101))
    assert read(table).today == marks(0, 101)


def test_a_closed_head_takes_no_more(table: Table) -> None:
    add(table, read(table), marks(0, 90))
    old = read(table)
    add(table, old, marks(90, 100))

    assert not add(table, old, marks(200, 201))


def test_the_cap_counts_closed_items_too(table: Table) -> None:
    add(table, read(table), marks(0, 90))
    add(table, read(table), marks(90, 110))
    old = read(table)
    add(table, old, marks(110, 115))

    assert not add(table, old, marks(115, 120), cap=119)
    assert add(table, old, marks(115, 119), cap=119)


class TornClient:
    """A client whose queries catch a head before it was closed, some times."""

    def __init__(self, client: Any, times: int) -> None:
        self._client, self.times = client, times

    def query(self, **asked: Any) -> Any:
        answer = self._client.query(**asked)
        self.times -= 1
        if self.times >= 0:
            answer["Items"][0].pop("closed")
            answer["Items"][0]["marks"]["BS"].pop()
        return answer


def test_a_torn_reading_is_read_again(table: Table) -> None:
    add(table, read(table), marks(0, 90))
    add(table, read(table), marks(90, 110))
    client: Any = TornClient(table.client, 3)

    assert read(replace(table, client=client)).today == marks(0, 110)

    always: Any = TornClient(table.client, 99)
    with pytest.raises(Unavailable):
        read(replace(table, client=always))

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.store.race import race
from tests.integration.store.test_circuit import Counting
from tests.unit.lexicon.sources import library
from vitrine.caller import Caller
from vitrine.interpret.ambiguity import habit
from vitrine.store.habits import Habits, vote

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
LIBRARY = library()


def person(number: int, tenant: str = LIBRARY.tenant) -> Caller:
    return Caller(tenant, f"p{number}", "desk")


def votes(table: Table, *readings: str, now: datetime = NOW) -> None:
    for number, reading in enumerate(readings):
        vote(
            table,
            person(number),
            LIBRARY.source,
            chosen=("landscape", reading),
            now=now,
        )


def found(table: Table, now: datetime = NOW) -> dict[str, str]:
    return dict(Habits(table, lambda: 0.0).of(LIBRARY, now))


@pytest.mark.parametrize(
    ("clear", "counts"),
    [
        ("", {}),
        ("", {"format": 1, "subject": 0}),
        ("", {"format": 10, "subject": 0}),
        ("format", {"format": 11, "subject": 0}),
        ("", {"format": 18, "subject": 1}),
        ("format", {"format": 19, "subject": 1}),
        ("subject", {"format": 2, "subject": 40}),
        ("", {"format": 60, "subject": 40}),
        ("", {"format": 790, "subject": 210}),
        ("format", {"format": 900, "subject": 100}),
    ],
)
def test_a_habit_is_clear_where_four_in_five_surely_mean_it(
    clear: str, counts: dict[str, int]
) -> None:
    assert clear == habit(counts)


def test_eleven_people_of_one_mind_are_asked_no_more(table: Table) -> None:
    votes(table, *["format"] * 10)
    assert found(table) == {}

    vote(table, person(99), LIBRARY.source, chosen=("landscape", "format"), now=NOW)

    assert found(table) == {"landscape": "format"}


def test_one_person_has_one_vote_however_often_they_answer(table: Table) -> None:
    cast = [
        vote(table, person(1), LIBRARY.source, chosen=("landscape", r), now=NOW)
        for r in ["format"] * 20 + ["subject"]
    ]

    assert cast == [True] + [False] * 20
    assert found(table) == {}


def test_fifty_votes_at_once_are_fifty_votes(table: Table) -> None:
    chosen = ("landscape", "subject")

    cast = race(
        lambda n: vote(table, person(n), LIBRARY.source, chosen=chosen, now=NOW)
    )

    assert cast.count(True) == 50
    assert found(table) == {"landscape": "subject"}


def test_a_habit_is_its_tenants_own_and_ends_ninety_days_after(table: Table) -> None:
    votes(table, *["format"] * 12)
    elsewhere = replace(LIBRARY, tenant="other")

    assert Habits(table, lambda: 0.0).of(elsewhere, NOW) == {}
    assert found(table, NOW + timedelta(days=89)) == {"landscape": "format"}
    assert found(table, NOW + timedelta(days=90)) == {}


def test_a_reading_that_the_manifest_dropped_is_no_habit(table: Table) -> None:
    votes(table, *["gone"] * 20)

    assert found(table) == {}


def test_an_environment_reads_it_each_minute_and_lives_without_it(
    table: Table,
) -> None:
    client: Any = Counting(table.client)
    clock = [0.0]
    habits = Habits(replace(table, client=client), lambda: clock[0])
    for second in (0.0, 30.0, 59.0, 60.0):
        clock[0] = second
        habits.of(LIBRARY, NOW)
    assert client.calls == ["query", "query"]

    client.down, clock[0] = True, 120.0

    assert habits.of(LIBRARY, NOW) == {}

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integration.store.race import race
from vitrine.caller import Caller
from vitrine.problems import TooFast
from vitrine.store.rate import INTERPRETS, SEARCHES, Limit, take

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
ADA = Caller("demo", "ada", "web")
SUBJECTS = itertools.count()


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def test_twenty_calls_in_any_minute_then_an_exact_wait(table: Table) -> None:
    for number in range(20):
        take(table, ADA, INTERPRETS, now=after(number))

    with pytest.raises(TooFast) as caught:
        take(table, ADA, INTERPRETS, now=after(20))
    assert caught.value.headers() == {"Retry-After": "40"}
    with pytest.raises(TooFast):
        take(table, ADA, INTERPRETS, now=after(59.999))
    take(table, ADA, INTERPRETS, now=after(60))
    with pytest.raises(TooFast) as again:
        take(table, ADA, INTERPRETS, now=after(60.5))
    assert again.value.body()["retry_after"] == 1


def test_kinds_and_identities_have_logs_of_their_own(table: Table) -> None:
    once = Limit("once", 1, 60)
    take(table, ADA, once, now=NOW)

    take(table, ADA, SEARCHES, now=NOW)
    take(table, Caller("demo", "bob", "web"), once, now=NOW)
    with pytest.raises(TooFast):
        take(table, Caller("demo", "ada", "other-client"), once, now=NOW)


@pytest.mark.parametrize("lead", [0, 7, 20])
def test_fifty_at_once_get_exactly_what_is_left(table: Table, lead: int) -> None:
    for _ in range(lead):
        take(table, ADA, INTERPRETS, now=NOW)

    results = race(lambda _: take(table, ADA, INTERPRETS, now=after(1)))
    later = race(lambda _: take(table, ADA, INTERPRETS, now=after(60.5)))

    assert results.count(None) == 20 - lead
    assert later.count(None) == lead


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.integers(0, 4_000), min_size=8, max_size=40))
def test_no_window_ever_holds_more_than_the_limit(
    table: Table, gaps: list[int]
) -> None:
    caller, limit = Caller("demo", f"user{next(SUBJECTS)}", "web"), Limit("some", 4, 10)
    admitted: list[int] = []
    moment = 0
    for gap in gaps:
        moment += gap
        room = sum(a > moment - 10_000 for a in admitted) < 4
        try:
            take(table, caller, limit, now=after(moment / 1000))
        except TooFast:
            assert not room
        else:
            assert room
            admitted.append(moment)

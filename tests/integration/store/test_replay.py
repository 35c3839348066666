from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from vitrine.caller import Caller
from vitrine.problems import Conflict, Invalid
from vitrine.store.replay import Once, once
from vitrine.store.table import Table

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ADA = Caller("replay", "ada", "web")


def never() -> Any:
    pytest.fail("the call ran again")


def test_a_retry_gets_the_answer_without_running(table: Table) -> None:
    call = Once(ADA, "r-1", "d")

    first = once(table, call, lambda: ({"n": 1}, "one"), now=NOW)
    retry = once(table, call, never, now=NOW + timedelta(seconds=59))

    assert ({"n": 1}, "one") == first == retry


def test_after_a_minute_it_is_a_new_call(table: Table) -> None:
    call = Once(ADA, "r-2", "d")
    once(table, call, lambda: ({"n": 1}, "one"), now=NOW)

    later = once(table, call, lambda: ({}, "two"), now=NOW + timedelta(seconds=61))

    assert ({}, "two") == later


def test_while_the_first_runs_a_retry_is_told_to_wait(table: Table) -> None:
    call = Once(ADA, "r-3", "d")

    def running() -> Any:
        with pytest.raises(Conflict) as conflict:
            once(table, call, never, now=NOW)
        return {}, str(conflict.value.members["retry_after"])

    assert ({}, "1") == once(table, call, running, now=NOW)


def test_a_failed_call_is_forgotten(table: Table) -> None:
    call = Once(ADA, "r-4", "d")

    def failing() -> Any:
        raise Conflict

    with pytest.raises(Conflict):
        once(table, call, failing, now=NOW)
    assert ({}, "ran") == once(table, call, lambda: ({}, "ran"), now=NOW)


def test_an_id_is_not_for_two_calls(table: Table) -> None:
    once(table, Once(ADA, "r-5", "d"), lambda: ({}, ""), now=NOW)

    with pytest.raises(Invalid):
        once(table, Once(ADA, "r-5", "other"), never, now=NOW)


@pytest.mark.parametrize(
    "other",
    [
        Caller("replay", "eve", "web"),
        Caller("replay", "ada", "cli"),
        Caller("x", "ada", "web"),
    ],
)
def test_an_id_is_ones_own(table: Table, other: Caller) -> None:
    once(table, Once(ADA, "r-6", "d"), lambda: ({}, "mine"), now=NOW)

    assert ({}, "its") == once(
        table, Once(other, "r-6", "d"), lambda: ({}, "its"), now=NOW
    )

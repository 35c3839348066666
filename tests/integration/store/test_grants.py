from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from vitrine.caller import Caller
from vitrine.problems import Forbidden
from vitrine.store.grants import Grant, end, give, grants, require
from vitrine.store.table import Table

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SCOPE = "notes:write"
BOT = Caller("granting", "ada", "bot", scopes=frozenset({SCOPE}))
YES = Grant("bot", SCOPE, "boss", "a trial")


def test_without_a_grant_a_scope_is_not_enough(table: Table) -> None:
    with pytest.raises(Forbidden) as refusal:
        require(table, BOT, SCOPE, now=NOW)

    assert "administrator" in refusal.value.detail


def test_without_the_scope_a_grant_is_not_enough(table: Table) -> None:
    give(table, "granting", YES, now=NOW)

    with pytest.raises(Forbidden):
        require(table, Caller("granting", "ada", "bot"), SCOPE, now=NOW)


def test_both_together_are(table: Table) -> None:
    give(table, "granting", YES, now=NOW)

    require(table, BOT, SCOPE, now=NOW)


@pytest.mark.parametrize(
    "caller",
    [
        Caller("elsewhere", "ada", "bot", scopes=frozenset({SCOPE})),
        Caller("granting", "ada", "other", scopes=frozenset({SCOPE})),
    ],
)
def test_a_grant_is_one_organisations_to_one_client(
    table: Table, caller: Caller
) -> None:
    give(table, "granting", YES, now=NOW)

    with pytest.raises(Forbidden):
        require(table, caller, SCOPE, now=NOW)


def test_x01_a_grant_ends_on_time_though_it_is_still_there(table: Table) -> None:
    until = NOW + timedelta(hours=1)
    give(table, "timed", Grant("bot", SCOPE, "boss", "an hour", until), now=NOW)
    caller = Caller("timed", "ada", "bot", scopes=frozenset({SCOPE}))

    require(table, caller, SCOPE, now=until - timedelta(seconds=1))
    with pytest.raises(Forbidden):
        require(table, caller, SCOPE, now=until)
    assert not list(grants(table, "timed", now=until))


def test_an_ended_grant_is_gone(table: Table) -> None:
    give(table, "ended", YES, now=NOW)
    end(table, "ended", "bot", SCOPE)

    assert not list(grants(table, "ended", now=NOW))


def test_grants_are_listed_with_their_reasons(table: Table) -> None:
    give(table, "listed", YES, now=NOW)

    assert [YES] == list(grants(table, "listed", now=NOW))

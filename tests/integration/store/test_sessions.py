from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from tests.integration.store.race import race
from vitrine.caller import Caller
from vitrine.problems import Conflict, Missing, Problem
from vitrine.session import Message, Session
from vitrine.store import sessions
from vitrine.tree.model import Group, Rule

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
ADA = Caller("demo", "ada", "web")
TREE = Group(
    "and", (Rule("colour", "in", ("red", "blü")), Group("or", (), negated=True))
)


def begun(table: Table) -> Session:
    return sessions.create(table, ADA, "shop", number="s-1", now=NOW)


def grown(session: Session) -> Session:
    told = session.hearing(Message("user", "des chaises «rouges»"))
    readings = MappingProxyType({"landscape": "format"})
    return replace(told, tree=TREE, readings=readings, tokens=700, micros=31)


def test_a_session_is_kept_whole(table: Table) -> None:
    session = grown(begun(table))

    saved = sessions.save(table, session, seen=0, now=NOW)

    assert saved == replace(session, version=1)
    assert sessions.load(table, ADA, "s-1", now=NOW) == saved


@pytest.mark.parametrize(
    "other",
    [
        replace(ADA, tenant="second"),
        replace(ADA, subject="bob"),
        replace(ADA, client="other"),
        replace(ADA, tenant="demo#ada", subject=""),
    ],
)
def test_a_foreign_session_is_missing_like_an_unknown_one(
    table: Table, other: Caller
) -> None:
    begun(table)

    with pytest.raises(Missing) as foreign:
        sessions.load(table, other, "s-1", now=NOW)
    with pytest.raises(Missing) as unknown:
        sessions.load(table, ADA, "s-2", now=NOW)

    assert foreign.value.body() == unknown.value.body()


def test_a_new_token_of_the_same_client_goes_on(table: Table) -> None:
    begun(table)
    renewed = replace(ADA, scopes=frozenset({"shop:read"}), language="fr")

    assert sessions.load(table, renewed, "s-1", now=NOW).source == "shop"


def test_an_ended_session_is_missing_before_the_sweep(table: Table) -> None:
    """X01: expiry is checked on read, and on write."""
    session = begun(table)
    late = NOW + timedelta(days=30)

    assert sessions.load(table, ADA, "s-1", now=late - timedelta(seconds=1))
    with pytest.raises(Missing):
        sessions.load(table, ADA, "s-1", now=late)
    with pytest.raises(Missing):
        sessions.save(table, session, seen=0, now=late)


def test_each_write_renews_the_thirty_days(table: Table) -> None:
    later = NOW + timedelta(days=20)
    sessions.save(table, begun(table), seen=0, now=later)

    assert sessions.load(table, ADA, "s-1", now=later + timedelta(days=29))


def test_a_slower_turn_meets_the_current_version(table: Table) -> None:
    session = begun(table)
    sessions.save(table, session, seen=0, now=NOW)
    sessions.save(table, session, seen=1, now=NOW)

    with pytest.raises(Conflict) as caught:
        sessions.save(table, session, seen=1, now=NOW)

    assert caught.value.body()["version"] == 2


def test_of_fifty_turns_on_one_version_one_wins(table: Table) -> None:
    session = begun(table)

    def save(number: int) -> Session | Problem:
        turn = replace(session, tokens=number)
        try:
            return sessions.save(table, turn, seen=0, now=NOW)
        except Conflict as conflict:
            return conflict

    results = race(save)

    (won,) = [r for r in results if isinstance(r, Session)]
    assert sessions.load(table, ADA, "s-1", now=NOW) == won


def test_nobody_saves_what_is_not_there_or_not_theirs(table: Table) -> None:
    begun(table)
    stray = Session("s-9", "demo", "ada", "web", "shop")
    foreign = Session("s-1", "demo", "ada", "other", "shop")

    for session in (stray, foreign):
        with pytest.raises(Missing):
            sessions.save(table, session, seen=0, now=NOW)


def test_an_id_is_minted_once(table: Table) -> None:
    begun(table)

    with pytest.raises(Conflict):
        begun(table)


def test_a_deleted_session_is_missing(table: Table) -> None:
    begun(table)
    with pytest.raises(Missing):
        sessions.delete(table, replace(ADA, client="other"), "s-1", now=NOW)

    sessions.delete(table, ADA, "s-1", now=NOW)

    with pytest.raises(Missing):
        sessions.load(table, ADA, "s-1", now=NOW)

"""From a name to what is kept of it, without a scan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from vitrine.caller import Caller
from vitrine.disclosure.budgets import KEPT, Caps, Identity
from vitrine.store import budgets, habits, known
from vitrine.store.budgets import Account
from vitrine.store.persons import identities
from vitrine.store.table import Table, place

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
CAPS = Caps(30, 20, 40, 60, 120, 40, 20, 5)
ALICE = Caller("t", "alice", "desk", account="a")
Keep = Callable[[Table, Caller], object]


def shown(table: Table, caller: Caller, at: datetime = NOW) -> None:
    names = (caller.tenant, "shop", caller.identity, caller.company)
    who = Identity(*names, None, caller.client, caller.person)
    budgets.charge(Account(table, who, CAPS), [f"{at}"], now=at)


def read(table: Table, caller: Caller) -> None:
    known.remember(table, caller, "events", ["one"], now=NOW)


def answered(table: Table, caller: Caller) -> None:
    habits.vote(table, caller, "media", chosen=("term", "reading"), now=NOW)


WAYS = [shown, read, answered]


@pytest.mark.parametrize("keep", WAYS)
def test_whatever_is_kept_is_found_by_the_name(table: Table, keep: Keep) -> None:
    callers = [ALICE, replace(ALICE, account=None), replace(ALICE, actor="bot")]
    for caller in callers:
        keep(table, caller)

    found = set(identities(table, "t", Caller("t", "alice", "").person))
    assert {caller.identity for caller in callers} == found


@pytest.mark.parametrize("keep", WAYS)
@pytest.mark.parametrize("other", [{"tenant": "u"}, {"subject": "bob"}])
def test_nobody_elses_is(table: Table, keep: Keep, other: dict[str, str]) -> None:
    keep(table, replace(ALICE, **other))

    assert not list(identities(table, ALICE.tenant, ALICE.person))


def test_a_reader_is_noted_with_the_first_answer_of_ten_minutes(table: Table) -> None:
    noted = (place("PERSON", "t", ALICE.person), ALICE.identity)
    known.remember(table, ALICE, "events", ["one"], now=NOW)
    table.delete(noted)

    known.remember(table, ALICE, "events", ["one"], now=NOW + timedelta(seconds=1))
    assert table.get(noted) is None

    known.remember(table, ALICE, "events", ["one"], now=NOW + timedelta(minutes=10))
    assert table.get(noted)


@pytest.mark.parametrize("keep", WAYS)
def test_no_name_is_in_the_table(table: Table, keep: Keep) -> None:
    keep(table, ALICE)

    (item,) = table.query(place("PERSON", "t", ALICE.person))
    assert "alice" not in str(item)


def test_it_is_kept_as_long_as_the_longest_memory(table: Table) -> None:
    shown(table, ALICE)
    shown(table, ALICE, NOW + timedelta(days=1))

    (item,) = table.query(place("PERSON", "t", ALICE.person))
    (*_, last) = table.query(place("SEEN", "t", "shop", ALICE.identity))
    assert item["expires_at"] >= last["expires_at"]
    assert item["expires_at"] > (NOW + timedelta(days=KEPT)).timestamp()


def test_callers_without_a_user_are_nobody(table: Table) -> None:
    names = ("t", "shop", "0" * 32, "0" * 32)
    budgets.charge(Account(table, Identity(*names), CAPS), ["one"], now=NOW)

    assert not list(identities(table, "t", ""))

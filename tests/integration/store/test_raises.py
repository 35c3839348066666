from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from infra.attack.shelf import Shelf
from vitrine.caller import Caller
from vitrine.disclosure.budgets import BRIEF, Caps, Identity
from vitrine.problems import BudgetSpent, Unavailable
from vitrine.registry.manifest import DAY, SESSION, Budget
from vitrine.store import budgets, memory, raises
from vitrine.store.budgets import Account
from vitrine.store.kept import FRESH
from vitrine.store.raises import Kind, Raise, Raises
from vitrine.store.table import ITEM, LONGEST, Table, place, size_of

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
UNTIL = NOW + timedelta(hours=2)
CAPS = Caps(
    session=30,
    day=20,
    month=40,
    account_day=60,
    account_month=120,
    facet_values=40,
    counts=20,
    misses=5,
)
PROMISED = 60
"""Seconds within which a raise holds everywhere."""


def who(subject: str = "ada", account: str = "acme", **more: str) -> Identity:
    caller = Caller(more.get("tenant", "demo"), subject, "web", account=account)
    source = more.get("source", "shop")
    return Identity(caller.tenant, source, caller.identity, caller.company, None)


def give(table: Table, kind: Kind, name: str, **caps: int) -> Raise:
    one = Raise("shop", kind, name, caps, UNTIL, "boss", "an audit of the range")
    raises.give(table, "demo", one, now=NOW)
    return one


@dataclass
class Clock:
    """Seconds that pass when a test says so."""

    at: float = 0.0

    def __call__(self) -> float:
        """Give the seconds."""
        return self.at


class Shaky(Shelf):
    """A table that answers until it is down."""

    def query(self, *asked: Any) -> Any:
        """Fail as an unreachable store does."""
        if ("down", "") in self.items:
            raise Unavailable("The store does not answer.")
        return super().query(*asked)


def lifted(table: Table, one: Identity, now: datetime = NOW) -> Caps:
    return Raises(table, Clock()).lifted(CAPS, one, now=now)


@pytest.mark.parametrize(
    "other",
    [
        who("bob"),
        who("ada", account="other"),
        who("ada", source="spares"),
        who("ada", tenant="second"),
    ],
)
def test_a_raise_is_for_that_identity_alone(table: Table, other: Identity) -> None:
    give(table, "identity", who().identity, day=90, session=60)

    assert replace(CAPS, day=90, session=60) == lifted(table, who())
    assert lifted(table, other) == CAPS


def test_an_accounts_raise_is_for_its_people_alone(table: Table) -> None:
    give(table, "account", who().company, account_day=600, account_month=900)

    raised = replace(CAPS, account_day=600, account_month=900)
    assert raised == lifted(table, who()) == lifted(table, who("bob"))
    assert lifted(table, who(account="other")) == CAPS


def test_a_raise_never_lowers(table: Table) -> None:
    give(table, "identity", who().identity, day=3, month=50)

    assert replace(CAPS, month=50) == lifted(table, who())


def test_a_raise_ends_by_itself_to_the_second(table: Table) -> None:
    """X01: the end is compared at each search, not when the item is swept."""
    give(table, "identity", who().identity, day=90)
    kept = Raises(table, Clock())

    seconds = (timedelta(), timedelta(seconds=7199), timedelta(seconds=7200))
    days = [kept.lifted(CAPS, who(), now=NOW + later).day for later in seconds]

    assert days == [90, 90, 20]
    assert [r.who for r in raises.standing(table, "demo", now=NOW)] == [who().identity]
    assert not list(raises.standing(table, "demo", now=UNTIL))


def test_a_warm_environment_learns_of_it_within_a_minute(table: Table) -> None:
    clock = Clock()
    kept = Raises(table, clock)
    assert kept.lifted(CAPS, who(), now=NOW) == CAPS
    give(table, "identity", who().identity, day=90)

    clock.at = FRESH
    during = kept.lifted(CAPS, who(), now=NOW)
    raises.end(table, "demo", "shop", "identity", who().identity)
    clock.at = 2 * FRESH
    after = kept.lifted(CAPS, who(), now=NOW)

    assert FRESH < PROMISED
    assert (during.day, after.day) == (90, CAPS.day)


def test_who_was_refused_today_goes_on_once_raised_and_stops_at_the_end(
    table: Table,
) -> None:
    documents = [f"document-{n}" for n in range(60)]
    account = Account(table, who(), CAPS)
    budgets.charge(account, documents[:20], now=NOW)
    with pytest.raises(BudgetSpent):
        budgets.charge(account, documents[20:21], now=NOW)
    with pytest.raises(BudgetSpent):
        budgets.admit(account, now=NOW)

    give(table, "identity", who().identity, day=30, month=50)
    raised = Account(table, who(), lifted(table, who()))
    assert budgets.admit(raised, now=NOW).numbers
    page = budgets.charge(raised, documents[20:40], now=NOW)

    assert len(page.granted) == 10
    later = Account(table, who(), lifted(table, who(), UNTIL))
    with pytest.raises(BudgetSpent) as caught:
        budgets.charge(later, documents[50:51], now=UNTIL)
    assert caught.value.body()["budget"] == "day"


def test_no_manifest_asks_for_more_than_the_table_remembers() -> None:
    assert raises.MOST["session"] >= SESSION
    assert raises.MOST["day"] == raises.MOST["facet_values"] >= DAY
    for wrong in (
        {"session": SESSION + 1},
        {"facet_values": DAY + 1},
        {"day": {"floor": DAY + 1}},
    ):
        with pytest.raises(ValidationError):
            Budget.model_validate(wrong)


def test_the_greatest_session_fits_its_item() -> None:
    longest = "x" * LONGEST
    item = {
        "pk": place("SHOWN", longest, longest, longest),
        "sk": "SHOWN",
        "marks": frozenset(n.to_bytes(BRIEF) for n in range(raises.MOST["session"])),
        "expires_at": 9_999_999_999,
    }

    assert size_of(item) <= ITEM


@pytest.mark.parametrize("page", [10, 49, 50, 96])
def test_the_greatest_day_fits_its_items(page: int) -> None:
    """The heads are closed at their emptiest, or full."""
    head, closed, left = 0, 0, raises.MOST["day"]
    while left > 0:
        if head and head + page > memory.CHUNK:
            head, closed = 0, closed + 1
        head, left = head + page, left - page

    assert closed < memory.ITEMS


def test_without_a_store_the_last_known_raise_holds_and_none_is_invented() -> None:
    table = Shaky()
    give(table, "identity", who().identity, day=90)
    clock = Clock()
    kept = Raises(table, clock)
    kept.lifted(CAPS, who(), now=NOW)
    table.items["down", ""] = {}
    clock.at = FRESH

    assert kept.lifted(CAPS, who(), now=NOW).day == 90
    with pytest.raises(Unavailable):
        Raises(table, clock).lifted(CAPS, who(), now=NOW)

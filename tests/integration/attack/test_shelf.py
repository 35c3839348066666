"""The table in memory takes the decisions that DynamoDB's emulator takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from infra.attack.shelf import Shelf
from vitrine.caller import Caller
from vitrine.disclosure.budgets import Caps, Identity
from vitrine.problems import Problem
from vitrine.store import budgets, rate, sessions, switch
from vitrine.store.budgets import Account
from vitrine.store.rate import Limit
from vitrine.store.table import Table, plain

CAPS = Caps(12, 40, 90, 70, 150, facet_values=30, counts=25, misses=4)
START = datetime(2026, 8, 2, 12, tzinfo=UTC)
TIGHT = Limit("search", 3, 10)
CHARGES = 150
Act = Callable[[Table], Any]


def acts(seed: int) -> Iterator[Act]:
    """Draw charges, counts, facet lists, calls and sessions of a few colleagues."""
    random, now = Random(seed), START
    for _ in range(CHARGES):
        now += timedelta(seconds=random.choice((1, 3, 9, 3_000, 90_000)))
        caller = Caller("t", f"u{random.randrange(3)}", "web", account="acme")
        session = random.choice((None, "s1", "s2"))
        who = Identity("t", "shop", caller.identity, caller.company, session)
        yield random.choice(KINDS)(random, caller, who, now)


def charge(random: Random, _: Caller, who: Identity, now: datetime) -> Act:
    page = [f"d{random.randrange(300)}" for _ in range(random.randint(0, 10))]
    return lambda table: budgets.charge(Account(table, who, CAPS), page, now=now)


def lists(random: Random, _: Caller, who: Identity, now: datetime) -> Act:
    found = {f"f{random.randrange(5)}": [f"v{random.randrange(20)}" for _ in "abcd"]}
    return lambda table: budgets.charge_facets(
        Account(table, who, CAPS), found, now=now
    )


def counts(random: Random, _: Caller, who: Identity, now: datetime) -> Act:
    number = random.randint(1, 9)
    return lambda table: budgets.charge_counts(
        Account(table, who, CAPS), number, now=now
    )


def call(_: Random, caller: Caller, _who: Identity, now: datetime) -> Act:
    return lambda table: rate.take(table, caller, TIGHT, now=now)


def talk(random: Random, caller: Caller, _: Identity, now: datetime) -> Act:
    number = f"s{random.randrange(4)}"
    return lambda table: sessions.create(table, caller, "shop", number=number, now=now)


def trip(_: Random, _caller: Caller, _who: Identity, now: datetime) -> Act:
    state = switch.State(now + timedelta(hours=1), "spent", "monitor")
    return lambda table: switch.trip(table, state, now=now)


KINDS = (charge, charge, charge, lists, counts, call, talk, trip)


def outcome(act: Act, table: Table) -> Any:
    try:
        return act(table)
    except Problem as problem:
        return problem.body()


@pytest.mark.parametrize("seed", range(2))
def test_the_table_in_memory_decides_as_the_emulator_does(
    table: Table, seed: int
) -> None:
    shelf = Shelf()

    for act in acts(seed):
        assert outcome(act, table) == outcome(act, shelf)

    scanned = table.client.scan(TableName=table.name, ConsistentRead=True)["Items"]
    items = [plain(item) for item in scanned]
    assert {(i["pk"], i["sk"]): i for i in items} == shelf.items

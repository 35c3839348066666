"""What a search costs, computed from the items that it really wrote."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from vitrine.caller import Caller
from vitrine.disclosure.budgets import SHARDS, Caps, Identity
from vitrine.store import budgets
from vitrine.store.budgets import Account
from vitrine.store.rate import SEARCHES, take
from vitrine.store.table import Table, Write, place, write_units

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
# A professional's caps on a large catalogue.
CAPS = Caps(
    session=150,
    day=2_000,
    month=4_900,
    account_day=6_000,
    account_month=14_400,
    facet_values=2_000,
    counts=500,
    misses=50,
)
MOST = 20


class Meter:
    """A client that notes what each call writes."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.calls: list[tuple[list[Any], bool]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def transact_write_items(self, **asked: Any) -> Any:
        items = [next(iter(one.values())) for one in asked["TransactItems"]]
        self.calls.append(([_key(one) for one in items], True))
        return self._client.transact_write_items(**asked)

    def update_item(self, **asked: Any) -> Any:
        self.calls.append(([_key(asked)], False))
        return self._client.update_item(**asked)

    def put_item(self, **asked: Any) -> Any:
        self.calls.append(([_key(asked)], False))
        return self._client.put_item(**asked)


def _key(asked: dict[str, Any]) -> tuple[str, str]:
    key = asked.get("Key") or asked["Item"]
    return key["pk"]["S"], key["sk"]["S"]


def docs(start: int, stop: int) -> list[str]:
    return [f"0195d5a0-0000-7000-8000-{n:012}" for n in range(start, stop)]


CALLER = Caller("tenant-with-a-name", "someone@example.com", "web", account="acme")


def metered(table: Table, session: str | None = "s1") -> tuple[Account, Meter]:
    meter: Any = Meter(table.client)
    name, company = CALLER.identity, CALLER.company
    source, client = "source_with_a_name", "https://agent.example/client.json"
    names = (CALLER.tenant, source, name, company, session)
    who = Identity(*names, client, CALLER.person)
    return Account(replace(table, client=meter), who, CAPS), meter


def cost(table: Table, meter: Meter) -> int:
    """Give what was written since the last look, and forget it."""
    calls, meter.calls = meter.calls, []
    found = (([table.get(key) or {} for key in keys], both) for keys, both in calls)
    return sum(write_units(items, together=both) for items, both in found)


def seen(account: Account, start: int, stop: int, *, session: str | None) -> None:
    account = replace(account, who=replace(account.who, session=session))
    for first in range(start, stop, 10):
        budgets.charge(account, docs(first, first + 10), now=NOW)


@pytest.mark.parametrize(
    ("units", "before"),
    [
        # One for the tenant's and the client's day each, and one for memory, session
        # and counter, twice in a transaction; the day's first notes the identity, too.
        (10, 0),
        (8, 80),  # the head nearly full
        (10, 90),  # the head closed, the next opened
        (8, 100),  # the next goes on
    ],
)
def test_a_page_costs_what_its_items_weigh(
    table: Table, units: int, before: int
) -> None:
    account, meter = metered(table)
    seen(account, 0, before, session=None)
    meter.calls.clear()

    budgets.charge(account, docs(5_000, 5_010), now=NOW)

    assert cost(table, meter) == units


def test_the_dearest_search_costs_twenty_units(table: Table) -> None:
    """A full session, both memories closed and opened, every counter, both days."""
    account, meter = metered(table)
    seen(account, 0, 140, session="s1")
    seen(account, 140, 180, session=None)
    leave(table, account.who, 3)
    meter.calls.clear()

    budgets.charge(account, docs(9_000, 9_010), now=NOW)
    page = cost(table, meter)
    budgets.charge_facets(account, values(0, 90), now=NOW)
    meter.calls.clear()
    budgets.charge_facets(account, values(90, 170), now=NOW)
    facets = cost(table, meter)
    budgets.charge_counts(account, 90, now=NOW)
    counts = cost(table, meter)
    take(account.table, CALLER, SEARCHES, now=NOW)
    rate = cost(table, meter)

    assert (page, facets, counts, rate) == (14, 4, 1, 1)
    assert page + facets + counts + rate <= MOST


def values(start: int, stop: int) -> dict[str, list[str]]:
    return {f"facet-{start}": [f"value-{n}" for n in range(start, stop)]}


def leave(table: Table, who: Identity, room: int) -> None:
    """Leave little room in each counter of the account."""
    for number in range(SHARDS):
        used = CAPS.account_day // SHARDS - room - (number == 0)
        counted = {"seen": used, "fresh": used, "expires_at": 1_790_000_000}
        partition = place("ACCOUNT", who.tenant, who.source, who.company)
        key = (partition, f"2026-08-02#{number}")
        assert table.write(Write(key, whole=counted)).won


def test_what_surrounds_a_search_costs_a_unit_each(table: Table) -> None:
    account, meter = metered(table)

    budgets.admit(account, now=NOW)
    admitted = cost(table, meter)
    budgets.note_empty(account, "f" * 64, now=NOW)

    assert (admitted, cost(table, meter)) == (1, 1)


def test_seen_documents_cost_nothing_to_show_again(table: Table) -> None:
    account, meter = metered(table)
    budgets.charge(account, docs(0, 10), now=NOW)
    meter.calls.clear()

    budgets.charge(account, docs(0, 10), now=NOW)

    assert meter.calls == []


def test_the_cost_does_not_grow_with_the_month(table: Table) -> None:
    account, meter = metered(table, session=None)
    for back in range(29, 0, -4):
        page = docs(100 * back, 100 * back + 100)
        budgets.charge(account, page, now=NOW - timedelta(days=back))
    meter.calls.clear()

    budgets.charge(account, docs(5_000, 5_010), now=NOW)

    # The day's first: with the note of whose identity this is.
    assert cost(table, meter) == 8

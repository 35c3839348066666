"""The tenant's and the client's day: exact, unseen, and told to the operator alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.store.race import race
from tests.integration.store.test_budgets import CAPS, ROUNDS, TOMORROW, docs
from vitrine.caller import Caller
from vitrine.disclosure.budgets import Caps, Identity
from vitrine.problems import Busy
from vitrine.store import budgets
from vitrine.store.budgets import Account, Charge

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)


def who(number: int = 0, client: str = "web", tenant: str = "demo") -> Identity:
    caller = Caller(tenant, f"user-{number}", client, account=f"company-{number}")
    return Identity(tenant, "shop", caller.identity, caller.company, None, client)


def charge(table: Table, one: Identity, caps: Caps, *pages: int) -> Any:
    """Charge pages of one document each; give what the last one brought."""
    account = Account(table, one, caps)
    for number in pages:
        last = budgets.charge(account, docs(number, number + 1), now=NOW)
    return last


RACED = {
    "tenant": replace(CAPS, tenant_day=30),
    "client": replace(CAPS, client_day=30),
}


@pytest.mark.parametrize("scope", RACED)
@pytest.mark.parametrize("number", ROUNDS)
def test_fifty_strangers_at_once_get_exactly_the_day(
    table: Table, scope: str, number: int
) -> None:
    client = f"client-{number}"
    caps = RACED[scope]

    results = race(lambda n: charge(table, who(n, client), caps, n))

    assert sum(isinstance(r, Charge) for r in results) == 30
    assert sum(isinstance(r, Busy) for r in results) == 20
    assert _counted(table) == {"tenant_day": 30, "client_day": 30}


def _counted(table: Table) -> dict[str, int]:
    """Add up what the counters hold, whoever lost and gave back."""
    found: dict[str, int] = {}
    for item in table.client.scan(TableName=table.name)["Items"]:
        kind, _, _, *named = item["pk"]["S"].split("#")
        if kind == "BRAKE":
            found[named[0]] = found.get(named[0], 0) + int(item["seen"]["N"])
    return found


def test_a_charge_that_another_budget_stops_gives_back_what_it_held(
    table: Table,
) -> None:
    caps = replace(CAPS, day=30)

    results = race(lambda n: charge(table, who(), caps, n))

    assert sum(isinstance(r, Charge) for r in results) == 30
    assert _counted(table) == {"tenant_day": 30, "client_day": 30}


def test_what_the_client_stops_is_not_counted_for_the_tenant(table: Table) -> None:
    caps = replace(CAPS, client_day=3)
    charge(table, who(), caps, 0, 1, 2)

    with pytest.raises(Busy):
        charge(table, who(), caps, 3)

    assert _counted(table) == {"tenant_day": 3, "client_day": 3}


def test_the_refusal_says_nothing_but_to_come_back_later(table: Table) -> None:
    """E03: it is a typed refusal with a time, never an empty page."""
    caps = replace(CAPS, tenant_day=3)
    charge(table, who(1), caps, 0, 1, 2)

    with pytest.raises(Busy) as caught:
        charge(table, who(2, "other-client"), caps, 3)

    assert caught.value.body() == {
        "type": "urn:vitrine:problem:busy",
        "title": "Try again later",
        "status": 429,
        "detail": "Try again later.",
        "retry_after": 12 * 3600,
    }


def test_who_was_stopped_learns_nothing_from_the_next_search(table: Table) -> None:
    """An empty search would be answered, so that each refusal would be a find."""
    caps = replace(CAPS, tenant_day=3)
    charge(table, who(1), caps, 0, 1, 2)
    stopped = Account(table, who(2), caps)
    with pytest.raises(Busy):
        budgets.charge(stopped, docs(9, 10), now=NOW)

    with pytest.raises(Busy):
        budgets.admit(stopped, now=NOW)

    assert budgets.admit(replace(stopped, caps=CAPS), now=NOW).numbers
    assert budgets.admit(stopped, now=TOMORROW).numbers


def test_a_page_that_met_no_counter_with_room_stops_smaller_ones_too(
    table: Table,
) -> None:
    """Each of the three counters has room for one, and none for two: empty searches
    answered and found ones refused would be a find for nothing.
    """
    caps = replace(CAPS, tenant_day=6)
    charge(table, who(1), caps, 0, 1, 2)
    stopped = Account(table, who(2), caps)
    with pytest.raises(Busy):
        budgets.charge(stopped, docs(10, 15), now=NOW)

    with pytest.raises(Busy):
        budgets.admit(stopped, now=NOW)

    assert charge(table, who(3), caps, 3).granted
    assert budgets.admit(replace(stopped, caps=CAPS), now=NOW).numbers


def test_a_page_is_never_cut_by_it(table: Table) -> None:
    caps = replace(CAPS, tenant_day=30)
    account = Account(table, who(), caps)
    budgets.charge(account, docs(0, 8), now=NOW)
    budgets.charge(account, docs(10, 18), now=NOW)
    budgets.charge(account, docs(20, 28), now=NOW)

    with pytest.raises(Busy):
        budgets.charge(account, docs(30, 33), now=NOW)

    assert not budgets.charge(account, docs(0, 8), now=NOW).left.cut


def test_seen_documents_pass_and_another_client_tenant_and_day_do_too(
    table: Table,
) -> None:
    caps = replace(CAPS, client_day=3)
    charge(table, who(), caps, 0, 1, 2)

    assert charge(table, who(), caps, 0).granted
    assert charge(table, who(1, "other"), caps, 5).granted
    assert charge(table, who(1, tenant="second"), caps, 5).granted
    later = Account(table, who(1), caps)
    assert budgets.charge(later, docs(5, 6), now=NOW + timedelta(days=1)).granted


def test_the_operator_is_told_how_far_the_day_is(table: Table) -> None:
    caps = replace(CAPS, tenant_day=30, client_day=300)

    strain = charge(table, who(), caps, 0, 1, 2, 3).strain

    assert strain == {"tenant_day": 40.0, "client_day": 4.0}

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.integration.store.race import race
from vitrine.caller import Caller
from vitrine.disclosure.budgets import SHARDS, Caps, Identity, first_shard
from vitrine.problems import BudgetSpent, FacetsSpent
from vitrine.store import budgets
from vitrine.store.budgets import Account, Charge

if TYPE_CHECKING:
    from vitrine.store.table import Table

# Twenty by hand (VITRINE_RACES=20), few in the suite: each costs two seconds.
ROUNDS = range(int(os.environ.get("VITRINE_RACES", "2")))
NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
TOMORROW = datetime(2026, 8, 3, tzinfo=UTC)
CAPS = Caps(
    session=30,
    day=150,
    month=500,
    account_day=450,
    account_month=1500,
    facet_values=40,
    counts=20,
    misses=5,
)
WIDE = replace(CAPS, session=900, day=900, month=900)


def who(
    subject: str = "ada", session: str | None = "s1", account: str = "acme"
) -> Identity:
    caller = Caller("demo", subject, "web", account=account)
    return Identity("demo", "shop", caller.identity, caller.company, session)


def docs(start: int, stop: int) -> list[str]:
    return [f"document-{n}" for n in range(start, stop)]


def test_a_page_is_charged_and_its_documents_are_free_again(table: Table) -> None:
    account = Account(table, who(), CAPS)

    first = budgets.charge(account, docs(0, 10), now=NOW)
    again = budgets.charge(account, docs(0, 10), now=NOW)

    assert tuple(docs(0, 10)) == first.granted == again.granted
    assert (first.left.session_left, first.left.day_left) == (20, 140)
    assert first.left == again.left
    assert first.left.resets_at == TOMORROW
    assert not first.left.warning
    assert not first.left.cut


def test_the_31st_document_of_a_session_is_refused_with_the_way_on(
    table: Table,
) -> None:
    """E03: a refusal is typed and says until when; it is no empty page."""
    account = Account(table, who(), CAPS, way_on="https://shop.example/search?q=vis")
    for start in (0, 10, 20):
        last = budgets.charge(account, docs(start, start + 10), now=NOW)
    assert (last.left.session_left, last.left.warning) == (0, True)

    with pytest.raises(BudgetSpent) as caught:
        budgets.charge(account, docs(30, 31), now=NOW)

    members = caught.value.body()
    assert members["budget"] == "session"
    assert members["way_on"] == "https://shop.example/search?q=vis"
    assert members["retry_after"] == 30 * 86_400
    assert caught.value.headers() == {"Retry-After": str(30 * 86_400)}


def test_a_page_is_cut_to_what_remains_and_keeps_the_seen(table: Table) -> None:
    account = Account(table, who(), CAPS)
    budgets.charge(account, docs(0, 25), now=NOW)

    charge = budgets.charge(account, [*docs(25, 35), "document-0"], now=NOW)

    assert (*docs(25, 30), "document-0") == charge.granted
    assert charge.left.cut


def test_a_new_session_goes_on_within_the_day_and_the_seen_stays_free_that_day(
    table: Table,
) -> None:
    """E01: who drops a session and begins another finds the same identity's day."""
    for number in range(5):
        account = Account(table, who(session=f"s{number}"), CAPS)
        left = budgets.charge(
            account, docs(30 * number, 30 * number + 30), now=NOW
        ).left
    assert left.day_left == 0

    with pytest.raises(BudgetSpent) as caught:
        budgets.charge(Account(table, who(session="s9"), CAPS), docs(150, 151), now=NOW)

    assert caught.value.body()["budget"] == "day"
    assert caught.value.body()["resets_at"] == TOMORROW.isoformat()
    assert caught.value.body()["retry_after"] == 12 * 3600
    seen = budgets.charge(Account(table, who(session="s9"), CAPS), docs(0, 5), now=NOW)
    assert len(seen.granted) == 5


def test_thirty_days_are_a_sliding_window(table: Table) -> None:
    caps = replace(CAPS, session=50, day=20, month=50)
    starts = {0: 0, 1: 20, 2: 40}
    for day, start in starts.items():
        account = Account(table, who(session=f"d{day}"), caps)
        budgets.charge(account, docs(start, start + 20), now=NOW + timedelta(days=day))

    account = Account(table, who(session="late"), caps)
    with pytest.raises(BudgetSpent) as caught:
        budgets.charge(account, docs(90, 91), now=NOW + timedelta(days=29))
    assert caught.value.body()["budget"] == "month"
    assert caught.value.body()["resets_at"] == "2026-09-01T00:00:00+00:00"

    granted = budgets.charge(
        account, docs(90, 120), now=NOW + timedelta(days=30)
    ).granted
    assert len(granted) == 20


def test_what_was_seen_this_month_is_not_charged_to_the_month_again(
    table: Table,
) -> None:
    caps = replace(CAPS, month=10)
    account = Account(table, who(), caps)
    budgets.charge(account, docs(0, 10), now=NOW)

    later = budgets.charge(account, docs(0, 10), now=NOW + timedelta(days=20))

    assert len(later.granted) == 10


def test_an_expired_session_memory_is_not_honoured_before_the_sweep(
    table: Table,
) -> None:
    """X01: expiry is checked on read."""
    caps = replace(CAPS, session=5)
    account = Account(table, who(), caps)
    budgets.charge(account, docs(0, 5), now=NOW)

    with pytest.raises(BudgetSpent):
        budgets.charge(account, docs(9, 10), now=NOW + timedelta(days=29, hours=23))
    later = budgets.charge(account, docs(9, 10), now=NOW + timedelta(days=30))

    assert later.left.session_left == 4


def test_many_identities_of_one_account_share_its_day(table: Table) -> None:
    caps = replace(CAPS, account_day=45)
    users = [Account(table, who(f"user{n}"), caps) for n in range(6)]

    pages = [budgets.charge(user, docs(0, 10), now=NOW).granted for user in users[:5]]

    assert [len(page) for page in pages] == [10, 10, 10, 10, 5]
    with pytest.raises(BudgetSpent) as caught:
        budgets.charge(users[5], docs(0, 10), now=NOW)
    assert caught.value.body()["budget"] == "account"
    assert caught.value.body()["resets_at"] == TOMORROW.isoformat()


def test_another_account_source_or_tenant_is_not_charged(table: Table) -> None:
    caps = replace(CAPS, session=10, day=10, account_day=10)
    ada = who()
    others = [
        who("bob", account="other"),
        replace(ada, source="spares"),
        replace(ada, tenant="second"),
    ]

    for one in (ada, *others):
        account = Account(table, replace(one, session=None), caps)
        assert len(budgets.charge(account, docs(0, 10), now=NOW).granted) == 10


def test_remainders_do_not_tell_what_a_colleague_saw(table: Table) -> None:
    before = budgets.charge(Account(table, who("bob"), CAPS), [], now=NOW).left
    budgets.charge(Account(table, who("ada"), CAPS), docs(0, 10), now=NOW)

    after = budgets.charge(Account(table, who("bob"), CAPS), [], now=NOW).left

    assert before == after


def test_without_a_session_the_identity_pays_alone(table: Table) -> None:
    """E02: no session is no shared bucket."""
    caps = replace(CAPS, session=5)

    charge = budgets.charge(
        Account(table, who(session=None), caps), docs(0, 10), now=NOW
    )

    assert (charge.left.session_left, charge.left.day_left) == (140, 140)


RACED = {
    "session": replace(CAPS, session=30),
    "day": replace(CAPS, session=99, day=30),
    "month": replace(CAPS, session=99, month=30),
    "account": replace(CAPS, session=99, account_day=30),
}


@pytest.mark.parametrize("scope", RACED)
@pytest.mark.parametrize("number", ROUNDS)
def test_fifty_at_once_get_exactly_the_cap(
    table: Table, scope: str, number: int
) -> None:
    account = Account(table, who(f"user{number}"), RACED[scope])

    results = race(lambda n: budgets.charge(account, docs(n, n + 1), now=NOW))

    assert sum(isinstance(r, Charge) for r in results) == 30
    assert {scope} == {
        r.body()["budget"] for r in results if isinstance(r, BudgetSpent)
    }


def test_fifty_colleagues_at_once_share_exactly_the_account(table: Table) -> None:
    caps = replace(CAPS, account_day=200)

    results = race(
        lambda n: budgets.charge(
            Account(table, who(f"u{n}"), caps), docs(0, 10), now=NOW
        )
    )

    assert sum(len(r.granted) for r in results if isinstance(r, Charge)) == 200


def test_the_same_documents_at_once_are_charged_once(table: Table) -> None:
    account = Account(table, who(), CAPS)

    results = race(lambda _: budgets.charge(account, docs(0, 10), now=NOW), 20)

    assert all(isinstance(r, Charge) and len(r.granted) == 10 for r in results)
    assert _left(account) == (20, 140)
    assert _account_total(table) == 10


def test_memory_goes_on_in_small_items_and_stays_exact(table: Table) -> None:
    caps = replace(WIDE, account_day=2_700, account_month=2_700)
    account = Account(table, who(), caps)

    race(lambda n: budgets.charge(account, docs(20 * n, 20 * n + 40), now=NOW), 14)

    assert _left(account) == (600, 600)
    assert _account_total(table) == 300
    chunks = list(table.query(f"SEEN#demo#shop#{account.who.identity}"))
    assert [i.get("closed") for i in chunks] == [True, True, True, None]


def _left(account: Account) -> tuple[int, int]:
    left = budgets.charge(account, [], now=NOW).left
    return left.session_left, left.day_left


def _account_total(table: Table) -> int:
    return sum(i["seen"] for i in table.query(f"ACCOUNT#demo#shop#{who().company}"))


def test_facet_lists_and_values_are_charged_once_a_day(table: Table) -> None:
    account = Account(table, who(), CAPS)
    lists = {"colour": ["red", "blue"], "size": ["s", "m", "l"]}

    assert budgets.charge_facets(account, lists, now=NOW) == ("colour", "size")
    assert budgets.charge_facets(account, lists, now=NOW) == ("colour", "size")
    more = {"long": [str(n) for n in range(40)], "short": ["a"]}
    assert budgets.charge_facets(account, more, now=NOW) == ("short",)

    with pytest.raises(FacetsSpent) as caught:
        budgets.charge_facets(account, {"long": more["long"]}, now=NOW)
    assert caught.value.body()["retry_after"] == 12 * 3600


@pytest.mark.parametrize("number", ROUNDS)
def test_fifty_facet_lists_at_once_get_exactly_the_quota(
    table: Table, number: int
) -> None:
    account = Account(table, who(f"user{number}"), CAPS)

    results = race(lambda n: budgets.charge_facets(account, {f"f{n}": ["x"]}, now=NOW))

    assert sum(isinstance(r, tuple) for r in results) == 20


def test_counts_and_misses_have_budgets_of_their_own(table: Table) -> None:
    account = Account(table, who(), CAPS)

    assert budgets.charge_counts(account, 6, now=NOW) == 14
    assert [budgets.charge_miss(account, now=NOW) for _ in range(5)] == [4, 3, 2, 1, 0]
    with pytest.raises(BudgetSpent) as caught:
        budgets.charge_miss(account, now=NOW)
    assert caught.value.body()["budget"] == "misses"
    with pytest.raises(BudgetSpent):
        budgets.charge_counts(account, 15, now=NOW)
    assert budgets.charge_counts(account, 0, now=TOMORROW) == 20


def test_fifty_counts_at_once_get_exactly_the_budget(table: Table) -> None:
    account = Account(table, who(), CAPS)

    results = race(lambda _: budgets.charge_counts(account, 1, now=NOW))

    assert sum(isinstance(r, int) for r in results) == 20


def test_identities_begin_at_different_counters() -> None:
    assert set(range(SHARDS)) == {first_shard(who(f"u{n}")) for n in range(50)}

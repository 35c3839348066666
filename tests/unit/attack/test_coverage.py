"""Coverage is computed of what the store really keeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from infra.attack.shelf import Shelf
from infra.coverage import Learnt, figures, learnt, main, report
from tests.unit.disclosure.shop import registry
from vitrine.caller import Caller
from vitrine.disclosure.budgets import KEPT, caps_of, identity_of
from vitrine.store import budgets
from vitrine.store.budgets import Account
from vitrine.store.registry import put_registry
from vitrine.store.table import epoch

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
SHOP = replace(registry(), documents=1_000)


def saw(
    shelf: Shelf, user: str, *, day: int, start: int, stop: int, **who: str
) -> None:
    caller = Caller("demo", user, who.get("client", "web"), account="acme")
    caps = caps_of(SHOP)
    assert caps is not None
    account = Account(shelf, identity_of(caller, SHOP), caps)
    now = NOW + timedelta(days=day)
    for first in range(start, stop, 10):
        page = [f"d{n}" for n in range(first, min(first + 10, stop))]
        budgets.charge(account, page, now=now)


@pytest.fixture
def source() -> Learnt:
    """A year of two colleagues, one of them through two clients."""
    shelf = Shelf()
    put_registry(shelf, SHOP, now=NOW)
    saw(shelf, "ada", day=0, start=0, stop=40)
    saw(shelf, "bob", day=0, start=20, stop=60)
    saw(shelf, "ada", day=29, start=30, stop=90, client="agent")
    saw(shelf, "ada", day=30, start=90, stop=100)
    saw(shelf, "ada", day=364, start=200, stop=230)
    saw(shelf, "ada", day=365, start=300, stop=320)
    return learnt(shelf.items.values())["demo", "shop"]


@pytest.mark.parametrize(
    ("scope", "figures"),
    [
        # Days 0 and 29 are within 30 days, days 0 and 365 not within a year.
        ("identity", (60, 90, 130)),
        # What ada saw again on day 29 was not new to her.
        ("account", (80, 130, 170)),
        ("client", (60, 60, 100)),
    ],
)
def test_the_most_that_anybody_learnt_is_told_by_span(
    source: Learnt, scope: str, figures: tuple[int, ...]
) -> None:
    assert figures == tuple(source.most(scope, span) for span in (1, 30, 365))


def test_shares_are_in_percent_of_the_published_catalogue(source: Learnt) -> None:
    assert (1_000, 6.0, 9.0) == (
        source.documents,
        source.share("identity", 1),
        source.share("identity", 30),
    )


def test_a_report_ends_in_one_line_of_figures(source: Learnt) -> None:
    found = {("demo", "shop"): source}

    *table, last = report(found)

    assert len(table) == 2 + 3
    assert "| demo | shop | 1000 | account | 80 (8.00 %)" in table[3]
    assert last.startswith('{"identity": {"day": 6.0')
    assert figures({})["client"]["year"] == 0.0


def test_what_was_learnt_is_kept_for_more_than_a_year() -> None:
    shelf = Shelf()
    saw(shelf, "ada", day=0, start=0, stop=100)

    ends = {i["expires_at"] for k, i in shelf.items.items() if "SEEN" in k[0]}
    shared = {i["expires_at"] for k, i in shelf.items.items() if "ACCOUNT" in k[0]}

    assert {epoch(NOW + timedelta(days=KEPT + 1))} == ends == shared
    assert KEPT > 366


def test_the_budget_of_thirty_days_does_not_see_the_rest_of_the_year() -> None:
    shelf = Shelf()
    saw(shelf, "ada", day=0, start=0, stop=150)

    caller = Caller("demo", "ada", "web", account="acme")
    caps = caps_of(SHOP)
    assert caps is not None
    account = Account(shelf, identity_of(caller, SHOP), caps)
    left = budgets.charge(account, [], now=NOW + timedelta(days=30)).left

    assert left.day_left == caps.day


def test_a_table_that_is_not_there_is_told_in_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION")
    for key in keys:
        monkeypatch.setenv(key, "local")

    # Nobody listens there: refused at once, and not asked again.
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    code = main(["--table", "nowhere", "--endpoint", "http://127.0.0.1:1"])

    assert 1 == code
    assert '{"error": "nowhere: ' in capsys.readouterr().out

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from vitrine.caller import Caller
from vitrine.store.known import KEPT, knows, remember
from vitrine.store.table import PAGES, Table

NOW = datetime(2026, 8, 2, 12, 5, tzinfo=UTC)
ALICE = Caller("t", "alice", "desk", account="a")


def test_what_was_shown_is_known_and_nothing_else(table: Table) -> None:
    remember(table, ALICE, "events", ["one", "two"], now=NOW)

    known = [ref for ref in ("one", "two", "three", "", "é" * 300) if asked(table, ref)]
    assert known == ["one", "two"]


def asked(table: Table, ref: str, caller: Caller = ALICE, at: datetime = NOW) -> bool:
    return knows(table, caller, "events", ref, at)


@pytest.mark.parametrize(
    "other",
    [
        replace(ALICE, tenant="u"),
        replace(ALICE, subject="bob"),
        replace(ALICE, account="b"),
        replace(ALICE, actor="bot"),
    ],
)
def test_it_is_the_identitys_own(table: Table, other: Caller) -> None:
    remember(table, ALICE, "events", ["one"], now=NOW)

    assert asked(table, "one", replace(ALICE, client="other"))
    assert not asked(table, "one", other)
    assert not knows(table, ALICE, "persons", "one", NOW)


def test_it_is_kept_for_a_month_and_by_the_clock(table: Table) -> None:
    """X01: expiry is checked on read."""
    remember(table, ALICE, "events", ["old"], now=NOW)
    remember(table, ALICE, "events", ["new"], now=NOW + timedelta(days=29))

    at = NOW + KEPT
    assert asked(table, "old", at=at - timedelta(seconds=1))
    assert [asked(table, ref, at=at) for ref in ("old", "new")] == [False, True]


def test_an_answer_is_one_small_write_and_none_for_none(table: Table) -> None:
    remember(table, ALICE, "events", [], now=NOW)
    assert not list(table.query("READABLE#t#" + ALICE.identity + "#events"))

    for minute in (0, 4, 5, 9):
        at = NOW.replace(minute=minute)
        remember(table, ALICE, "events", [f"r{minute}", "r"], now=at)

    (item,) = table.query("READABLE#t#" + ALICE.identity + "#events")
    assert len(item["marks"]) == 5


class Counting:
    """A client that counts its queries and answers with pages without end."""

    def __init__(self, *hits: int) -> None:
        self.asked: list[dict[str, Any]] = []
        self._hits = hits

    def query(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        found = [{"sk": {"S": "x"}}] if len(self.asked) in self._hits else []
        return {"Items": found, "LastEvaluatedKey": {"sk": {"S": "y"}}}


@pytest.mark.parametrize(
    ("hits", "known", "reads"), [((1,), True, 1), ((3,), True, 3), ((), False, PAGES)]
)
def test_the_newest_come_first_and_a_guess_ends(
    hits: tuple[int, ...], *, known: bool, reads: int
) -> None:
    client: Any = Counting(*hits)

    assert known is asked(Table(client, "t"), "ref")

    assert reads == len(client.asked)
    assert not any(each["ScanIndexForward"] for each in client.asked)

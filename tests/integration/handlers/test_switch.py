"""The kill switch by hand, through the gateway and its function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Post
from vitrine.store import switch
from vitrine.store.audit import Entry, entries
from vitrine.store.table import Table

SWITCH = "/v1/admin/switch"
CLEAR = f"{SWITCH}/clear"
WHY = {"reason": "the provider bills twice"}


def pulled(hours: float = 1, **more: Any) -> dict[str, Any]:
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=hours)
    return WHY | {"until": until.isoformat()} | more


def rows(table: Table, since: datetime) -> list[Entry]:
    until = datetime.now(UTC) + timedelta(seconds=1)
    found = entries(table, "aurore", since=since, until=until)
    return [entry for entry in found if entry.action.startswith("switch_")]


@pytest.fixture
def off(table: Table) -> Iterator[Table]:
    """The table, whose switch is off when the test is over."""
    yield table
    switch.clear(table, reason="over", by="test", now=datetime.now(UTC))


def test_it_is_pulled_shown_and_cleared_each_with_its_row(
    post: Post, seeded: Stack, boss: str, off: Table
) -> None:
    since, asked = datetime.now(UTC), pulled()

    tripped = post(SWITCH, asked, boss).json
    shown = seeded.call("GET", SWITCH, None, boss).json
    again = post(SWITCH, pulled(2), boss)
    stood = switch.read(off).on(datetime.now(UTC))
    cleared = post(CLEAR, WHY, boss).json

    assert tripped == shown
    assert (shown["on"], shown["by"], shown["reason"]) == (True, "boss", WHY["reason"])
    assert datetime.fromisoformat(shown["until"]) == datetime.fromisoformat(
        asked["until"]
    )
    assert (again.status, again.json["errors"][0]["code"]) == (422, "on_already")
    assert (stood, cleared["on"]) == (True, False)
    assert not switch.read(off).on(datetime.now(UTC))
    assert ["switch_tripped", "switch_cleared"] == [r.action for r in rows(off, since)]


def test_a_dry_run_tells_and_does_nothing(post: Post, boss: str, off: Table) -> None:
    since, before = datetime.now(UTC), switch.read(off)

    told = post(SWITCH, pulled(dry_run=True), boss).json

    assert (told["on"], told["dry_run"]) == (True, True)
    assert switch.read(off) == before
    assert not rows(off, since)


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"scope": "products:read"}, id="no administrator"),
        pytest.param({"scope": "admin", "tenant": "boreal"}, id="of another tenant"),
    ],
)
def test_only_an_administrator_of_the_operator_may_touch_it(
    post: Post,
    seeded: Stack,
    token: Callable[..., str],
    off: Table,
    *,
    claims: dict[str, str],
) -> None:
    stranger = token(**claims)

    answers = [
        seeded.call("GET", SWITCH, None, stranger),
        post(SWITCH, pulled(), stranger),
        post(CLEAR, WHY, stranger),
    ]

    assert [403] * 3 == [answer.status for answer in answers]
    assert not switch.read(off).on(datetime.now(UTC))


@pytest.mark.parametrize(
    "broken", [{"until": "2020-01-01T00:00:00Z"}, pulled(24 * 40), {"reason": ""}]
)
def test_an_order_without_a_sound_end_or_reason_is_refused(
    post: Post, boss: str, off: Table, broken: dict[str, Any]
) -> None:
    assert post(SWITCH, pulled() | broken, boss).status == 422
    assert not switch.read(off).on(datetime.now(UTC))

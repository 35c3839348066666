from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.integration.store.race import race
from vitrine.problems import Unavailable
from vitrine.store import switch
from vitrine.store.switch import OFF, State, Switch

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
TRIPPED = State(NOW + timedelta(days=1), "spend 12 $ of 10 $", "cost_monitor")


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class DownClient:
    """A client that answers until it is down, counting its calls."""

    def __init__(self, client: Any, *, down: bool = False) -> None:
        self._client, self.down, self.calls = client, down, 0

    def get_item(self, **asked: Any) -> Any:
        self.calls += 1
        if self.down:
            raise EndpointConnectionError(endpoint_url="here")
        return self._client.get_item(**asked)


def test_the_switch_is_on_until_its_moment_without_any_sweep(table: Table) -> None:
    """X01: its end is arithmetic."""
    assert switch.read(table) == OFF

    assert switch.trip(table, TRIPPED, now=NOW)

    assert switch.read(table) == TRIPPED
    assert TRIPPED.on(NOW + timedelta(hours=23, minutes=59))
    assert not TRIPPED.on(NOW + timedelta(days=1))


def test_a_second_trip_is_refused_while_it_is_on(table: Table) -> None:
    longer = replace(TRIPPED, until=NOW + timedelta(days=9), reason="again")
    moments = [NOW, NOW, NOW + timedelta(hours=23), NOW + timedelta(days=1)]

    trips = [
        switch.trip(table, TRIPPED if n < 3 else longer, now=m)
        for n, m in enumerate(moments)
    ]

    assert trips == [True, False, False, True]
    assert switch.read(table) == longer


def test_one_of_fifty_monitors_trips_it(table: Table) -> None:
    assert race(lambda _: switch.trip(table, TRIPPED, now=NOW)).count(True) == 1


def test_it_is_cleared_by_hand_with_a_reason(table: Table) -> None:
    assert not switch.clear(table, reason="nothing to clear", by="ops", now=NOW)
    switch.trip(table, TRIPPED, now=NOW)

    assert switch.clear(table, reason="budget raised", by="ops", now=NOW)

    assert not switch.read(table).on(NOW)
    assert switch.read(table).reason == "budget raised"
    assert switch.trip(table, TRIPPED, now=NOW)


def test_an_environment_reads_it_every_five_seconds(table: Table) -> None:
    client: Any = DownClient(table.client)
    clock = Clock()
    seen = Switch(replace(table, client=client), clock)
    assert not seen.on(NOW)
    switch.trip(table, TRIPPED, now=NOW)

    clock.seconds += 4.9
    assert not seen.on(NOW)
    clock.seconds += 0.1
    assert seen.on(NOW)
    assert client.calls == 2


def test_the_last_known_state_holds_while_the_store_is_down(table: Table) -> None:
    client: Any = DownClient(table.client)
    clock = Clock()
    seen = Switch(replace(table, client=client), clock)
    switch.trip(table, TRIPPED, now=NOW)
    assert seen.on(NOW)

    client.down = True
    clock.seconds += 60
    assert seen.on(NOW)
    assert not seen.on(NOW + timedelta(days=1))
    assert client.calls == 2


def test_a_switch_that_was_never_read_is_unavailable(table: Table) -> None:
    client: Any = DownClient(table.client, down=True)
    clock = Clock()
    seen = Switch(replace(table, client=client), clock)

    for _ in range(2):
        with pytest.raises(Unavailable):
            seen.on(NOW)
    client.down = False
    clock.seconds += 5
    assert not seen.on(NOW)


def test_a_switch_is_tripped_until_a_moment(table: Table) -> None:
    with pytest.raises(ValueError, match="until"):
        switch.trip(table, OFF, now=NOW)

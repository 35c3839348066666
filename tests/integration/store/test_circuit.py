"""A provider's circuit on a real table: shared, elected, silent while all is well."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.integration.store.race import race
from vitrine.models.breaker import DOWN, REST
from vitrine.store.circuit import Breaker

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
LATER = NOW + timedelta(seconds=REST)


class Counting:
    """A client that counts its reads and writes, until it is down."""

    def __init__(self, client: Any) -> None:
        self._client, self.down = client, False
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def called(**asked: Any) -> Any:
            self.calls.append(name)
            if self.down:
                raise EndpointConnectionError(endpoint_url="here")
            return getattr(self._client, name)(**asked)

        return called


def opened(table: Table) -> Breaker:
    breaker = Breaker(table, lambda: 0.0)
    for _ in range(3):
        breaker.told("p", "transport", NOW)
    return breaker


def test_three_failed_turns_open_it_for_every_environment(table: Table) -> None:
    breakers = [Breaker(table, lambda: 0.0) for _ in range(3)]

    told = [breaker.told("p", "transport", NOW) for breaker in breakers]

    assert told == [False, False, True]
    assert not Breaker(table, lambda: 0.0).admits("p", NOW)
    assert Breaker(table, lambda: 0.0).admits("another", NOW)


@pytest.mark.parametrize("why", sorted(DOWN))
def test_whatever_the_provider_does_wrong_counts(table: Table, why: str) -> None:
    breaker = Breaker(table, lambda: 0.0)

    assert [breaker.told("p", why, NOW) for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("why", ["", "invalid", "repeated"])
def test_a_provider_that_answers_is_there(table: Table, why: str) -> None:
    breaker = Breaker(table, lambda: 0.0)
    for end in ("transport", "transport", why, "transport", "transport"):
        breaker.told("p", end, NOW)

    assert breaker.admits("p", NOW)


def test_of_fifty_environments_one_probes(table: Table) -> None:
    opened(table)

    admitted = race(lambda _: Breaker(table, lambda: 0.0).admits("p", LATER))

    assert admitted.count(True) == 1


def test_a_probe_that_succeeds_closes_it(table: Table) -> None:
    breaker = opened(table)
    assert breaker.admits("p", LATER)

    breaker.told("p", "", LATER)

    assert Breaker(table, lambda: 0.0).admits("p", LATER)


def test_a_probe_that_fails_opens_it_for_twice_as_long(table: Table) -> None:
    breaker = opened(table)
    assert breaker.admits("p", LATER)

    assert breaker.told("p", "transport", LATER)

    assert not breaker.admits("p", LATER + timedelta(seconds=2 * REST - 1))
    assert breaker.admits("p", LATER + timedelta(seconds=2 * REST))


def test_while_all_is_well_five_seconds_cost_one_read_and_no_write(
    table: Table,
) -> None:
    client, clock = Counting(table.client), [0.0]
    breaker = Breaker(replace(table, client=client), lambda: clock[0])  # type: ignore[arg-type] # it answers alike

    for second in (0.0, 1.0, 4.9, 5.0):
        clock[0] = second
        assert breaker.admits("p", NOW)
        breaker.told("p", "", NOW)

    assert client.calls == ["get_item", "get_item"]


def test_without_the_store_the_provider_is_asked(table: Table) -> None:
    opened(table)
    client = Counting(table.client)
    client.down = True
    breaker = Breaker(replace(table, client=client), lambda: 0.0)  # type: ignore[arg-type] # it answers alike

    assert breaker.admits("p", NOW)
    assert not breaker.told("p", "transport", NOW)

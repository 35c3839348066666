from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.integration.store.race import race
from tests.unit.disclosure.shop import choice, field, manifest, registry
from vitrine.problems import Conflict, Missing, Unavailable
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample
from vitrine.store.registry import (
    Registries,
    load_registry,
    put_registry,
    sources_of,
)

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, tzinfo=UTC)


def sampled() -> Registry:
    sample = Sample(("oak", "«chêne»"), ("a",), 1.5, "2026-01-01")
    return registry_for(
        manifest(), "closed", tenant="demo", documents=5_000, samples={"width": sample}
    )


def crowded() -> Registry:
    noise = random.Random(1)
    brands = [choice(f"{noise.getrandbits(96):024x}", f"b{n}") for n in range(25_000)]
    base = manifest().model_dump()
    return registry(
        fields=[*base["fields"], field("brand", "vocabulary", choices=brands)]
    )


def test_a_registry_is_kept_whole(table: Table) -> None:
    put = put_registry(table, sampled(), now=NOW)

    assert put.version == 1
    assert load_registry(table, "demo", "shop", "closed") == put


def test_lists_of_tens_of_thousands_are_kept_whole(table: Table) -> None:
    put = put_registry(table, crowded(), now=NOW)

    assert load_registry(table, "demo", "shop", "closed") == put
    assert len(list(table.query("CONTENT#demo#shop#closed"))) > 1


@pytest.mark.parametrize(
    "name",
    [
        ("demo", "other", "closed"),
        ("demo", "shop", "trusted"),
        ("two", "shop", "closed"),
    ],
)
def test_unknown_sources_and_profiles_are_missing(
    table: Table, name: tuple[str, str, str]
) -> None:
    put_registry(table, registry(), now=NOW)

    with pytest.raises(Missing):
        load_registry(table, *name)


def test_a_tenants_sources_are_listed_with_their_profiles(table: Table) -> None:
    for profile in ("closed", "trusted"):
        put_registry(table, registry(profile), now=NOW)
    put_registry(table, replace(registry(), tenant="second"), now=NOW)

    assert sources_of(table, "demo") == {"shop": ("closed", "trusted")}
    assert sources_of(table, "third") == {}


def test_a_publish_is_a_new_version_and_the_old_content_ends(table: Table) -> None:
    put_registry(table, registry(), now=NOW)

    new = put_registry(table, registry(site="https://new.example"), now=NOW)

    assert new.version == 2
    assert load_registry(table, "demo", "shop", "closed") == new
    parts = list(table.query("CONTENT#demo#shop#closed"))
    assert sorted("expires_at" in part for part in parts) == [False, True]


def test_what_is_published_again_does_not_end(table: Table) -> None:
    for site in ("https://a.example", "https://b.example", "https://a.example"):
        last = put_registry(table, registry(site=site), now=NOW)

    (kept,) = [
        p for p in table.query("CONTENT#demo#shop#closed") if "expires_at" not in p
    ]
    assert load_registry(table, "demo", "shop", "closed") == last
    assert kept


def test_of_publishes_at_once_each_version_is_one_whole_registry(table: Table) -> None:
    def publish(number: int) -> Registry | None:
        try:
            wanted = registry(site=f"https://{number}.example")
            return put_registry(table, wanted, now=NOW)
        except Conflict:
            return None

    won = [r for r in race(publish, 12) if isinstance(r, Registry)]

    versions = sorted(r.version for r in won)
    assert versions == list(range(1, len(won) + 1))
    assert load_registry(table, "demo", "shop", "closed") == max(
        won, key=lambda r: r.version
    )


class CountingClient:
    """A client that counts its reads by operation."""

    def __init__(self, client: Any) -> None:
        self._client, self.heads, self.contents = client, 0, 0
        self.down = False

    def get_item(self, **asked: Any) -> Any:
        self.heads += 1
        if self.down:
            raise EndpointConnectionError(endpoint_url="here")
        return self._client.get_item(**asked)

    def query(self, **asked: Any) -> Any:
        self.contents += 1
        return self._client.query(**asked)


def test_an_environment_reads_content_only_when_the_version_moved(table: Table) -> None:
    put_registry(table, registry(), now=NOW)
    client: Any = CountingClient(table.client)
    clock = [0.0]
    kept = Registries(replace(table, client=client), lambda: clock[0])

    first = kept.get("demo", "shop", "closed")
    clock[0] = 19.0
    assert kept.get("demo", "shop", "closed") is first
    clock[0] = 20.0
    assert kept.get("demo", "shop", "closed") is first
    new = put_registry(table, registry(site="https://new.example"), now=NOW)
    clock[0] = 40.0
    assert kept.get("demo", "shop", "closed") == new
    assert (client.heads, client.contents) == (3, 2)


def test_the_last_known_registry_holds_while_the_store_is_down(table: Table) -> None:
    put_registry(table, registry(), now=NOW)
    client: Any = CountingClient(table.client)
    clock = [0.0]
    kept = Registries(replace(table, client=client), lambda: clock[0])
    first = kept.get("demo", "shop", "closed")

    client.down = True
    clock[0] = 60.0

    assert kept.get("demo", "shop", "closed") is first
    with pytest.raises(Unavailable):
        kept.get("demo", "shop", "trusted")

"""A Typesense server, the shop on it, and small catalogues of a test's own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest
from typesense import Client

from infra.local import typesense as local
from infra.local.demo import shop
from vitrine.caller import Caller
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Hits, Query
from vitrine.tree.conditions import TRUE, Condition, Text
from vitrine.typesense.client import connect
from vitrine.typesense.encode import Encoder
from vitrine.typesense.publish import publish
from vitrine.typesense.search import Typesense

KEY = b"a publisher's key of a test"
TENANT = "window"
"""A tenant of these tests alone: the session's server is shared with others."""
GOODS = "boreal"
"""Whose products it sells."""
Ask = Callable[..., Hits]
Fill = Callable[[Registry, Iterable[Mapping[str, Any]]], Typesense]

_stamps = itertools.count(1)


@pytest.fixture(scope="session")
def client(typesense: local.Node) -> Iterator[Client]:
    """A client with time to load; searches are tested with the short one."""
    patient = connect(typesense.url, typesense.key, timeout=60)
    yield patient
    patient.api_call.close()


@pytest.fixture(scope="session")
def engine(typesense: local.Node) -> Iterator[Typesense]:
    quick = connect(typesense.url, typesense.key)
    yield Typesense(quick)
    quick.api_call.close()


@pytest.fixture(scope="session")
def caller() -> Caller:
    return Caller(TENANT, "subject", "client")


@pytest.fixture(scope="session")
def fill(client: Client, engine: Typesense) -> Fill:
    """Publish records of a registry under its alias, and give the engine."""

    def publish_all(
        registry: Registry, records: Iterable[Mapping[str, Any]]
    ) -> Typesense:
        publish(
            client,
            Encoder(registry, KEY),
            records,
            stamp=f"{next(_stamps):08d}",
            publishable=lambda record: record.get("published", True) is True,
        )
        return engine

    return publish_all


@pytest.fixture(scope="session")
def closed(fill: Fill) -> Registry:
    """The small tenant's shop as agents and the public see it, loaded."""
    registry = registry_for(shop.manifest(), "closed", tenant=TENANT)
    fill(registry, shop.records(GOODS))
    return registry


@pytest.fixture(scope="session")
def trusted(fill: Fill) -> Registry:
    """The same shop as its own staff sees it."""
    registry = registry_for(shop.manifest(), "trusted", tenant=TENANT)
    fill(registry, shop.records(GOODS))
    return registry


@pytest.fixture(scope="session")
def ask(engine: Typesense, closed: Registry, caller: Caller) -> Ask:
    """Search the small shop: a text or None, a condition, and what a query has."""

    def search(text: str | None, condition: Condition = TRUE, **more: Any) -> Hits:
        leaf = Text(text, "keyword_search") if text is not None else None
        fixed = {"limit": 250} | more
        return engine.search(Query(caller, closed, condition, leaf, **fixed))

    return search

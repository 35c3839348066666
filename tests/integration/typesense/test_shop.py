"""The demo's shop on a server, seeded twice."""

from __future__ import annotations

from typing import Any

import pytest
from typesense import Client

from infra.local.demo import shop
from vitrine.caller import Caller
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import registry_for
from vitrine.search.engine import Query
from vitrine.tree.conditions import TRUE
from vitrine.typesense.client import collection
from vitrine.typesense.search import Typesense


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shop, "SIZES", {"aurore": 90, "boreal": 60})


@pytest.fixture
def apart() -> Manifest:
    """The shop's manifest under a name that no other test publishes."""
    return shop.manifest().model_copy(update={"relation": "twice"})


@pytest.mark.usefixtures("small")
def test_the_shop_can_be_seeded_again_on_the_same_server(
    client: Client, engine: Typesense, apart: Manifest
) -> None:
    first = shop.seed_shop(client, apart, b"key")
    second = shop.seed_shop(client, apart, b"key")

    assert first == second
    assert second["products_private"] == 150
    for tenant in shop.SIZES:
        shown = sum(map(shop.publishable, shop.records(tenant)))
        for profile in apart.profiles:
            registry = registry_for(apart, profile, tenant=tenant)
            found = engine.search(Query(Caller(tenant, "s", "c"), registry, TRUE))
            assert shown == found.total == second[f"twice_{tenant}_{profile}"]


@pytest.mark.usefixtures("small")
def test_the_customer_s_own_collection_keeps_what_is_private(
    client: Client, apart: Manifest
) -> None:
    shop.seed_shop(client, apart, b"key")

    private: dict[str, Any] = collection(client, shop.PRIVATE).documents.search(  # type: ignore[assignment] # a typed dict
        {"q": "*", "query_by": "name", "filter_by": "published:false"}
    )

    hidden = [r for t in shop.SIZES for r in shop.records(t) if not r["published"]]
    assert len(hidden) == private["found"]
    assert "purchase_cost" in private["hits"][0]["document"]

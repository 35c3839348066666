"""Nothing hidden is reached: no other tenant, profile or private field."""

from __future__ import annotations

import json

import pytest
from typesense import Client
from typesense.exceptions import TypesenseClientError

from infra.local import typesense as local
from infra.local.demo import shop
from tests.integration.typesense.conftest import GOODS, TENANT
from vitrine.caller import Caller
from vitrine.problems import Unavailable
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Query
from vitrine.tree.conditions import (
    TRUE,
)
from vitrine.typesense.client import collection, connect
from vitrine.typesense.search import Typesense


def test_a_collection_of_another_tenant_is_another_place(engine: Typesense) -> None:
    elsewhere = registry_for(shop.manifest(), "closed", tenant="nobody")

    with pytest.raises(Unavailable):
        engine.search(Query(Caller("nobody", "s", "c"), elsewhere, TRUE))


def test_nothing_private_is_in_a_public_collection(
    client: Client, closed: Registry, trusted: Registry
) -> None:  # T02
    for registry in (closed, trusted):
        name = f"products_{TENANT}_{registry.profile}"
        exported = collection(client, name).documents.export()
        schema = json.dumps(collection(client, name).retrieve())
        for record in shop.records(GOODS):
            assert record["stock_id"] not in exported
            if not shop.publishable(record):
                assert record["sku"] not in exported
        for key in ("stock_id", "purchase_cost", "supplier_quota", "quantity"):
            assert key not in schema
            assert f'"{key}"' not in exported


def test_a_field_of_another_profile_is_nowhere_in_the_closed_one(
    client: Client, closed: Registry
) -> None:  # T02
    name = f"products_{TENANT}_closed"
    schema = json.dumps(collection(client, name).retrieve())

    assert closed.outputs
    for key in ("collection", "certification", "weight", "lead_days"):
        assert f"_{key}" not in schema
    for line in collection(client, name).documents.export().splitlines():
        assert "collection" not in json.loads(line)


def test_a_server_that_is_gone_is_unavailable_soon(
    closed: Registry, caller: Caller
) -> None:
    nowhere = connect("http://127.0.0.1:1", "key")
    try:
        with pytest.raises(Unavailable):
            Typesense(nowhere).search(Query(caller, closed, TRUE))
    finally:
        nowhere.api_call.close()


def test_a_wrong_key_is_unavailable_and_says_nothing(
    typesense: local.Node, closed: Registry, caller: Caller
) -> None:
    locked = connect(typesense.url, "wrong")
    try:
        with pytest.raises(Unavailable) as refusal:
            Typesense(locked).search(Query(caller, closed, TRUE))
    finally:
        locked.api_call.close()
    assert typesense.key not in str(refusal.value)
    assert isinstance(refusal.value.__cause__, TypesenseClientError | RuntimeError)


def test_a_key_for_the_search_alone_can_be_given(
    engine: Typesense,
    typesense: local.Node,
    client: Client,
    closed: Registry,
    caller: Caller,
) -> None:
    name = f"products_{TENANT}_closed"
    made = client.keys.create(
        {
            "description": "search",
            "actions": ["documents:search"],
            "collections": [f"{name}.*"],
        }
    )
    other = connect(typesense.url, "wrong")
    keyed = Typesense(other, lambda _: made["value"])
    try:
        found = keyed.search(Query(caller, closed, TRUE)).total
    finally:
        other.api_call.close()
    assert found == engine.search(Query(caller, closed, TRUE)).total

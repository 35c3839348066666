"""Nothing hidden is reached: no other tenant, profile or private field."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

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
from vitrine.tree.conditions import TRUE, Condition, Member, Not, Text
from vitrine.typesense import request
from vitrine.typesense.client import collection, connect, perform
from vitrine.typesense.compile import filter_by
from vitrine.typesense.encode import Press
from vitrine.typesense.ladder import guard_of
from vitrine.typesense.sealing import Seal, sealer
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


@pytest.fixture
def sealed(typesense: local.Node) -> Iterator[tuple[Client, Seal]]:
    """A client without a key, and what makes a key of each of its searches."""
    nobody = connect(typesense.url, "nobody")
    with closing(nobody.api_call):
        key = typesense.key_for("documents:search")
        yield nobody, sealer(nobody, key, time.time)


def test_sealed_searches_find_the_same(
    engine: Typesense,
    sealed: tuple[Client, Seal],
    closed: Registry,
    caller: Caller,
) -> None:
    other = Typesense(*sealed)
    oak = Member(closed.fields["material"], ("oak",))
    asked = [
        Query(caller, closed, oak, facets=closed.facets),
        Query(caller, closed, Not(oak), Text("lamp"), limit=3),
        Query(caller, closed, TRUE, Text("lampe chene", "keyword_search")),
        Query(caller, closed, TRUE, Text("lampadere")),
    ]

    for query in asked:
        assert engine.search(query) == other.search(query)
    conditions: list[Condition] = [oak, Not(oak), TRUE]
    assert engine.count(asked[0], conditions) == other.count(asked[0], conditions)


@pytest.mark.parametrize(
    "more",
    [
        {"per_page": 250},
        {"page": 9},
        {"q": "*"},
        {"facet_by": "TIE", "max_facet_values": 250},
        {"include_fields": "*", "exclude_fields": ""},
        {"group_by": "CODE_material", "group_limit": 99},
        {"pinned_hits": "x:1"},
        {"sort_by": "TIE:desc"},
        {"facet_query": "CODE_material:m", "facet_by": "CODE_material"},
        {"infix": "always", "q": "a"},
    ],
)
def test_the_bearer_of_a_search_widens_nothing(
    sealed: tuple[Client, Seal], closed: Registry, more: dict[str, Any]
) -> None:
    client, seal = sealed
    guard = filter_by(TRUE, guard_of(closed)) or ""
    body = seal(request.search(closed, (), guard) | {"per_page": 3})

    (own,) = perform(client, [body])
    (widened,) = perform(client, [body | more])

    same = ("found", "hits", "facet_counts", "page")
    assert [own[k] for k in same] == [widened[k] for k in same]
    assert not {"out_of", "search_time_ms"} & set(widened)


def test_an_old_seal_opens_nothing(
    typesense: local.Node, closed: Registry, caller: Caller
) -> None:
    nobody = connect(typesense.url, "nobody")
    key = typesense.key_for("documents:search")
    with closing(nobody.api_call):
        late = Typesense(nobody, sealer(nobody, key, lambda: time.time() - 3_600))
        with pytest.raises(Unavailable):
            late.search(Query(caller, closed, TRUE))


def test_a_hit_that_does_not_pass_by_its_own_values_is_dropped(
    client: Client, engine: Typesense, closed: Registry, caller: Caller
) -> None:  # F03
    """The server folds case: a careless writer's code would match another one."""
    field = closed.fields["material"]
    code = next(c.code for c in field.choices or () if c.value == "oak")
    oak = Member(field, ("oak",))
    before = engine.search(Query(caller, closed, oak, limit=250))
    careless = Press([closed], b"k").documents({"id": "X", "material": "oak"})[0]
    home = collection(client, request.collection(closed)).documents
    home.upsert(careless | {"CODE_material": code.upper()})
    try:
        after = engine.search(Query(caller, closed, oak, limit=250))
    finally:
        home.delete({"filter_by": f"id:[{careless['id']}]"})

    assert after.total == before.total + 1
    assert {row.id for row in after.rows} == {row.id for row in before.rows}
    assert before.exact
    assert not after.exact

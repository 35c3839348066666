"""The engine in memory finds what a real Typesense finds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from random import Random
from typing import Any

import pytest

from infra.attack.bits import Bits
from infra.local import typesense as local
from infra.local.demo import shop
from vitrine.caller import Caller
from vitrine.registry.profiles import registry_for
from vitrine.search.engine import Query
from vitrine.search.resolve import resolve
from vitrine.tree.conditions import TRUE
from vitrine.tree.lower import lower
from vitrine.typesense.client import connect
from vitrine.typesense.encode import Encoder
from vitrine.typesense.publish import publish
from vitrine.typesense.search import Typesense
from vitrine.validate import check

TODAY = date(2026, 11, 20)
TREES = 150
REGISTRY = registry_for(shop.manifest(), "closed", tenant="bits")
RECORDS = [r for r in shop.records("boreal") if shop.publishable(r)]
CALLER = Caller("bits", "somebody", "web")


@pytest.fixture(scope="module")
def engines(typesense: local.Node) -> Iterator[tuple[Typesense, Bits]]:
    encoder = Encoder(REGISTRY, b"a publisher's key of a test")
    client = connect(typesense.url, typesense.key, timeout=60)
    with closing(client.api_call):
        publish(client, encoder, RECORDS, stamp="1", publishable=shop.publishable)
        yield Typesense(client), Bits(encoder, RECORDS)


def rule(field: str, operator: str, value: Any = None) -> dict[str, Any]:
    bare = {"field": field, "operator": operator}
    return bare if value is None else bare | {"value": value}


def leaf(random: Random) -> dict[str, Any]:
    """Draw a test of a record that exists, or nearly."""
    record, other = random.choice(RECORDS), random.choice(RECORDS)
    cents = sorted((record["price"], other["price"]))
    drawn = (
        rule("category", "in", [record["category"], other["category"]]),
        rule("material", random.choice(("equals", "not_equals")), record["material"]),
        rule("colour", "near", {"hex": record["colour"], "tolerance": 60}),
        rule("room", "equals", record["room"][0]),
        rule("price", "between", [c / 100 for c in cents]),
        rule("price", "equals", record["price"] / 100),
        rule("width", "greater_than", record["width"]),
        rule("added", "on_or_after", record["added"]),
        rule("brand", "vocab_text_equals", record.get("brand", "Nordvik")),
        rule("brand", random.choice(("is_empty", "is_not_empty"))),
        rule("sku", "in", [record["sku"], other["sku"]]),
        rule("sku", "starts_with", record["sku"][:5]),
        rule("in_stock", "equals", record["in_stock"]),
        rule("name", "equals", record["name"]),
        rule("full_text_search", "keyword_search", record["name"].split()[0]),
    )
    return random.choice(drawn)


def tree(random: Random, depth: int = 2) -> dict[str, Any]:
    parts = [
        tree(random, depth - 1) if depth and random.random() < 0.3 else leaf(random)
        for _ in range(random.randint(1, 3))
    ]
    operator = random.choice(("and", "and", "or"))
    return {
        "type": "group",
        "operator": operator,
        "rules": parts,
        "not": random.random() < 0.1,
    }


@pytest.mark.parametrize("seed", range(2))
def test_the_engine_in_memory_finds_what_the_server_finds(
    engines: tuple[Typesense, Bits], seed: int
) -> None:
    server, bits = engines
    random = Random(seed)
    for _ in range(TREES):
        raw = tree(random)
        checked = check(raw, REGISTRY, today=TODAY).require()
        settled = resolve(checked, bits, Query(CALLER, REGISTRY, TRUE)).tree
        low = lower(settled, REGISTRY, today=TODAY)
        facets = REGISTRY.facets
        query = Query(CALLER, REGISTRY, low.condition, low.text, 20, facets=facets)

        theirs, ours = server.search(query), bits.search(query)

        if theirs.mode == "strict":
            assert (theirs.total, theirs.facets) == (ours.total, ours.facets), raw
        if low.text is None:
            assert [r.id for r in theirs.rows] == [r.id for r in ours.rows], raw
            assert theirs.rows == ours.rows
            # The server's cursor also marks what was shown: there, documents come in.
            assert (theirs.next or ())[:2] == (ours.next or ())

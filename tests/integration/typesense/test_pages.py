"""Facets, counts and pages of the shop, and known documents."""

from __future__ import annotations

from decimal import Decimal

import pytest
from typesense import Client

from infra.local.demo import shop
from tests.integration.typesense.conftest import GOODS, KEY, TENANT, Ask
from vitrine.caller import Caller
from vitrine.problems import Invalid
from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Hits, Query, Wanted
from vitrine.tree.conditions import FALSE, TRUE, Between, Member, Not, Present
from vitrine.typesense.encode import public_id
from vitrine.typesense.sample import samples
from vitrine.typesense.search import Typesense

FACETS = (
    "category",
    "room",
    "material",
    "colour",
    "style",
    "price",
    "availability",
    "brand",
)


def shown() -> list[shop.Record]:
    return [r for r in shop.records(GOODS) if shop.publishable(r)]


@pytest.mark.parametrize("key", FACETS)
def test_a_facet_counts_each_value_once(ask: Ask, key: str) -> None:  # K01
    pairs = counted(ask(None, facets=(key,), limit=0), key)
    found = dict(pairs)

    if key != "price":
        values = [v for r in shown() for v in _many(r.get(key))]
        assert {v: values.count(v) for v in values} == found
    assert len(found) == len(pairs)
    if key != "room":
        missing = ask(None, Not(Present(_field(key))), limit=0).total
        assert len(shown()) - missing == sum(found.values())


def counted(hits: Hits, key: str) -> tuple[tuple[str, int], ...]:
    assert hits.facets is not None
    return hits.facets[key]


def _many(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _field(key: str) -> Field:
    field = shop.manifest().field(key)
    assert field
    return field


@pytest.mark.parametrize("key", FACETS)
def test_a_count_never_exceeds_the_total_nor_grows_by_a_filter(  # K02 K03
    ask: Ask, key: str
) -> None:
    everything = ask(None, facets=(key,), limit=0)
    oak = ask(None, Member(_field("material"), ("oak",)), facets=(key,), limit=0)

    before, after = dict(counted(everything, key)), dict(counted(oak, key))
    assert all(number <= oak.total for number in after.values())
    assert all(number <= before[value] for value, number in after.items())


def test_the_selected_value_counts_as_many_as_are_found(ask: Ask) -> None:  # K02
    hits = ask(None, Member(_field("material"), ("oak",)), facets=("material",))

    assert {"material": (("oak", hits.total),)} == hits.facets


def test_a_band_counts_what_its_bounds_find(ask: Ask) -> None:
    bands = counted(ask(None, facets=("price",), limit=0), "price")

    for band, number in bands:
        low, high = (Decimal(side) if side else None for side in band.split(".."))
        inside = Between(_field("price"), low, high, high_open=True)
        assert number == ask(None, inside, limit=0).total


def test_a_facet_that_the_profile_lacks_is_refused(ask: Ask) -> None:  # T02
    for key in ("collection", "purchase_cost", "nothing"):
        with pytest.raises(Invalid):
            ask(None, facets=(key,))


def test_no_document_stands_on_two_pages(ask: Ask) -> None:  # P01
    pages = [ask(None, limit=10)]
    while pages[-1].next:
        pages.append(ask(None, limit=10, after=pages[-1].next))

    ids = [row.id for page in pages for row in page.rows]
    assert [len(page.rows) for page in pages] == [10, 10, 10]
    assert len(set(ids)) == len(ids)


def test_an_uncapped_profile_pages_to_the_last_document(
    engine: Typesense, trusted: Registry, caller: Caller
) -> None:  # P01
    ids, after, pages = [], None, 0
    while pages == 0 or after:
        hits = engine.search(Query(caller, trusted, TRUE, limit=100, after=after))
        ids += [row.id for row in hits.rows]
        after, pages = hits.next, pages + 1

    assert pages == 7
    assert len(shown()) == len(ids) == len(set(ids))


def test_the_newest_come_first(ask: Ask) -> None:
    dates = [str(row.values["added"]) for row in ask(None).rows]

    assert sorted(dates, reverse=True) == dates


def test_no_condition_that_can_hold_asks_no_server(
    closed: Registry, caller: Caller
) -> None:
    nobody = Typesense(None)  # type: ignore[arg-type] # a client would be asked

    hits = nobody.search(Query(caller, closed, FALSE, facets=("material",)))

    assert (hits.total, hits.rows, hits.facets) == (0, (), {"material": ()})
    assert nobody.count(Query(caller, closed, TRUE), [FALSE])[0].number == 0


def test_values_come_back_as_stored(ask: Ask) -> None:
    record = next(r for r in shown() if "rating" in r and "brand" in r)
    sku = Member(_field("sku"), (record["sku"],))

    (row,) = ask(None, sku).rows

    assert public_id(KEY, TENANT, "products", record["id"]) == row.id
    for key, value in row.values.items():
        expected = Decimal(str(record[key])) if isinstance(value, Decimal) else None
        assert (record[key] if expected is None else expected) == value


def test_known_documents_are_fetched_in_order_and_others_left_out(
    engine: Typesense, closed: Registry, caller: Caller, ask: Ask
) -> None:
    ids = [row.id for row in ask(None, limit=5).rows]
    hidden = next(r for r in shop.records(GOODS) if not shop.publishable(r))
    private = public_id(KEY, TENANT, "products", hidden["id"])
    asked = [ids[3], private, "`", "x] || id:[a", ids[1], "0" * 36, ids[3]]

    rows = engine.fetch(Query(caller, closed, TRUE), asked)

    assert [ids[3], ids[1]] == [row.id for row in rows]


def test_labels_resolve_for_visible_fields_alone(
    engine: Typesense, closed: Registry, caller: Caller
) -> None:
    query = Query(caller, closed, TRUE)
    wanted = [Wanted("brand", "nordvick"), Wanted("collection", "Brume")]

    brand, collection = engine.look_up(query, wanted)

    assert brand.labels == ("Nordvik",)
    assert (collection.ids, collection.nearest) == ((), ())


def test_samples_tell_what_the_profile_may_filter(
    closed: Registry, client: Client
) -> None:
    observed = samples(client, closed)

    prices = [r["price"] for r in shown()]
    assert (min(prices), max(prices)) == (observed["price"].low, observed["price"].high)
    days = [r["added"] for r in shown()]
    assert (min(days), max(days)) == (observed["added"].low, observed["added"].high)
    assert {c.value for c in _field("material").choices or ()} == set(
        observed["material"].values
    )
    assert "Nordvik" in observed["brand"].labels
    assert not {"stock_id", "purchase_cost", "collection"} & set(observed)

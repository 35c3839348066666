"""Single changes: searchable at once, in every profile, and by a weak key."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from typing import Any

import pytest
from typesense import Client
from typesense.exceptions import RequestUnauthorized

from infra.local import typesense as local
from infra.local.demo import shop
from tests.integration.typesense.conftest import KEY
from vitrine.caller import Caller
from vitrine.problems import Missing
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Query, Row
from vitrine.tree.conditions import TRUE, Between, Member
from vitrine.typesense.changes import Applied, apply
from vitrine.typesense.client import collection, connect
from vitrine.typesense.encode import Press
from vitrine.typesense.publish import publish_all, runs_of
from vitrine.typesense.search import Typesense

TENANT = "moving"
RECORDS = [r | {"published": True} for r in list(shop.records("boreal", 40))]
Change = Callable[..., Applied]
Show = Callable[..., tuple[Row, ...]]
_numbers = itertools.count(1)


def stamp() -> str:
    return f"{next(_numbers):08d}"


@pytest.fixture(scope="module")
def writer(typesense: local.Node) -> Iterator[Client]:
    """A client that may change documents and read, and nothing else."""
    weak = connect(typesense.url, typesense.key_for(*local.WRITER))
    with closing(weak.api_call):
        yield weak


@pytest.fixture
def press(client: Client) -> Press:
    manifest = shop.manifest()
    seen = [registry_for(manifest, p, tenant=TENANT) for p in manifest.profiles]
    press = Press(seen, KEY)
    publish_all(client, press, RECORDS, stamp=stamp(), publishable=shop.publishable)
    return press


@pytest.fixture
def change(writer: Client, press: Press) -> Change:
    def changed(*records: dict[str, Any], gone: tuple[str, ...] = ()) -> Applied:
        return apply(writer, press, records, gone, publishable=shop.publishable)

    return changed


@pytest.fixture
def show(engine: Typesense, press: Press) -> Show:
    """Give what each profile finds of a record, by its SKU."""

    def shown(sku: str) -> tuple[Row, ...]:
        return tuple(row for r in press.registries for row in _rows(engine, r, sku))

    return shown


def _rows(engine: Typesense, registry: Registry, sku: str) -> tuple[Row, ...]:
    wanted = Member(registry.fields["sku"], (sku,))
    return engine.search(Query(Caller(TENANT, "s", "c"), registry, wanted)).rows


def test_a_price_is_searchable_when_the_call_returns(
    change: Change, show: Show, engine: Typesense, press: Press
) -> None:
    record = RECORDS[3]

    assert change(record | {"price": 123_456}) == Applied(1, 0, {})

    assert [123_456] * 3 == [row.values["price"] for row in show(record["sku"])]
    dear = Between(
        press.registries[0].fields["price"], Decimal(123_456), Decimal(123_456)
    )
    query = Query(Caller(TENANT, "s", "c"), press.registries[0], dear)
    assert engine.search(query).total == 1


def test_what_a_record_no_longer_has_is_gone(change: Change, show: Show) -> None:
    record = next(r for r in RECORDS if "rating" in r)

    change({k: v for k, v in record.items() if k != "rating"})

    assert all("rating" not in row.values for row in show(record["sku"]))


@pytest.mark.parametrize("how", ["deleted", "unpublished"])
def test_what_is_gone_is_found_no_more(change: Change, show: Show, how: str) -> None:
    record = RECORDS[5]
    assert len(show(record["sku"])) == 3

    if how == "deleted":
        assert change(gone=(record["id"],)) == Applied(0, 1, {})
    else:
        assert change(record | {"published": False}) == Applied(0, 1, {})

    assert show(record["sku"]) == ()


def test_a_new_record_is_found(change: Change, show: Show) -> None:
    change(RECORDS[0] | {"id": "STK-NEW", "sku": "NEW-1"})

    assert len(show("NEW-1")) == 3


def test_one_that_does_not_fit_stays_as_it_was_beside_the_others(
    change: Change, show: Show
) -> None:
    bad, good = RECORDS[6], RECORDS[7]

    done = change(bad | {"material": "unobtainium"}, good | {"price": 77})

    assert done.upserted == 1
    assert ["/material"] == [f.pointer for f in (done.refused or {})[bad["id"]]]
    assert [bad["price"]] * 3 == [row.values["price"] for row in show(bad["sku"])]
    assert [77] * 3 == [row.values["price"] for row in show(good["sku"])]


def test_many_deletions_go_in_parts(change: Change, show: Show) -> None:
    gone = tuple(f"NOBODY{n}" for n in range(450))

    assert change(gone=(*gone, RECORDS[8]["id"])).deleted == 451
    assert show(RECORDS[8]["sku"]) == ()


def test_a_source_that_was_never_published_is_missing(writer: Client) -> None:
    registry = registry_for(shop.manifest(), "closed", tenant="nobody")

    with pytest.raises(Missing):
        apply(writer, Press([registry], KEY), RECORDS[:1], publishable=shop.publishable)


def test_a_deletion_stands_against_a_run_that_is_filling(
    client: Client, change: Change, show: Show, press: Press
) -> None:
    gone, late = RECORDS[9], RECORDS[10]

    def slowly() -> Iterator[dict[str, Any]]:
        yield from RECORDS[:5]
        change(late | {"price": 55}, gone=(gone["id"],))
        yield from RECORDS[5:]

    made = publish_all(
        client, press, slowly(), stamp=stamp(), publishable=shop.publishable
    )

    assert [len(RECORDS) - 1] * 3 == [run.documents for run in made]
    assert show(gone["sku"]) == ()
    assert [55] * 3 == [row.values["price"] for row in show(late["sku"])]


def test_the_key_makes_and_drops_nothing(writer: Client, press: Press) -> None:
    name = runs_of(writer, f"products_{TENANT}_closed")[-1]

    with pytest.raises(RequestUnauthorized):
        collection(writer, name).delete()
    with pytest.raises(RequestUnauthorized):
        writer.aliases.upsert("x", {"collection_name": name})
    with pytest.raises(RequestUnauthorized):
        collection(writer, name).documents.export()
    assert press


def test_a_row_says_since_when_it_is_true(
    writer: Client, press: Press, show: Show
) -> None:
    record = RECORDS[11] | {"updated": 1_790_000_000}

    apply(writer, press, [record], publishable=shop.publishable)

    told = {row.values["as_of"] for row in show(record["sku"])}
    assert told == {"2026-09-21T14:13:20+00:00"}


def test_nothing_hidden_by_a_mark_is_listed(
    engine: Typesense, press: Press, client: Client, change: Change
) -> None:
    """A mark of a deletion that stays in a collection is no document to anybody."""
    private = RECORDS[12]["id"]
    name = runs_of(client, f"products_{TENANT}_closed")[-1]
    collection(client, name).documents.upsert(press.gone(private)[0])

    query = Query(Caller(TENANT, "s", "c"), press.registries[0], TRUE, limit=250)
    found = engine.search(query)

    assert found.total == len(RECORDS) - 1 == len(found.rows)
    assert press.id_of(private) not in {row.id for row in found.rows}
    assert change(RECORDS[12]).upserted == 1

"""Publishing: whole or not at all, behind an alias, one old run kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from typesense import Client

from infra.local.demo import shop
from tests.integration.typesense.conftest import KEY
from vitrine.caller import Caller
from vitrine.problems import Invalid
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Query
from vitrine.tree.conditions import TRUE
from vitrine.typesense.client import collection
from vitrine.typesense.encode import Encoder
from vitrine.typesense.publish import Published, current, publish
from vitrine.typesense.schema import schema
from vitrine.typesense.search import Typesense

RECORDS = list(shop.records("boreal"))[:40]
SHOWN = sum(map(shop.publishable, RECORDS))
CALLER = Caller("press", "subject", "client")
ALIAS = "products_press_closed"


@pytest.fixture
def press(client: Client) -> Iterator[Registry]:
    yield registry_for(shop.manifest(), "closed", tenant="press")
    for stored in client.collections.retrieve():
        if stored["name"].startswith("products_press_"):
            collection(client, stored["name"]).delete()


def run(
    client: Client, registry: Registry, stamp: str, records: Iterable[Mapping[str, Any]]
) -> Published:
    encoder = Encoder(registry, KEY)
    return publish(client, encoder, records, stamp=stamp, publishable=shop.publishable)


def runs(client: Client) -> list[str]:
    names = (stored["name"] for stored in client.collections.retrieve())
    return sorted(name for name in names if name.startswith("products_press_"))


def test_a_run_tells_what_it_published_and_held_back(
    client: Client, press: Registry
) -> None:
    made = run(client, press, "1", RECORDS)

    assert made == Published(ALIAS, f"{ALIAS}_1", SHOWN, len(RECORDS) - SHOWN)
    assert current(client, ALIAS) == f"{ALIAS}_1"


def test_one_run_is_kept_for_a_way_back(client: Client, press: Registry) -> None:
    for stamp in ("1", "2", "3"):
        run(client, press, stamp, RECORDS)

    assert runs(client) == [f"{ALIAS}_2", f"{ALIAS}_3"]
    assert current(client, ALIAS) == f"{ALIAS}_3"


def test_another_profile_s_runs_are_left_alone(client: Client, press: Registry) -> None:
    trusted = registry_for(shop.manifest(), "trusted", tenant="press")
    run(client, trusted, "1", RECORDS)
    for stamp in ("1", "2", "3"):
        run(client, press, stamp, RECORDS)

    assert "products_press_trusted_1" in runs(client)


def test_public_ids_stay_over_runs(
    client: Client, press: Registry, engine: Typesense
) -> None:
    def ids() -> set[str]:
        return {r.id for r in engine.search(Query(CALLER, press, TRUE, limit=250)).rows}

    run(client, press, "1", RECORDS)
    before = ids()
    run(client, press, "2", reversed(RECORDS))

    assert len(before) == SHOWN
    assert before == ids()


def test_one_record_that_does_not_fit_leaves_everything_as_it_was(
    client: Client, press: Registry
) -> None:
    run(client, press, "1", RECORDS)
    broken = [*RECORDS, {**RECORDS[0], "id": "X", "material": "unobtainium"}]

    with pytest.raises(Invalid) as refusal:
        run(client, press, "2", broken)

    assert [fault.pointer for fault in refusal.value.faults] == ["/material"]
    assert current(client, ALIAS) == f"{ALIAS}_1"
    assert runs(client) == [f"{ALIAS}_1"]


def test_a_hidden_record_may_be_as_unfit_as_it_likes(
    client: Client, press: Registry
) -> None:
    hidden = {"id": "X", "published": False, "material": "unobtainium"}

    assert run(client, press, "1", [*RECORDS, hidden]).documents == SHOWN


def test_characters_come_out_as_they_went_in(
    client: Client, press: Registry, engine: Typesense
) -> None:
    names = ["l’écran", "10\u00a0cm", "日本語", "a\0b", "\u2028line", "🎁", 'say "no"']
    records = [
        {**RECORDS[0], "published": True, "id": f"N{n}", "name": name}
        for n, name in enumerate(names)
    ]

    assert run(client, press, "1", records).documents == len(names)
    rows = engine.search(Query(CALLER, press, TRUE, limit=250)).rows
    assert sorted(names) == sorted(str(row.values["name"]) for row in rows)


def test_the_schema_that_was_asked_for_is_the_one_that_stands(
    client: Client, press: Registry
) -> None:
    run(client, press, "1", RECORDS)

    stands = json.loads(json.dumps(collection(client, f"{ALIAS}_1").retrieve()))
    asked = schema(press, "c")
    kept = {f["name"]: (f["type"], f.get("facet")) for f in stands["fields"]}
    for field in asked["fields"]:
        assert (field["type"], field.get("facet", False)) == kept[field["name"]]
    assert asked["token_separators"] == stands["token_separators"]

"""A private record as its origin reads it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from infra.local.demo import shop
from vitrine.problems import Invalid
from vitrine.registry.manifest import Manifest, Origin
from vitrine.registry.profiles import registry_for
from vitrine.typesense.encode import Press
from vitrine.typesense.records import (
    identity,
    moment_of,
    publishable,
    reader,
    values_at,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def with_origin(**said: Any) -> Manifest:
    return shop.manifest().model_copy(update={"origin": Origin(**said)})


@pytest.mark.parametrize(
    ("values", "place", "record"),
    [
        (["x"], "a", {"a": "x"}),
        ([1, 2], "a", {"a": [1, None, 2, ""]}),
        ([], "a", {"a": None}),
        ([], "a", {"a": ""}),
        ([], "a", {}),
        ([0], "a", {"a": 0}),
        ([False], "a", {"a": False}),
        (["x"], "a.b", {"a": {"b": "x"}}),
        (["x", "y"], "a.b", {"a": [{"b": "x"}, {"c": 1}, {"b": ["y"]}]}),
        (["flat"], "a.b", {"a.b": "flat"}),
        ([], "a.b", {"a": "x"}),
        ([], "a.b", {"a": ["x"]}),
    ],
)
def test_a_place_leads_into_objects(
    values: list[Any], place: str, record: dict[str, Any]
) -> None:
    assert values == values_at(record, place)


@pytest.mark.parametrize(
    ("shown", "only", "record"),
    [
        (True, {}, {}),
        (True, {"on": [True]}, {"on": True}),
        (False, {"on": [True]}, {"on": False}),
        (False, {"on": [True]}, {"on": 1}),
        (False, {"on": [1]}, {"on": True}),
        (False, {"on": [True]}, {}),
        (False, {"on": [True]}, {"on": {"deep": 1}}),
        (True, {"state": ["live", "sale"]}, {"state": "sale"}),
        (True, {"tags": ["web"]}, {"tags": ["pos", "web"]}),
        (False, {"state": ["live"], "on": [True]}, {"state": "live", "on": False}),
    ],
)
def test_a_record_is_published_where_every_value_allows_it(
    shown: bool, only: dict[str, list[Any]], record: dict[str, Any]
) -> None:
    assert shown is publishable(with_origin(only=only))(record)


def test_money_in_whole_units_becomes_cents_exactly() -> None:
    manifest = with_origin(decimal=["price"])
    price = manifest.field("price")
    assert price
    read = reader(manifest, price)

    assert [Decimal(1999)] == read({"price": 19.99})
    assert [Decimal("0.1") * 100] == read({"price": 0.1})
    assert ["dear"] == read({"price": "dear"})


@pytest.mark.parametrize(
    ("moment", "value"),
    [
        (NOW, "2026-11-30T12:00:00Z"),
        (NOW, "2026-11-30T13:00:00+01:00"),
        (NOW, int(NOW.timestamp())),
        (None, None),
    ],
)
def test_a_moment_is_iso_or_seconds(moment: datetime | None, value: Any) -> None:
    assert moment == moment_of(with_origin(moment="at"), {"at": value})


@pytest.mark.parametrize("record", [{}, {"id": None}, {"id": ["a", "b"]}, {"id": {}}])
def test_a_record_without_one_id_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        identity(shop.manifest(), record)


@pytest.mark.parametrize("value", ["yesterday", 1e30, float("inf")])
def test_a_record_with_an_impossible_moment_is_refused(value: Any) -> None:
    registry = registry_for(with_origin(moment="at"), "closed", tenant="t")

    with pytest.raises(Invalid) as refusal:
        Press([registry], b"k").documents({"id": "A", "at": value})

    assert [fault.pointer for fault in refusal.value.faults] == ["/at"]


@pytest.mark.parametrize(
    ("told", "record"),
    [
        ("2026-11-29T00:00:00+00:00", {"id": "A", "at": "2026-11-29"}),
        (NOW.isoformat(), {"id": "A"}),
    ],
)
def test_a_document_says_since_when_it_is_true(
    told: str, record: dict[str, Any]
) -> None:
    registry = registry_for(with_origin(moment="at"), "closed", tenant="t")

    assert told == Press([registry], b"k", NOW).documents(record)[0]["AS_OF"]


def test_lines_and_documents_are_the_same() -> None:
    manifest = shop.manifest()
    seen = [registry_for(manifest, p, tenant="boreal") for p in manifest.profiles]
    press = Press(seen, b"k", NOW)

    for record in list(shop.records("boreal"))[:60]:
        read = tuple(json.loads(line) for line in press.lines(record))
        assert read == press.documents(record)

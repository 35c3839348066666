"""The demo's shop: what it promises to the rest of the demo."""

from __future__ import annotations

import json

import pytest

from infra.local.demo import shop

FACETS = {
    "category",
    "room",
    "material",
    "colour",
    "style",
    "price",
    "availability",
    "brand",
}


@pytest.fixture(scope="module")
def goods() -> list[shop.Record]:
    return list(shop.records("aurore"))


def test_it_is_large_and_always_the_same(goods: list[shop.Record]) -> None:
    assert sum(map(shop.publishable, goods)) >= 5_000
    assert goods == list(shop.records("aurore"))


def test_its_profiles_expose_eight_and_ten_of_many_facets() -> None:
    profiles = shop.manifest().profiles

    assert set(profiles["closed"].facet) == FACETS
    assert FACETS | {"collection", "certification"} == set(
        profiles["professional"].facet
    )
    assert len(profiles["trusted"].facet) >= 14


def test_private_fields_are_in_no_list_of_any_profile() -> None:
    private = {"stock_id", "purchase_cost", "supplier_quota"}

    for profile in shop.manifest().profiles.values():
        lists = (
            profile.filter,
            profile.facet,
            profile.sort,
            profile.search,
            profile.output,
        )
        assert not private & {key for keys in lists for key in keys}
    assert all(private <= set(record) for record in shop.records("boreal"))


def test_every_choice_has_an_english_and_a_french_label() -> None:
    for field in shop.manifest().fields:
        for choice in field.choices or ():
            assert {"en", "fr"} == set(choice.labels)
        codes = [c.code for c in field.choices or ()]
        assert len(codes) == len(set(codes))


@pytest.mark.parametrize("key", ["id", "stock_id", "sku", "gtin", "slug"])
def test_codes_are_unique_over_both_tenants(goods: list[shop.Record], key: str) -> None:
    values = [r[key] for r in (*goods, *shop.records("boreal"))]

    assert len(set(values)) == len(values)


def test_a_gtin_has_its_check_digit(goods: list[shop.Record]) -> None:
    # The GS1 example for GTIN-13.
    assert shop.check_digit("629104150021") == "3"
    for record in goods[:200]:
        digits = [int(d) for d in record["gtin"]]
        assert len(digits) == 13
        assert sum(digits[::2]) % 10 == (-3 * sum(digits[1::2])) % 10


def test_some_values_are_missing_and_some_products_hidden(
    goods: list[shop.Record],
) -> None:
    for key in ("brand", "rating", "style", "depth", "weight"):
        missing = sum(key not in record for record in goods)
        assert 0 < missing < len(goods) / 2
    assert 0 < sum(not shop.publishable(r) for r in goods) < len(goods) / 10


def test_the_stock_number_follows_from_nothing_public(goods: list[shop.Record]) -> None:
    for record in goods[:300]:
        public = {k: v for k, v in record.items() if k not in ("id", "stock_id")}
        assert record["id"][3:] not in json.dumps(public)


def test_names_speak_both_languages(goods: list[shop.Record]) -> None:
    lamp = next(r for r in goods if r["category"] == "floor_lamp")

    assert "floor lamp" in lamp["name"]
    assert lamp["name_fr"].startswith("Lampadaire ")
    told = [r["description"] + " " + r["description_fr"] for r in goods]
    assert not [text for text in told if "{" in text or "None" in text]

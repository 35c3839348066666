"""Manifests drafted from the schemas of servers 26 to 30: private, whole, honest."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.publishing.introspect import Draft, drafted
from tests.contract.fix_house import ROOT
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import registry_for
from vitrine.registry.widening import public_fields

VERSIONS = ("v26", "v27", "v28", "v29", "v30")
TEXT, KEYWORD, NUMBER = FieldType.TEXT, FieldType.KEYWORD, FieldType.NUMBER


def schema(version: str) -> dict[str, Any]:
    path = ROOT / "tests" / "fixtures" / "typesense" / f"{version}.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def draft(version: str) -> Draft:
    return drafted(schema(version))


def reasons(found: Draft, where: str) -> str:
    return "; ".join(note.reason for note in found.notes if note.where == where)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_field_is_private_until_it_is_named(version: str) -> None:
    manifest = draft(version).manifest

    registry = registry_for(manifest, "closed", tenant="t")
    assert public_fields(manifest, "closed") == ()
    assert {} == {**registry.filters, **registry.fields}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_field_is_taken_over_or_listed_with_its_reason(version: str) -> None:
    found = draft(version)
    taken = {field.place for field in found.manifest.fields}
    listed = {note.where for note in found.notes}

    names = {field["name"] for field in schema(version)["fields"]}
    assert names <= taken | listed
    assert all(note.reason for note in found.notes)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_draft_is_a_whole_manifest_that_can_be_read_again(version: str) -> None:
    manifest = draft(version).manifest

    assert manifest == Manifest.model_validate_json(manifest.model_dump_json())


@pytest.mark.parametrize(
    ("version", "place", "kind", "multi"),
    [
        ("v26", "productName", TEXT, False),
        ("v26", "brand", KEYWORD, False),
        ("v26", "brand_id", TEXT, False),
        ("v26", "price", NUMBER, False),
        ("v27", "sku", FieldType.IDENTIFIER, False),
        ("v27", "dimensions.width", NUMBER, False),
        ("v27", "variants.colour", KEYWORD, True),
        ("v27", "updated_at", FieldType.DATETIME, False),
        ("v28", "intitulé", TEXT, False),
        ("v28", "tags", TEXT, False),
        ("v28", "picture", TEXT, False),
        ("v29", "ean", FieldType.IDENTIFIER, False),
        ("v29", "in_stock", FieldType.BOOLEAN, False),
        ("v29", "published", FieldType.DATETIME, False),
        ("v30", "2023_range", KEYWORD, True),
    ],
)
def test_a_field_gets_the_type_that_its_own_suggests(
    version: str, place: str, kind: FieldType, multi: bool
) -> None:
    field = next(f for f in draft(version).manifest.fields if f.place == place)

    assert (kind, multi) == (field.type, field.multi)


@pytest.mark.parametrize(
    ("version", "name", "why"),
    [
        ("v26", "warehouse", "places"),
        ("v26", "embedding", "no vectors"),
        ("v26", "brand_id", "nothing is joined"),
        ("v26", "brand_id_sequence_id", "own number"),
        ("v26", "price", "looks like money"),
        ("v26", "productName", "infix is not carried"),
        ("v26", "", "symbols_to_index is not carried"),
        ("v27", "dimensions", "parts are fields of their own: dimensions.width"),
        ("v27", "extra", "does not name"),
        ("v27", "image_vector", "pictures"),
        ("v27", "updated_at", "seconds since 1970"),
        ("v28", ".*", "a pattern"),
        ("v28", ".*_facet", "a pattern"),
        ("v28", "anything", "type is not said"),
        ("v28", "intitulé", "locale is not carried"),
        ("v29", "area", "places"),
        ("v29", "vector", "a vector"),
        ("v30", "text_vector", "no vectors"),
        ("v30", "price_id", "prices.id"),
        ("v30", "", "site, way_on"),
    ],
)
def test_what_can_t_be_taken_over_is_told(version: str, name: str, why: str) -> None:
    assert why in reasons(draft(version), name)


def test_two_names_that_fold_alike_stay_two_fields() -> None:
    places = {f.key: f.place for f in draft("v30").manifest.fields}

    assert places["range"] == "Range"
    assert places["range_2"] == "range"
    assert places["f_2023_range"] == "2023_range"


def test_order_and_moment_are_taken_from_the_schema() -> None:
    assert draft("v26").manifest.order == "popularity"
    assert draft("v29").manifest.order == "published"
    assert draft("v27").manifest.origin.moment == "updated_at"
    assert draft("v27").manifest.origin.collection == "parts"


def test_a_collection_without_a_usable_field_is_refused() -> None:
    bare = {"name": "x", "fields": [{"name": ".*", "type": "auto"}]}

    with pytest.raises(ValueError, match="no field"):
        drafted(bare)


NAMES = st.text(string.printable + "éß東", min_size=1, max_size=20)
KINDS = st.sampled_from(
    ["string", "string[]", "int32", "int64", "float", "bool", "auto", "object", "news"]
)
FIELDS = st.lists(
    st.fixed_dictionaries({"name": NAMES, "type": KINDS, "facet": st.booleans()}),
    min_size=1,
    max_size=12,
    unique_by=lambda told: told["name"],
)


@given(FIELDS, NAMES)
def test_no_schema_makes_a_draft_that_is_public_or_broken(
    fields: list[dict[str, Any]], name: str
) -> None:
    plain = {"name": "plain_text", "type": "string"}
    found = drafted({"name": name, "fields": [plain, *fields]}).manifest

    assert public_fields(found, "closed") == ()
    assert len({f.key for f in found.fields}) == len(found.fields)

"""Public documents hold what the profile may have, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.demo import shop
from vitrine.problems import Invalid
from vitrine.registry.fields import Choice, Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.typesense import names
from vitrine.typesense.encode import Encoder, public_id
from vitrine.typesense.schema import schema

KEY = b"publisher"
PRIVATE = ("stock_id", "purchase_cost", "supplier_quota", "published", "quantity")


def seen(profile: str) -> Registry:
    return registry_for(shop.manifest(), profile, tenant="boreal")


@pytest.fixture(scope="module")
def records() -> list[Mapping[str, Any]]:
    return list(shop.records("boreal"))


@pytest.mark.parametrize("profile", ["closed", "professional", "trusted"])
def test_a_document_holds_the_profile_s_fields_alone(
    records: list[Mapping[str, Any]], profile: str
) -> None:  # T02
    registry = seen(profile)
    encoder = Encoder(registry, KEY)
    declared = {f["name"] for f in schema(registry, "c")["fields"]}
    allowed = declared | set(registry.outputs) | {"id"}

    for record in records:
        document = encoder.document(record)
        assert set(document) <= allowed
        assert not set(document) & set(PRIVATE)
        assert record["id"] not in json.dumps(document)


def test_no_schema_names_a_private_field() -> None:  # T02
    for profile in ("closed", "professional", "trusted"):
        said = json.dumps(schema(seen(profile), "c"))
        assert not [key for key in PRIVATE if key in said]


def test_a_public_id_is_stable_and_hangs_on_key_tenant_and_source() -> None:
    ids = {
        public_id(b"k", "aurore", "products", "S1"),
        public_id(b"l", "aurore", "products", "S1"),
        public_id(b"k", "boreal", "products", "S1"),
        public_id(b"k", "aurore", "parts", "S1"),
        public_id(b"k", "aurore", "products", "S2"),
    }

    assert len(ids) == 5
    assert public_id(b"k", "aurore", "products", "S1") in ids
    assert all(str(UUID(one)) == one for one in ids)


def test_every_filterable_field_says_whether_it_has_a_value(
    records: list[Mapping[str, Any]],
) -> None:  # F07
    registry = seen("closed")
    encoder = Encoder(registry, KEY)

    for record in records[:50]:
        document = encoder.document(record)
        for key in registry.grant.filter:
            assert document[f"HAS_{key}"] == (record.get(key) not in (None, "", []))


@given(st.text(min_size=1))
def test_a_code_is_letters_and_digits_and_reads_back(value: str) -> None:
    code = names.spelling(value)

    assert code.isascii()
    assert code.isalnum()
    assert len(code) <= 100
    short = len(value.encode("utf-8", "surrogatepass")) <= names.READABLE
    assert names.read_back(code) == (value if short else None)


@given(st.text(), st.text())
def test_two_values_never_share_a_code(one: str, other: str) -> None:
    assert (names.spelling(one) == names.spelling(other)) == (one == other)


@pytest.mark.parametrize("tenant", ["Aurore", "a b", "a-b", "", "é", "a_b"])
def test_a_tenant_s_name_never_leaves_the_alias(tenant: str) -> None:
    alias = names.alias("products", tenant, "closed")

    assert alias == f"products_{names.digest(tenant)}_closed"
    assert names.alias("products", "aurore", "closed") == "products_aurore_closed"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("material", "unobtainium"),
        ("material", ["oak", "pine"]),
        ("price", 49.9),
        ("price", 2**63),
        ("in_stock", "yes"),
        ("added", "soon"),
        ("sku", "--"),
        ("sku", "x" * 129),
        ("width", float("inf")),
    ],
)
def test_a_record_that_does_not_fit_is_refused_by_field(
    records: list[Mapping[str, Any]], key: str, value: Any
) -> None:
    with pytest.raises(Invalid) as refusal:
        Encoder(seen("closed"), KEY).document({**records[0], key: value})

    assert [f"/{key}"] == [fault.pointer for fault in refusal.value.faults]


def test_every_fault_of_a_record_is_told(records: list[Mapping[str, Any]]) -> None:
    wrong = {**records[0], "material": "unobtainium", "price": "cheap"}

    with pytest.raises(Invalid) as refusal:
        Encoder(seen("closed"), KEY).document(wrong)

    assert {"/material", "/price"} == {f.pointer for f in refusal.value.faults}


def with_field(field: Field, **lists: tuple[str, ...]) -> Manifest:
    manifest = shop.manifest()
    closed = manifest.profiles["closed"].model_copy(update=lists)
    profiles = {**manifest.profiles, "closed": closed}
    fields = (*manifest.fields, field)
    return manifest.model_copy(update={"fields": fields, "profiles": profiles})


@pytest.mark.parametrize(
    ("field", "lists"),
    [
        (
            Field(key="odd", type=FieldType.VOCABULARY, label={}),
            {"filter": ("odd",)},
        ),
        (
            Field(key="odd", type=FieldType.COLOUR, multi=True, label={}),
            {"filter": ("odd",)},
        ),
        (Field(key="odd", type=FieldType.TEXT, label={}), {"facet": ("odd",)}),
    ],
)
def test_a_manifest_that_can_t_be_exact_here_is_refused(
    field: Field, lists: dict[str, tuple[str, ...]]
) -> None:
    registry = registry_for(with_field(field, **lists), "closed", tenant="boreal")

    with pytest.raises(Invalid, match="odd"):
        schema(registry, "c")


def test_labels_of_every_language_are_searched() -> None:
    choices = (Choice(value="oak", code="m1", labels={"en": "oak", "fr": "chêne"}),)
    wood = Field(key="wood", type=FieldType.KEYWORD, label={}, choices=choices)
    manifest = with_field(wood, search=("wood",))
    encoder = Encoder(registry_for(manifest, "closed", tenant="boreal"), KEY)

    document = encoder.document({**next(shop.records("boreal")), "wood": "oak"})

    assert document["TEXT"] == "oak chene"
    assert document["STEM_wood"] == "oak chen"
    assert [names.digest("oak"), names.digest("chen")] == document["WORDS"]


def test_a_searched_text_may_have_the_engine_s_own_locale() -> None:
    said = {"fr": {"fields": {"name": "name_fr"}, "engine": "fr"}}
    raw = shop.manifest().model_dump(mode="json") | {"locales": said}
    registry = registry_for(Manifest.model_validate(raw), "closed", tenant="boreal")

    locales = {f["name"]: f.get("locale") for f in schema(registry, "c")["fields"]}

    assert ("fr", None) == (locales["STEM_name_fr"], locales["STEM_name"])

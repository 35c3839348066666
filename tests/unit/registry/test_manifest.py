"""A manifest is refused whole when anything in it is off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from vitrine.disclosure.budgets import SHARDS
from vitrine.problems import Forbidden
from vitrine.registry.fields import Field
from vitrine.registry.manifest import COUNTERS, FACET_LIMITS, Budget, Cap, Manifest
from vitrine.registry.operators import FULL_TEXT_FIELD, FieldType
from vitrine.registry.profiles import registry_for
from vitrine.registry.samples import NOTHING, Sample

SOURCES = sorted((Path(__file__).parents[3] / "infra" / "sources").glob("*.json"))
COLOURS = [f"c{n}" for n in range(12)]


def raw(**changes: Any) -> dict[str, Any]:
    keyword = [{"key": k, "type": "keyword", "label": {"en": k}} for k in COLOURS]
    name = {"key": "name", "type": "text", "label": {"en": "name", "fr": "nom"}}
    cost = {"key": "cost", "type": "number", "label": {"en": "cost"}, "sensitive": True}
    closed = {"filter": ["name", "c0"], "facet": COLOURS[:8], "search": ["name"]}
    return {
        "source": "goods",
        "engine": "typesense",
        "relation": "goods",
        "title": {"en": "Goods"},
        "site": "https://shop.example",
        "way_on": "https://shop.example/?q={query}",
        "fields": [name, cost, *keyword],
        "hit": {"title": "name"},
        "tool": {"title": "t", "use": "u", "not_for": "n", "example": "e"},
        "profiles": {
            "closed": {**closed, "output": ["name"], "budget": {}},
            "trusted": {"filter": ["*"], "output": ["*"]},
        },
    } | changes


def profiles(**closed: Any) -> dict[str, Any]:
    return {"closed": {"budget": {}, **closed}}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_each_source_of_the_demo_has_a_manifest_that_holds(path: Path) -> None:
    manifest = Manifest.model_validate_json(path.read_text(encoding="utf-8"))

    assert path.stem == manifest.source
    assert json.loads(manifest.model_dump_json(by_alias=True))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"profiles": profiles(facet=COLOURS[:9])}, "more than 8 facets"),
        ({"profiles": profiles(facet=["*"])}, "more than 8 facets"),
        ({"profiles": {"professional": {"budget": {}, "facet": COLOURS[:11]}}}, "10"),
        ({"profiles": {"closed": {"facet": []}}}, "needs a budget"),
        ({"profiles": profiles(filter=["stock_id"])}, "no field 'stock_id'"),
        ({"profiles": {"staff": {}}}, "profiles"),
        ({"hit": {"title": "label"}}, "no field 'label'"),
        ({"order": "when"}, "no field 'when'"),
        ({"version": 2}, "version"),
        ({"secret": 1}, "Extra inputs"),
        ({"source": "Goods"}, "source"),
        ({"engine": "elastic"}, "engine"),
    ],
)
def test_a_manifest_that_does_not_hold_is_refused(
    changes: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        Manifest.model_validate(raw(**changes))


def test_a_field_stands_once() -> None:
    twice = Field(key="name", type=FieldType.TEXT, label={"en": "again"})

    with pytest.raises(ValidationError, match="'name' stands twice"):
        Manifest.model_validate(raw()).extended([twice])


@pytest.mark.parametrize(
    "number",
    [
        {"type": "text", "unit": "cm"},
        {"type": "keyword", "currency": "EUR"},
        {"type": "date", "steps": [1]},
        {"type": "number", "unit": "cm", "currency": "EUR"},
    ],
)
def test_only_numbers_have_a_unit_or_a_currency(number: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Field.model_validate({"key": "x", "label": {"en": "x"}, **number})


def test_a_profile_sees_only_what_its_lists_name() -> None:
    registry = registry_for(Manifest.model_validate(raw()), "closed", tenant="t")

    assert {FULL_TEXT_FIELD, "name", "c0"} == set(registry.filters)
    assert {"name", *COLOURS[:8]} == set(registry.fields)
    assert FACET_LIMITS["closed"] == len(registry.facets)


def test_a_star_names_every_field() -> None:
    registry = registry_for(Manifest.model_validate(raw()), "trusted", tenant="t")

    assert {"name", "cost", *COLOURS} == set(registry.filters)


def test_a_profile_that_is_not_granted_is_forbidden() -> None:
    with pytest.raises(Forbidden):
        registry_for(Manifest.model_validate(raw()), "professional", tenant="t")


def test_sensitive_and_unseen_fields_are_never_sampled() -> None:
    seen = {k: Sample(values=("1",)) for k in ("cost", "c0", "c1")}
    manifest = Manifest.model_validate(raw())

    trusted = registry_for(manifest, "trusted", tenant="t", samples=seen)
    closed = registry_for(manifest, "closed", tenant="t", samples=seen)

    assert NOTHING == trusted.sample("cost")
    assert ("1",) == closed.sample("c0").values
    assert NOTHING == closed.sample("c1")


@pytest.mark.parametrize(
    ("documents", "expected"),
    [(0, 150), (5_000, 150), (80_000, 160), (1_000_000, 2_000)],
)
def test_a_cap_grows_with_the_catalogue(documents: int, expected: int) -> None:
    assert expected == Cap(floor=150, share=0.002).of(documents)


@pytest.mark.parametrize("day", ["tenant_day", "client_day"])
def test_a_day_that_no_page_could_leave_in_is_refused(day: str) -> None:
    assert SHARDS == COUNTERS

    with pytest.raises(ValueError, match="at least 30"):
        Budget.model_validate({day: 29})
    assert 30 == Budget.model_validate({day: 30}).model_dump()[day]

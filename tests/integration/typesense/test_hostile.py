"""Hostile values find their own documents and never one behind another guard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from typesense import Client

from tests import trees
from tests.integration.typesense.conftest import KEY, Fill
from vitrine.caller import Caller
from vitrine.language.folding import fold
from vitrine.problems import Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Query
from vitrine.tree.conditions import (
    TRUE,
    Between,
    Condition,
    Contains,
    Member,
    Not,
    Text,
)
from vitrine.typesense import answers, names
from vitrine.typesense.client import collection
from vitrine.typesense.encode import Encoder
from vitrine.typesense.search import Typesense

HOSTILE = (
    *trees.HOSTILE,
    "`",
    "\\",
    "a\\",
    "red",
    "Red",
    "r\u00e9d",
    "dark red",
    "red dark",
    "C++",
    "C#",
    "C",
    "10.5",
    "105",
    "1/2",
    "12",
    "a:b",
    "x:(",
    "x: (y",
    "x:[(] || hidden:=true || name:=y",
    "x\\`) || hidden:=true || (name:=\\`x",
    "ab*",
    "*",
    "!!!",
    ">5",
    "!=x",
    "l'écran",
    "l’écran",
    "lecran",
    "10\u00a0cm",
    "10cm",
    "a\nb",
    "a\0b",
    "é" * 60,
    "x" * 256,
    "id:`",
    "&&",
    "||",
    "Ω",
    "ω",
)
CALLER = Caller("acme", "subject", "client")


def field(kind: FieldType, **more: Any) -> Field:
    return Field(key=kind.value, type=kind, label={"en": kind.value}, **more)


@pytest.fixture(scope="module")
def registry() -> Registry:
    kinds = (FieldType.TEXT, FieldType.KEYWORD, FieldType.IDENTIFIER, FieldType.NUMBER)
    drawn = trees.registry_of(map(field, kinds), engine=EngineName.TYPESENSE)
    manifest = drawn.manifest.model_copy(update={"relation": "hostile"})
    return registry_for(manifest, "trusted", tenant="acme")


@pytest.fixture(scope="module")
def hostile(client: Client, registry: Registry, fill: Fill) -> Typesense:
    """Every hostile value once, and a twin of each that the guard must hold back."""
    engine = fill(registry, (record(n, v) for n, v in enumerate(HOSTILE)))
    encoder = Encoder(registry, KEY)
    twins = [encoder.document(record(900 + n, v)) for n, v in enumerate(HOSTILE)]
    lines = (json.dumps({**twin, names.GUARD: "other"}) for twin in twins)
    said = collection(client, "hostile_acme_trusted").documents.import_(
        "\n".join(lines)
    )
    assert said.count('"success":true') == len(HOSTILE)
    return engine


def record(number: int, value: str) -> Mapping[str, Any]:
    return {"id": f"R{number}", "title": value, "text": value, "keyword": value}


def titles(engine: Typesense, registry: Registry, condition: Condition) -> list[str]:
    hits = engine.search(Query(CALLER, registry, condition, limit=250))
    assert hits.exact
    return [str(row.values["title"]) for row in hits.rows]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_finds_its_own_document_and_no_other(  # F01 T01
    hostile: Typesense, registry: Registry, value: str
) -> None:
    exactly = Member(registry.filters["keyword"], (value,))

    assert [value] == titles(hostile, registry, exactly)
    others = [v for v in HOSTILE if v != value]
    assert sorted(others) == sorted(titles(hostile, registry, Not(exactly)))


@pytest.mark.parametrize("value", HOSTILE)
def test_a_text_finds_what_folds_alike(  # F03
    hostile: Typesense, registry: Registry, value: str
) -> None:
    alike = [v for v in HOSTILE if fold(v) == fold(value)]
    found = titles(hostile, registry, Member(registry.filters["text"], (fold(value),)))

    assert sorted(alike) == sorted(found)


def test_a_list_is_any_of_its_values_and_all_of_is_an_and(  # F05
    hostile: Typesense, registry: Registry
) -> None:
    keyword = registry.filters["keyword"]

    either = titles(hostile, registry, Member(keyword, ("a,b;c", "[red, blue]")))

    assert sorted(either) == ["[red, blue]", "a,b;c"]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_query_of_hostile_text_never_reaches_the_other_guard(  # T01
    hostile: Typesense, registry: Registry, value: str
) -> None:
    for text in (value, f"{value} red", f"red -{value}"):
        query = Query(CALLER, registry, TRUE, Text(text, "keyword_search"), limit=250)
        try:
            hits = hostile.search(query)
        except Invalid:
            continue
        assert {str(r.values["title"]) for r in hits.rows} <= set(HOSTILE)
        assert len(hits.rows) == hits.total <= len(HOSTILE)


def test_counts_facets_and_fetch_stand_behind_the_guard(  # T01
    hostile: Typesense, registry: Registry
) -> None:
    twins = [Encoder(registry, KEY).document(record(900, "x"))["id"]]
    query = Query(CALLER, registry, TRUE)

    assert [len(HOSTILE)] == [c.number for c in hostile.count(query, [TRUE])]
    assert hostile.fetch(query, twins) == ()


@pytest.mark.parametrize("bound", ["9223372036854775808", "1e40", "-1e40", "1e-40"])
def test_a_number_past_the_limits_is_answered_without_hanging(
    hostile: Typesense, registry: Registry, bound: str
) -> None:
    number = registry.filters["number"]

    assert titles(hostile, registry, Between(number, low=Decimal(bound))) == []
    assert titles(hostile, registry, Member(number, (Decimal(bound),))) == []


def test_what_the_engine_lacks_is_refused_never_widened(
    hostile: Typesense, registry: Registry
) -> None:
    with pytest.raises(Invalid):
        titles(hostile, registry, Contains(registry.filters["text"], "red"))


def test_a_document_of_another_guard_is_dropped_on_the_way_out(
    registry: Registry,
) -> None:
    forged = {"hits": [{"document": {"id": "1", names.GUARD: "other", "title": "x"}}]}
    assert answers.rows(registry, forged) == ()

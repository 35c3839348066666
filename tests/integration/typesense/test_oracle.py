"""Typesense answers as the oracle does, document for document."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests import oracle, trees
from tests.integration.typesense.conftest import KEY, Fill
from vitrine.caller import Caller
from vitrine.registry.capabilities import EngineName, runnable
from vitrine.registry.fields import Choice, Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Query
from vitrine.search.resolve import resolve
from vitrine.tree.conditions import TRUE, Not
from vitrine.tree.lower import lower
from vitrine.tree.model import Group
from vitrine.typesense.encode import public_id
from vitrine.typesense.search import Typesense
from vitrine.validate import check

CALLER = Caller("acme", "subject", "client")
KINDS = tuple(
    kind
    for kind in FieldType
    if kind is not FieldType.FULL_TEXT and runnable(EngineName.TYPESENSE, kind)
)
MULTI = (FieldType.KEYWORD, FieldType.COLOUR, FieldType.NUMBER, FieldType.DATE)
DOCUMENTS = 60


def everything(rng: Random) -> Registry:
    """Give a field of each type, single and, where a catalogue has it, multi."""
    drawn = trees.registry(rng, engine=EngineName.TYPESENSE, kinds=KINDS, size=9)
    fields = [f for f in drawn.manifest.fields if f.key != "title"]
    fields += [_plain(kind) for kind in KINDS]
    fields += [_plain(kind, multi=True) for kind in MULTI]
    whole = [f if not _open_list(f) else _closed(f) for f in fields]
    drawn = trees.registry_of(whole, engine=EngineName.TYPESENSE)
    manifest = drawn.manifest.model_copy(update={"relation": "oracle"})
    return registry_for(manifest, "trusted", tenant="acme")


def _plain(kind: FieldType, *, multi: bool = False) -> Field:
    key = f"{'many' if multi else 'one'}_{kind.value}"
    return Field(key=key, type=kind, label={"en": key}, multi=multi)


def _open_list(field: Field) -> bool:
    listed = field.type is FieldType.VOCABULARY or (
        field.type is FieldType.COLOUR and field.multi
    )
    return listed and field.choices is None


def _closed(field: Field) -> Field:
    values = trees.COLOURS if field.type is FieldType.COLOUR else trees.WORDS
    listed = tuple(Choice(value=v, code=f"c{i}") for i, v in enumerate(values))
    return field.model_copy(update={"choices": listed})


def records(rng: Random, registry: Registry) -> list[dict[str, Any]]:
    drawn = trees.documents(rng, registry, DOCUMENTS)
    return [d | {"id": f"S{n}"} for n, d in enumerate(drawn)]


World = tuple[Registry, list[dict[str, Any]], Typesense]


@pytest.fixture(scope="module")
def world(fill: Fill) -> World:
    rng = Random(20261130)
    registry = everything(rng)
    documents = records(rng, registry)
    hidden = [d | {"id": f"H{n}", "published": False} for n, d in enumerate(documents)]
    return registry, documents, fill(registry, [*documents, *hidden])


def found(engine: Typesense, registry: Registry, tree: Group) -> set[str]:
    settled = resolve(tree, engine, Query(CALLER, registry, TRUE))
    lowered = lower(settled.tree, registry, today=trees.TODAY)
    query = Query(
        CALLER,
        registry,
        lowered.condition,
        lowered.text,
        limit=250,
        mode="strict",
    )
    hits = engine.search(query)
    assert hits.exact
    assert hits.total == len(hits.rows)
    return {row.id for row in hits.rows}


def wanted(
    registry: Registry, documents: list[dict[str, Any]], tree: Group
) -> set[str]:
    return {
        public_id(KEY, registry.tenant, registry.source, d["id"])
        for d in documents
        if oracle.matches(tree, d, registry, trees.TODAY)
    }


CASES = [(k, op) for k in KINDS for op in runnable(EngineName.TYPESENSE, k)]


@pytest.mark.parametrize(("kind", "operator"), CASES)
@pytest.mark.parametrize("negated", [False, True], ids=["is", "is not"])
def test_each_operator_matches_as_the_oracle_does(  # F06, F07
    world: World, kind: FieldType, operator: str, negated: bool
) -> None:
    registry, documents, engine = world
    rng = Random(f"{kind} {operator}")
    answers: set[int] = set()

    for _ in range(12):
        rule = one_rule(rng, registry, documents, kind, operator)
        raw = {"type": "group", "operator": "and", "not": negated, "rules": [rule]}
        tree = check(raw, registry, today=trees.TODAY).require()
        expected = wanted(registry, documents, tree)
        assert expected == found(engine, registry, tree), rule
        answers.add(len(expected))

    assert answers != {0}


def one_rule(
    rng: Random,
    registry: Registry,
    documents: list[dict[str, Any]],
    kind: FieldType,
    operator: str,
) -> dict[str, Any]:
    keys = [k for k, f in registry.filters.items() if f.type is kind]
    field = registry.filters[rng.choice(keys)]
    rule = {"field": field.key, "operator": operator}
    if operator.startswith("is_"):
        return rule
    return rule | {"value": trees._value(rng, field, operator, documents)}


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=trees.SEEDS)
def test_any_tree_matches_as_the_oracle_does(world: World, seed: int) -> None:  # F02
    registry, documents, engine = world
    raw = trees.tree(Random(seed), registry, documents)
    tree = check(raw, registry, today=trees.TODAY).require()

    assert wanted(registry, documents, tree) == found(engine, registry, tree)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=trees.SEEDS)
def test_a_count_is_the_number_of_documents(world: World, seed: int) -> None:
    registry, documents, engine = world
    raw = trees.tree(Random(seed), registry, documents, text=False)
    tree = check(raw, registry, today=trees.TODAY).require()
    query = Query(CALLER, registry, TRUE)
    settled = resolve(tree, engine, query)
    condition = lower(settled.tree, registry, today=trees.TODAY).condition

    counted = engine.count(query, [condition, Not(condition)])

    matching = len(wanted(registry, documents, tree))
    assert [matching, len(documents) - matching] == [c.number for c in counted]

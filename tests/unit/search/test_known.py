"""Look-ups of what the caller's own orders hold, and what the operator is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from infra.attack.shelf import Shelf
from tests.unit.disclosure.shop import PUBLIC, field, manifest
from tests.unit.search.conftest import NOW
from tests.unit.search.engines import ScriptedEngine
from tests.unit.search.test_closed import CAPS, COLOUR, WORD, rows
from vitrine.caller import Caller
from vitrine.problems import BudgetSpent, Invalid
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Hits
from vitrine.search.execute import execute
from vitrine.search.explain import explain
from vitrine.search.lookup import Looked, look_up
from vitrine.search.prepare import Ask, Parts
from vitrine.store.planted import Canaries, Known, plant, tell
from vitrine.tree.model import Group, Rule

ADA = Caller("t", "ada", "desk", account="acme")
BOB = Caller("t", "bob", "desk", account="other")
OWN = [row.id for row in rows(10)]


def shop() -> Registry:
    """A shop whose SKUs may be looked up, with brands beside them."""
    made = manifest()
    fields = [*(f.model_dump() for f in made.fields), field("brand", "vocabulary")]
    profiles = made.model_dump()["profiles"]
    profiles["closed"] |= {"budget": CAPS, "filter": (*PUBLIC, "brand")}
    hit = {"title": "name", "identifiers": ("sku",)}
    changed = manifest(fields=fields, profiles=profiles, hit=hit)
    return registry_for(changed, "closed", tenant="t", documents=100)


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(
        Hits(tuple(r for n in range(60) for r in rows(1, n, sku=f"SOF-{n}")), 60)
    )


@pytest.fixture
def told() -> list[Mapping[str, float]]:
    """Keep what the operator is told."""
    return []


@pytest.fixture
def parts(parts: Parts, told: list[Mapping[str, float]]) -> Parts:
    shelf = Shelf()
    tell(shelf, "t", "shop", [Known(ADA.company, tuple(OWN))])
    return replace(
        parts,
        table=shelf,
        canaries=Canaries(shelf, lambda: 0.0),
        note=lambda _, figures: told.append(figures),
    )


@pytest.fixture
def ask() -> Ask:
    return Ask(ADA, shop(), Group(rules=(COLOUR,)), NOW, limit=10)


def codes(*numbers: int) -> list[str]:
    return [f"SOF-{n}" for n in numbers]


def left(looked: Looked) -> int:
    assert looked.answer.budget is not None
    return looked.answer.budget.day_left


def test_what_the_accounts_orders_hold_is_looked_up_for_nothing(
    ask: Ask, parts: Parts
) -> None:
    own = look_up(ask, codes(*range(10)), parts)
    mixed = look_up(ask, codes(9, 10, 11), parts)
    theirs = look_up(replace(ask, caller=BOB), codes(0, 1, 2), parts)

    assert [10, 3, 3] == [len(one.answer.hits) for one in (own, mixed, theirs)]
    assert [8, 6, 5] == [left(one) for one in (own, mixed, theirs)]


def test_a_search_pays_for_what_the_orders_hold(ask: Ask, parts: Parts) -> None:
    """Only looking up is free: a search tells which of many there are."""
    answer = execute(replace(ask, limit=2), parts)

    assert answer.budget is not None
    assert 6 == answer.budget.day_left


def test_who_was_refused_today_still_looks_up_what_is_theirs(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.hits = Hits(rows(20, 30), 20)
    execute(ask, parts)
    engine.hits = Hits((*rows(10), *rows(1, 55, sku="SOF-55")), 11)
    for row in engine.hits.rows:
        assert row.id in OWN or row.values["sku"] == "SOF-55"
    with pytest.raises(BudgetSpent):
        execute(replace(ask, tree=Group(rules=(WORD,))), parts)
    refs = [parts.refs.ref("t", "shop", one) for one in OWN[:3]]

    assert 3 == len(look_up(ask, refs, parts).answer.hits)
    for guess in ("SOF-55", "SOF-none"):
        with pytest.raises(BudgetSpent):
            look_up(ask, [*refs, guess], parts)


@pytest.mark.parametrize(
    "again",
    [
        execute,
        lambda ask, parts: execute(replace(ask, limit=0), parts),
        lambda ask, parts: look_up(replace(ask, caller=BOB), codes(55), parts),
        explain,
    ],
)
def test_a_repeated_identical_refused_call_touches_no_engine(
    ask: Ask, parts: Parts, engine: ScriptedEngine, again: Any
) -> None:
    """Not even for the labels of a vocabulary."""
    brand = Rule("brand", "vocab_text_equals", "Atelier Nord")
    engine.labels = {"Atelier Nord": "7"}
    ask = replace(ask, caller=BOB, tree=Group(rules=(brand,)))
    for page in (rows(10), rows(10, 20)):
        engine.hits = Hits(page, 10)
        try:
            execute(ask, parts)
        except BudgetSpent:
            break
    before = _touched(engine)

    with pytest.raises((BudgetSpent, Invalid)):
        again(ask, parts)

    assert before == _touched(engine)


def _touched(engine: ScriptedEngine) -> tuple[int, ...]:
    return len(engine.queries), len(engine.counted), len(engine.looked_up)


def test_a_shown_canary_is_told_to_the_operator_alone(
    ask: Ask, parts: Parts, told: list[Mapping[str, float]]
) -> None:
    plant(parts.table, "t", "shop", [OWN[1], OWN[7]])

    answer = execute(replace(ask, limit=2, caller=BOB), parts)

    assert {"canaries": 1} in told
    assert "canar" not in str(answer)
    assert [2.0] == [one["coverage"] for one in told if "coverage" in one]


def test_a_crawl_is_told_apart_from_a_first_page(
    ask: Ask, parts: Parts, engine: ScriptedEngine, told: list[Mapping[str, float]]
) -> None:
    bob = replace(ask, caller=BOB, limit=2)
    for start in (0, 2, 4):
        engine.hits = Hits(rows(2, start), 2)
        execute(bob, parts)

    assert [0.0, 20.0, 20.0] == [one["likeness"] for one in told]

"""What validation calls small enough, a search never refuses for its size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from random import Random
from typing import Any

import httpx
import pytest

from infra.local.demo import shop
from tests.unit.typesense.test_requests import NOTHING
from vitrine.caller import Caller
from vitrine.problems import Fault, Invalid
from vitrine.registry.capabilities import TERMS, EngineName
from vitrine.registry.profiles import registry_for
from vitrine.search.engine import Query
from vitrine.search.fitting import misfits
from vitrine.search.resolve import resolve
from vitrine.tree.conditions import TRUE
from vitrine.tree.lower import lower
from vitrine.tree.model import Group, Rule
from vitrine.typesense.client import connect
from vitrine.typesense.search import Typesense
from vitrine.validate import check

SHOP = registry_for(shop.manifest(), "closed", tenant="boreal")
ADA = Caller("boreal", "ada", "desk")
TODAY = date(2026, 11, 30)
ENDLESS = " ".join(f"word{n}" for n in range(20))


@pytest.fixture
def silent() -> Iterator[Typesense]:
    """An engine whose server finds nothing, whatever it is asked."""

    def handle(request: httpx.Request) -> httpx.Response:
        searches = json.loads(request.read())["searches"]
        return httpx.Response(200, json={"results": [NOTHING] * len(searches)})

    with httpx.Client(transport=httpx.MockTransport(handle)) as http:
        yield Typesense(connect("http://engine.example:1", "key", http=http))


def priced(count: int) -> tuple[Rule, ...]:
    return tuple(Rule("price", "between", (n, 900)) for n in range(count))


def faults(*rules: Any) -> list[str]:
    found = misfits(Group(rules=rules), SHOP, ADA, TODAY)
    assert all(isinstance(fault, Fault) for fault in found)
    return [fault.code for fault in found]


@pytest.mark.parametrize(
    ("codes", "rules"),
    [
        ([], priced(48)),
        (["too-large"], priced(49)),
        (["too-large"], (Group("or", priced(49)), *priced(3))),
        # Many values of one field are one list.
        ([], tuple(Rule("category", "equals", "sofa") for _ in range(90))),
        ([], (Group("or", tuple(Rule("sku", "equals", f"A{n}") for n in range(95))),)),
        # Words stand in the filter before the beginning of the last one.
        ([], (*priced(25), Rule("full_text_search", "keyword_search", ENDLESS))),
        (
            ["too-large"],
            (*priced(40), Rule("full_text_search", "keyword_search", ENDLESS)),
        ),
        # What no list has is a fault of its own, told by the search.
        ([], (Rule("brand", "vocab_text_equals", "zzzz"), *priced(60))),
    ],
)
def test_a_tree_is_measured_as_it_would_be_sent(
    codes: list[str], rules: tuple[Any, ...]
) -> None:
    assert codes == faults(*rules)


def test_a_database_takes_what_the_rules_of_trees_allow() -> None:
    there = shop.manifest().model_copy(update={"engine": EngineName.POSTGRES})
    registry = registry_for(there, "closed", tenant="boreal")

    assert misfits(Group(rules=priced(99)), registry, ADA, TODAY) == ()
    assert EngineName.POSTGRES not in TERMS


@pytest.mark.parametrize("seed", range(6))
def test_a_search_never_refuses_for_size_what_was_called_valid(
    silent: Typesense, seed: int
) -> None:
    rng = Random(seed)
    told = {"large": 0, "small": 0}

    for _ in range(25):
        raw = _wide(rng)
        checked = check(raw, SHOP, today=TODAY)
        if not checked.valid:
            continue
        large = misfits(checked.tree, SHOP, ADA, TODAY)
        refused = _refused(silent, checked.tree)
        assert bool(large) or not refused
        told["large" if large else "small"] += 1

    assert min(told.values()) > 0


def _wide(rng: Random) -> dict[str, Any]:
    parts: list[Any] = [
        {"field": "price", "operator": "between", "value": [n, n + rng.randint(1, 900)]}
        for n in range(rng.randint(5, 35))
    ]
    words = " ".join(f"lamp{n}" for n in range(rng.randint(1, 12)))
    text = {"field": "full_text_search", "operator": "keyword_search", "value": words}
    group = {"type": "group", "operator": "or", "rules": rng.sample(parts, 3)}
    rules = [*parts, *[group | {"not": n % 2 == 0} for n in range(rng.randint(0, 9))]]
    return {"type": "group", "operator": "and", "rules": [*rules, text]}


def _refused(engine: Typesense, tree: Group) -> bool:
    query = Query(ADA, SHOP, TRUE)
    low = lower(resolve(tree, engine, query).tree, SHOP, today=TODAY)
    for mode in ("strict", "prefix", None):
        try:
            engine.search(Query(ADA, SHOP, low.condition, low.text, 10, mode=mode))  # type: ignore[arg-type] # a mode
        except Invalid as refusal:
            return "too-large" in {fault.code for fault in refusal.faults}
    return False

"""X01: with the kill switch on, no function of the template calls a paid provider.

The real stack with a provider on the loopback that records what it is asked. With the
switch off the same sentence does reach it: the test can fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.local import provider as local
from infra.local.provider import Provider, says
from infra.local.stack import Stack
from tests.contract.fix_house import HANDLERS
from tests.integration.handlers.conftest import Call, Post
from vitrine.store import switch
from vitrine.store.table import Table

SEARCH = {
    "type": "group",
    "operator": "and",
    "rules": [
        {"field": "full_text_search", "operator": "hybrid_search", "value": "lamp"}
    ],
}
TURN = {"intent": "search", "rule_group": SEARCH, "explanation": "Lamps."}
NOTHING = {
    "type": "group",
    "operator": "and",
    "rules": [
        {"field": "price", "operator": "less_than", "value": 1},
        {"field": "full_text_search", "operator": "hybrid_search", "value": "lamp"},
    ],
}
HTTP: dict[str, Callable[[Post], Any]] = {
    "interpret": lambda post: post(
        "/v1/interpret", {"source": "products", "message": "something for the office"}
    ),
    "validate": lambda post: post(
        "/v1/validate", {"source": "products", "tree": SEARCH}
    ),
    "execute": lambda post: post("/v1/execute", {"source": "products", "tree": SEARCH}),
    "explain_empty": lambda post: post(
        "/v1/explain-empty", {"source": "products", "tree": NOTHING}
    ),
}
TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ask", {"source": "products", "message": "a lamp for the office"}),
    ("ask", {"source": "media", "message": "la forêt au petit matin"}),
    ("search_products", {"query": "lamp"}),
    ("search_media", {"query": "forêt"}),
    ("describe_source", {"source": "products"}),
    ("explain_empty", {"source": "products", "query": "zzzz"}),
)
SCHEDULED = {
    "cost_monitor": "CostMonitor",
    "publish": "Publish",
    "sample_values": "SampleValues",
}
# They keep sessions, searches and settings, and are asked over HTTP by other tests.
KEEPING = {"admin", "manifests", "personal", "switch", "sessions", "searches"}


@pytest.fixture(scope="module")
def provider(seeded: Stack) -> Iterator[Provider]:
    """A provider that the stack's functions know, until the module ends."""
    with local.serve(rule=says(TURN)) as running:
        seeded.use_model({"base_url": running.url, "key": "k", "model": "m"})
        yield running
        seeded.use_model({})


@pytest.fixture
def tripped(table: Table, seeded: Stack, provider: Provider) -> Iterator[Provider]:
    """Trip the switch, and begin new environments: they look every five seconds."""
    now = datetime.now(UTC)
    switch.trip(table, switch.State(now + timedelta(hours=1), "test", "test"), now=now)
    seeded.use_model({"base_url": provider.url, "key": "k", "model": "m"})
    provider.requests.clear()
    yield provider
    switch.clear(table, reason="over", by="test", now=datetime.now(UTC))
    seeded.use_model({"base_url": provider.url, "key": "k", "model": "m"})


def test_every_function_of_the_template_is_tried() -> None:
    tried = {*HTTP, "mcp", *SCHEDULED, *KEEPING}

    assert set(HANDLERS) <= tried


def test_with_the_switch_off_the_provider_is_asked(
    provider: Provider, post: Post
) -> None:
    provider.requests.clear()

    answer = HTTP["interpret"](post)

    assert (answer.status, answer.json["turn"]["by"]) == (200, "openrouter")
    assert len(provider.requests) == 1


def test_x01_with_the_switch_on_no_function_asks_a_provider(
    tripped: Provider,
    seeded: Stack,
    post: Post,
    call: Call,
    token: Callable[..., str],
) -> None:
    answers = {name: ask(post) for name, ask in HTTP.items()}
    trusted = token(profile={"media": "trusted"})
    told = [call(name, trusted, **arguments) for name, arguments in TOOLS]
    for function in SCHEDULED.values():
        seeded.invoke(function)

    assert answers["interpret"].status == 200
    assert answers["interpret"].json["turn"]["by"] == "lexicon"
    assert answers["interpret"].json["cost"]["why"] == "kill_switch"
    assert answers["execute"].status == 200
    assert told[0]["structuredContent"]
    assert tripped.requests == [], json.dumps(tripped.requests)[:500]

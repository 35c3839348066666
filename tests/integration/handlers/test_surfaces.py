"""T03: chat, gallery, API and MCP are one search, whatever part of it is hidden."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Call, Post

TRUSTED = {"media": "trusted", "persons": "trusted", "events": "trusted"}
MEMBERS = ("camille", "louis", "jeanne")
"""Of the marketing and design teams, of the press, and of no team at all."""
ASKED = [
    ("media", "forêt, en format paysage"),
    ("media", "montagnne"),
    ("media", "des photos horizontales de plus de 3000 pixels de large"),
    ("media", "la mer depuis 2024"),
    ("events", "les appels avec Marie"),
    ("events", "manteaux, notes ou réunions"),
    ("persons", "les clients à Lyon"),
    ("products", "lampes en laiton à moins de 300 euros"),
    ("products", "tabels"),
]
everything = pytest.mark.parametrize(("source", "sentence"), ASKED)
Reading = tuple[Any, ...]


def reading(answer: Any) -> Reading:
    """Give what the surfaces must agree on."""
    report = answer["report"]
    ran = tuple(report.get(key) for key in ("mode", "original", "fallback"))
    return [hit["ref"] for hit in answer["hits"]], answer["total"], ran


def words(rule: dict[str, Any]) -> bool:
    return rule.get("field") == "full_text_search"


def filtered(rule: dict[str, Any]) -> dict[str, Any]:
    """Say a leaf as an agent does: a list under ``values``."""
    value = rule.get("value")
    named = {"values" if isinstance(value, list) else "value": value}
    return {k: rule[k] for k in ("field", "operator")} | named


def arguments(tree: dict[str, Any]) -> dict[str, Any]:
    """Say a tree of two levels as a tool's arguments."""
    rules = tree["rules"]
    assert tree["operator"] == "and" or len(rules) == 1
    query = [r["value"] for r in rules if words(r)]
    groups = [r["rules"] for r in rules if "rules" in r]
    return {
        "query": query[0] if query else None,
        "filters": [filtered(r) for r in rules if "field" in r and not words(r)],
        "all": [{"any": [filtered(r) for r in group]} for group in groups],
    }


@pytest.fixture
def member(
    token: Callable[..., str], request: pytest.FixtureRequest
) -> Callable[[str], str]:
    """Mint the token of a member of library and CRM, with an account of the test's."""

    def minted(user: str) -> str:
        return token(user=user, account=request.node.name, profile=TRUSTED)

    return minted


@pytest.fixture(params=MEMBERS)
def bearer(member: Callable[[str], str], request: pytest.FixtureRequest) -> str:
    """Mint each member's token."""
    return member(request.param)


@everything
def test_t03_every_surface_answers_alike(
    post: Post, call: Call, bearer: str, source: str, sentence: str
) -> None:
    turn = post("/v1/interpret", {"source": source, "message": sentence}, bearer).json
    tree = {"source": source, "tree": turn["tree"], "limit": 10, "language": "fr"}
    kept = {"source": source, "session": turn["session"], "surface": "chat_preview"}

    chat = post("/v1/execute", kept | {"limit": 10}, bearer).json
    gallery = post("/v1/execute", tree | {"surface": "gallery"}, bearer).json
    api = post("/v1/execute", tree, bearer).json
    asked = arguments(turn["tree"])
    agent = call(f"search_{source}", bearer, limit=10, **asked)["structuredContent"]

    assert reading(chat) == reading(gallery) == reading(api) == reading(agent)


@everything
def test_t03_later_pages_agree_too(
    post: Post, call: Call, member: Any, source: str, sentence: str
) -> None:
    bearer = member("camille")
    turn = post("/v1/interpret", {"source": source, "message": sentence}, bearer).json
    body = {"source": source, "tree": turn["tree"], "limit": 4}
    asked = arguments(turn["tree"]) | {"limit": 4}

    over_http, over_mcp = [], []
    page: Any = {}
    answer: Any = {}
    for _ in range(3):
        page = post("/v1/execute", body | _onward(page), bearer).json
        answer = call(f"search_{source}", bearer, **asked, **_onward(answer))
        answer = answer["structuredContent"]
        over_http.append(reading(page))
        over_mcp.append(reading(answer))
        if "next_cursor" not in page:
            break

    assert over_http == over_mcp
    refs = [ref for refs, *_ in over_http for ref in refs]
    assert len(refs) == len(set(refs))


def _onward(page: dict[str, Any]) -> dict[str, Any]:
    return {"cursor": page["next_cursor"]} if "next_cursor" in page else {}


def test_t03_the_access_rule_really_hides(post: Post, member: Any) -> None:
    """Without it the tests above would agree about nothing."""
    rule = {"field": "kind", "operator": "is_not_empty"}
    tree = {"type": "group", "operator": "and", "rules": [rule]}

    def total(user: str) -> int:
        answer = post("/v1/execute", {"source": "events", "tree": tree}, member(user))
        return int(answer.json["total"]["number"])

    totals = {user: total(user) for user in MEMBERS}

    assert totals["jeanne"] < totals["louis"]
    assert totals["jeanne"] < totals["camille"]


def test_t03_a_widened_search_says_so_everywhere(
    post: Post, call: Call, member: Any
) -> None:
    rule = {"field": "full_text_search", "operator": "hybrid_search", "value": "foretz"}
    tree = {"type": "group", "operator": "and", "rules": [rule]}
    bearer = member("camille")

    over_http = post("/v1/execute", {"source": "media", "tree": tree}, bearer).json
    over_mcp = call("search_media", bearer, query="foretz", limit=10)

    assert over_http["report"]["mode"] != "strict"
    assert reading(over_http) == reading(over_mcp["structuredContent"])


def test_a_stack_without_hits_would_prove_nothing(
    post: Post, member: Any, seeded: Stack
) -> None:
    found = 0
    for source, sentence in ASKED:
        body = {"source": source, "message": sentence}
        turn = post("/v1/interpret", body, member("camille")).json
        asked = {"source": source, "session": turn["session"]}
        found += bool(post("/v1/execute", asked, member("camille")).json["hits"])

    assert found >= len(ASKED) - 2
    assert seeded.typesense is not None

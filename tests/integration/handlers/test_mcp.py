from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Call, Send
from tests.unit.edge.fake_agent import ERAS

RED = {"field": "colour", "operator": "equals", "value": "red"}


@pytest.mark.parametrize("era", ERAS)
def test_tools_follow_the_tokens_scopes(
    send: Send, token: Callable[..., str], era: str
) -> None:
    narrow = token(scope="products:read elsewhere:read")

    listed = send(era, "tools/list", narrow).json["result"]["tools"]

    assert [t["name"] for t in listed] == [
        "search_products",
        "get_products",
        "describe_source",
        "explain_empty",
        "ask",
    ]


def test_a_search_is_the_same_search_as_over_http(
    call: Call, seeded: Stack, token: Callable[..., str]
) -> None:
    over_mcp = call("search_products", filters=[RED], limit=10)["structuredContent"]
    tree = {"type": "group", "operator": "and", "rules": [RED]}
    body = {"source": "products", "tree": tree, "limit": 10}
    over_http = seeded.call("POST", "/v1/execute", body, token()).json

    assert [h["ref"] for h in over_http["hits"]] == [h["ref"] for h in over_mcp["hits"]]
    assert over_http["total"] == over_mcp["total"]


def test_a_session_is_minted_refined_and_paged(call: Call) -> None:
    first = call("search_products", query="lamp")["structuredContent"]
    again = call("search_products", session=first["session"], filters=[RED])
    refined = again["structuredContent"]
    page = call(
        "search_products", session=first["session"], cursor=refined.get("next_cursor")
    )["structuredContent"]

    assert "lamp" in refined["sentence"]
    assert first["session"] == refined["session"]
    refs = [hit["ref"] for part in (refined, page) for hit in part["hits"]]
    assert "next_cursor" not in refined or len(refs) == len(set(refs))


def test_one_product_more_than_a_session_has_is_refused_in_words(call: Call) -> None:
    session = call("search_products", query="lamp", limit=10)["structuredContent"]
    for word in ("table", "chair", "mirror"):
        call("search_products", query=word, session=session["session"], limit=10)

    refusal = call("search_products", query="rug", session=session["session"], limit=10)

    assert refusal["isError"]
    text = refusal["content"][0]["text"]
    assert "It resets at" in text
    assert "https://" in text


def test_m01_stringified_arguments_are_understood(call: Call) -> None:
    plain = call("search_products", filters=[RED], limit=3)["structuredContent"]
    quoted = call("search_products", filters=json.dumps([RED]), limit="3", query=None)

    assert plain["total"] == quoted["structuredContent"]["total"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"shape": "round"}, "query, filters, all"),
        ({"filters": [RED | {"field": "hue"}]}, "hue"),
        ({"filters": [RED | {"operator": "is"}]}, "filters.0.operator"),
        ({"query": "x", "filters": [RED, RED | {"field": "hue"}]}, "filters.1.field"),
        ({"limit": 50}, "10"),
        ({"session": "nobody's"}, "session"),
        ({"query": "lamp", "cursor": "A" * 99}, "cursor"),
        ({"tenant": "boreal"}, "tenant"),
    ],
)
def test_a_bad_argument_is_answered_with_the_next_step(
    call: Call, arguments: dict[str, Any], said: str
) -> None:
    answer = call("search_products", **arguments)

    assert answer["isError"]
    assert said in answer["content"][0]["text"]


def test_nothing_asked_is_no_listing(call: Call) -> None:
    answer = call("search_products")["structuredContent"]

    assert not answer["hits"]
    assert answer["facets"]


def test_a_source_is_described_within_the_profile(call: Call) -> None:
    answer = call("describe_source", source="products")

    keys = {field["field"] for field in answer["structuredContent"]["fields"]}
    assert "colour" in keys
    assert not keys & {"supplier", "purchase_cost", "stock_id"}


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_nothing_but_post_is_answered(seeded: Stack, method: str) -> None:
    answer = seeded.call(method, "/mcp")

    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("suffix", ["", "/mcp"])
def test_a_stranger_finds_the_way_to_a_token(seeded: Stack, suffix: str) -> None:
    refused = seeded.call("POST", "/mcp", {})
    path = f"/.well-known/oauth-protected-resource{suffix}"
    metadata = seeded.call("GET", path).json

    assert refused.status == 401
    named = f'resource_metadata="{seeded.url}/.well-known/oauth-protected-resource/mcp"'
    assert named in refused.headers["www-authenticate"]
    assert [seeded.issuer.url] == metadata["authorization_servers"]
    assert f"{seeded.url}/mcp" == metadata["resource"]


def test_a_token_without_a_source_is_told_which_scope_it_lacks(
    send: Send, token: Callable[..., str]
) -> None:
    answer = send(ERAS[1], "tools/list", token(scope="notes:write"))

    assert answer.status == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]

"""What every call has: retries, a pace, a trace, and a page for who finds us."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Call, Post, told
from tests.unit.edge.fake_agent import ERAS, rpc

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_retry_gets_the_same_answer_and_is_charged_once(call: Call) -> None:
    asked = {"query": "vase", "limit": 4, "request_id": "r-1"}
    first = call("search_products", **asked)
    retry = call("search_products", **asked)
    other = call("search_products", **asked | {"query": "rug"})
    fresh = call("search_products", query="vase", limit=4, request_id="r-2")

    assert first["structuredContent"] == retry["structuredContent"]
    assert first["content"] == retry["content"]
    assert other["isError"]
    assert "another call" in told(other)
    assert (
        first["structuredContent"]["session"] != fresh["structuredContent"]["session"]
    )


def test_a_request_id_is_ones_own(call: Call, token: Callable[..., str]) -> None:
    mine = call("search_products", query="vase", request_id="shared")
    theirs = call(
        "search_products", token(user="eve"), query="rug", request_id="shared"
    )

    assert not theirs.get("isError")
    assert mine["structuredContent"] != theirs["structuredContent"]


def test_a_retry_under_a_lowered_profile_is_a_call_of_its_own(
    call: Call, token: Callable[..., str]
) -> None:
    asked = {"query": "vase", "limit": 4, "request_id": "lowered"}
    staff = token(profile={"products": "trusted"})
    wide = call("search_products", staff, **asked)["structuredContent"]

    narrow = call("search_products", token(), **asked)["structuredContent"]
    again = call("search_products", staff, **asked)["structuredContent"]

    assert wide == again
    assert keys(wide) - keys(narrow)
    assert not keys(narrow) - keys(wide)
    assert ["budget" in answer for answer in (wide, narrow)] == [False, True]


def keys(answer: dict[str, Any]) -> set[str]:
    return {key for hit in answer["hits"] for key in hit}


def test_searches_come_in_bursts_of_ten(call: Call) -> None:
    answers = [call("search_products", query="lamp", limit=0) for _ in range(11)]

    assert [bool(a.get("isError")) for a in answers] == [False] * 10 + [True]
    assert "Retry after" in told(answers[-1])


def test_an_agents_pace_holds_where_no_budget_does(
    call: Call, token: Callable[..., str]
) -> None:
    bearer = token(profile={"events": "trusted"})

    answers = [call("search_events", bearer, query="Marie") for _ in range(14)]

    refused = [answer for answer in answers if answer.get("isError")]
    assert refused
    assert all("Retry after" in told(answer) for answer in refused)
    assert "Marie" not in str(refused)


@pytest.mark.parametrize("place", ["header", "meta"])
def test_a_trace_is_in_the_log_and_in_the_answer(
    seeded: Stack, token: Callable[..., str], place: str
) -> None:
    trace = TRACE.replace("4bf9", "aaaa" if place == "meta" else "bbbb")
    request = rpc(ERAS[1], "tools/call", name="describe_source", arguments={})
    body = json.loads(request["body"])
    body["params"]["name"] = "search_products"
    body["params"]["arguments"] = {"query": "lamp", "limit": 1}
    kept = {k: v for k, v in request["headers"].items() if "mcp" in k}
    kept |= {"accept": request["headers"]["accept"], "mcp-name": "search_products"}
    if place == "meta":
        body["params"]["_meta"]["traceparent"] = trace
    else:
        kept["traceparent"] = trace

    answer = seeded.call("POST", "/mcp", body, token(), headers=kept)

    log = [line for line in seeded.logs("Mcp").splitlines() if trace in line]
    assert any('"message":"query"' in line for line in log)
    number = json.loads(log[0])["function_request_id"]
    ours = [line for line in seeded.logs("Mcp").splitlines() if number in line]
    assert ours == [line for line in ours if trace in line or '"_aws"' in line]
    if place == "meta":
        assert answer.json["result"]["_meta"]["traceparent"] == trace
    else:
        assert answer.headers["traceparent"] == trace


def test_an_http_route_repeats_a_trace_too(post: Post, seeded: Stack) -> None:
    tree = {"type": "group", "operator": "and", "rules": []}
    body = {"source": "products", "tree": tree}

    answer = post("/v1/execute", body, traceparent=TRACE)
    strange = post("/v1/execute", body, traceparent="00-nonsense")

    assert answer.headers["traceparent"] == TRACE
    assert "traceparent" not in strange.headers
    assert TRACE in seeded.logs("Execute")


def test_a_model_that_finds_the_address_is_told_how_to_enter(seeded: Stack) -> None:
    answer = seeded.call("GET", "/llms.txt")

    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert f"{seeded.url}/mcp" in answer.body.decode()

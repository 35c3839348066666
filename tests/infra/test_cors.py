"""The local API shares its answers with other origins as the template says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from infra.local.cors import Sharing
from infra.local.events import Incoming, Reply
from infra.local.stack import Response, Stack

PAGE = "https://app.example"
STRANGER = "https://elsewhere.example"
ASKED = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,mcp-method",
}


@pytest.fixture(scope="module")
def api() -> Iterator[Stack]:
    """The product's own template, opened to one origin; no engine runs."""
    with Stack(parts=("gateway",), parameters={"AllowedOrigins": PAGE}) as running:
        yield running


def preflight(api: Stack, path: str, origin: str) -> Response:
    return api.call("OPTIONS", path, headers={"origin": origin, **ASKED})


def shared(headers: Mapping[str, str]) -> dict[str, str]:
    return {k: v for k, v in headers.items() if k.startswith("access-control-")}


@pytest.mark.parametrize("path", ["/mcp", "/v1/execute"])
def test_a_preflight_is_answered_without_a_token(api: Stack, path: str) -> None:
    answer = preflight(api, path, PAGE)
    allowed = answer.headers["access-control-allow-headers"].split(",")

    assert (204, b"") == (answer.status, answer.body)
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "POST" in answer.headers["access-control-allow-methods"].split(",")
    assert {"authorization", "mcp-protocol-version", "mcp-session-id"} <= set(allowed)
    assert "access-control-allow-credentials" not in answer.headers


def test_a_stranger_is_told_nothing(api: Stack) -> None:
    asked = preflight(api, "/mcp", STRANGER)
    sent = api.call("POST", "/mcp", {}, headers={"origin": STRANGER})

    assert (204, {}) == (asked.status, shared(asked.headers))
    assert (401, {}) == (sent.status, shared(sent.headers))


def test_a_page_can_read_the_challenge(api: Stack) -> None:
    answer = api.call("POST", "/mcp", {}, headers={"origin": PAGE})
    shown = answer.headers["access-control-expose-headers"].split(",")

    assert (401, PAGE) == (
        answer.status,
        answer.headers["access-control-allow-origin"],
    )
    assert {"www-authenticate", "retry-after", "traceparent"} <= set(shown)
    assert "resource_metadata" in answer.headers["www-authenticate"]


def test_without_a_page_nothing_is_added(api: Stack) -> None:
    assert not shared(api.call("GET", "/llms.txt").headers)


def test_the_apis_headers_stand_over_a_functions() -> None:
    mine = Reply(200, headers=[("access-control-allow-origin", "*"), ("x", "y")])
    asked = Incoming("GET", "/", "", [("origin", PAGE)], b"")

    told = Sharing(origins=(PAGE,)).shared(asked, mine)
    closed = Sharing().shared(asked, mine)

    assert [("x", "y"), ("access-control-allow-origin", PAGE)] == list(told.headers)
    assert closed == mine


def test_without_origins_a_preflight_is_any_request() -> None:
    asked = Incoming("OPTIONS", "/", "", [("origin", PAGE)], b"")

    assert Sharing().preflight(asked) is None

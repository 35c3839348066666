"""Who asks is judged before what they sent, on every route of the template."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.stack import Stack
from tests.contract.fix_house import HANDLERS, routes

ROUTES = sorted(
    route for name in HANDLERS for route in routes(name) if route.startswith("POST ")
)
BODIES = (None, b"{", [], {}, {"source": 7}, {"no": "such member"})
everywhere = pytest.mark.parametrize("route", ROUTES)


@everywhere
@pytest.mark.parametrize("body", BODIES, ids=str)
def test_a_stranger_is_a_stranger_whatever_they_send(
    stack: Stack, route: str, body: Any
) -> None:
    answer = stack.call("POST", route.removeprefix("POST "), body)

    assert (answer.status, _code(answer.json)) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "errors" not in answer.json


@everywhere
def test_a_spent_token_is_no_better_than_none(stack: Stack, route: str) -> None:
    spent = stack.token(tenant="aurore", scope="products:read", seconds=-3600)

    answer = stack.call("POST", route.removeprefix("POST "), {"x": 1}, spent)

    assert (answer.status, _code(answer.json)) == (401, "unauthenticated")


def _code(problem: dict[str, Any]) -> str:
    return str(problem["type"]).rpartition(":")[2]

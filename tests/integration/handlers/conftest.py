"""The demo's tenants behind the real gateway, and callers of theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from infra.local.seed import seed
from infra.local.stack import Response, Stack
from tests.unit.edge.fake_agent import ERAS, rpc
from vitrine.store.table import Table

Post = Callable[..., Response]
Send = Callable[..., Response]
Call = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def seeded(stack: Stack) -> Stack:
    """The running stack with its demo data."""
    seed(stack)
    return stack


@pytest.fixture(scope="session")
def table(seeded: Stack) -> Iterator[Table]:
    """The stack's own table."""
    with closing(seeded.aws.client("dynamodb")) as client:
        yield Table(client, seeded.table)


@pytest.fixture
def token(seeded: Stack, request: pytest.FixtureRequest) -> Callable[..., str]:
    """Mint tokens of a shopper who is new in every test."""

    def mint(**claims: Any) -> str:
        usual = {
            "tenant": "aurore",
            "user": request.node.name,
            "client": "desk",
            "scope": "products:read media:read persons:read events:read",
        }
        return seeded.token(**usual | claims)

    return mint


@pytest.fixture
def boss(token: Callable[..., str]) -> str:
    """A token of an administrator."""
    return token(user="boss", scope="admin")


@pytest.fixture
def post(seeded: Stack, token: Callable[..., str]) -> Post:
    """Post a body to a route as this test's shopper, or with a token of its own."""

    def send(path: str, body: Any, bearer: str | None = None, **more: str) -> Response:
        return seeded.call("POST", path, body, bearer or token(), headers=more)

    return send


@pytest.fixture
def send(seeded: Stack, token: Callable[..., str]) -> Send:
    """Send one MCP request of an era as this test's shopper."""

    def sent(
        era: str, method: str, bearer: str | None = None, **params: Any
    ) -> Response:
        request = rpc(era, method, **params)
        kept = {k: v for k, v in request["headers"].items() if "mcp" in k}
        kept["accept"] = request["headers"]["accept"]
        body = json.loads(request["body"])
        return seeded.call("POST", "/mcp", body, bearer or token(), headers=kept)

    return sent


@pytest.fixture
def call(send: Send) -> Call:
    """Call a tool in the newer era, as this test's shopper or with a token."""

    def called(name: str, bearer: str | None = None, **arguments: Any) -> Any:
        answer = send(ERAS[1], "tools/call", bearer, name=name, arguments=arguments)
        assert answer.status == 200, answer.body
        return answer.json["result"]

    return called


def told(result: dict[str, Any]) -> str:
    """Give the lines of a tool's result."""
    return str(result["content"][0]["text"])

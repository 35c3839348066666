"""The demo's tenants behind the real gateway, and callers of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from infra.local.seed import seed
from infra.local.stack import Response, Stack
from vitrine.store.table import Table

Post = Callable[..., Response]


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
def post(seeded: Stack, token: Callable[..., str]) -> Post:
    """Post a body to a route as this test's shopper, or with a token of its own."""

    def send(path: str, body: Any, bearer: str | None = None, **more: str) -> Response:
        return seeded.call("POST", path, body, bearer or token(), headers=more)

    return send

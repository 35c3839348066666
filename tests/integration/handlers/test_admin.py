from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.local.stack import Response, Stack
from tests.integration.handlers.conftest import Post
from vitrine.store.audit import entries
from vitrine.store.table import Table

GRANTS = "/v1/admin/grants"
YES = {"scope": "notes:write", "reason": "a trial with the sales team"}


@pytest.fixture
def standing(seeded: Stack, boss: str) -> Callable[[], set[str]]:
    """List the clients that are allowed now."""

    def read() -> set[str]:
        answer: Response = seeded.call("GET", GRANTS, None, boss)
        return {grant["client"] for grant in answer.json["grants"]}

    return read


def test_a_grant_is_given_listed_and_ended(
    post: Post, boss: str, standing: Callable[[], set[str]]
) -> None:
    given = post(GRANTS, YES | {"client": "cat"}, boss).json
    during = standing()
    ended = post(f"{GRANTS}/end", YES | {"client": "cat"}, boss).json

    (grant,) = [g for g in given["grants"] if g["client"] == "cat"]
    assert (grant["by"], grant["reason"]) == ("boss", YES["reason"])
    assert "cat" in during
    assert "cat" not in {g["client"] for g in ended["grants"]} | standing()


def test_each_order_leaves_its_row(post: Post, boss: str, table: Table) -> None:
    since = datetime.now(UTC)
    post(GRANTS, YES | {"client": "dog"}, boss)
    post(f"{GRANTS}/end", YES | {"client": "dog"}, boss)

    until = datetime.now(UTC) + timedelta(seconds=1)
    kept = list(entries(table, "aurore", since=since, until=until))
    ours = [e for e in kept if e.subject == "dog"]
    assert [e.action for e in ours] == ["grant_given", "grant_ended"]
    assert {(e.actor, e.reason) for e in ours} == {("boss", YES["reason"])}


def test_a_dry_run_tells_and_does_nothing(
    post: Post, boss: str, standing: Callable[[], set[str]], table: Table
) -> None:
    since = datetime.now(UTC)
    told = post(GRANTS, YES | {"client": "owl", "dry_run": True}, boss).json

    until = datetime.now(UTC) + timedelta(seconds=1)
    kept = list(entries(table, "aurore", since=since, until=until))
    assert "owl" in {grant["client"] for grant in told["grants"]}
    assert told["dry_run"] is True
    assert "owl" not in standing()
    assert not [e for e in kept if e.subject == "owl"]


@pytest.mark.parametrize("scope", ["", "products:read notes:write"])
def test_only_an_administrator_orders(
    post: Post, seeded: Stack, token: Callable[..., str], scope: str
) -> None:
    reader = token(scope=scope)

    answers = [
        seeded.call("GET", GRANTS, None, reader),
        post(GRANTS, YES | {"client": "fox"}, reader),
        post(f"{GRANTS}/end", YES | {"client": "fox"}, reader),
    ]

    assert [answer.status for answer in answers] == [403, 403, 403]


@pytest.mark.parametrize(
    "broken",
    [
        {"scope": "admin"},
        {"scope": "products:read"},
        {"reason": ""},
        {"until": "2020-01-01T00:00:00Z"},
        {"until": "2030-01-01T00:00:00"},
        {"tenant": "boreal"},
    ],
)
def test_what_can_not_be_granted_is_refused(
    post: Post, boss: str, broken: dict[str, Any]
) -> None:
    assert post(GRANTS, YES | {"client": "elk"} | broken, boss).status == 422


def test_another_organisation_grants_nothing_here(
    post: Post, token: Callable[..., str], standing: Callable[[], set[str]]
) -> None:
    theirs = token(tenant="boreal", user="chief", scope="admin")

    post(GRANTS, YES | {"client": "yak"}, theirs)

    assert "yak" not in standing()

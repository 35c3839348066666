"""Caps raised by an administrator, through the gateway and the function."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.local.stack import Response, Stack
from tests.integration.handlers.conftest import Post
from vitrine.caller import Caller
from vitrine.store.audit import Entry, entries
from vitrine.store.raises import MOST
from vitrine.store.table import Table

CAPS = "/v1/admin/caps"
LATER = (datetime.now(UTC) + timedelta(hours=3)).isoformat()
YES: dict[str, Any] = {
    "source": "products",
    "caps": {"day": 400},
    "reason": "an audit of the range",
    "until": LATER,
}
WHO = {"source": "products", "reason": "the audit is done"}


@pytest.fixture
def standing(seeded: Stack, boss: str) -> Callable[[], set[str]]:
    """List who has raised caps now."""

    def read() -> set[str]:
        answer: Response = seeded.call("GET", CAPS, None, boss)
        return {one["who"] for one in answer.json["raises"]}

    return read


def identity(user: str, account: str | None = None) -> str:
    return Caller("aurore", user, "any", account=account).identity


def company(account: str) -> str:
    return Caller("aurore", "any", "any", account=account).company


@pytest.mark.parametrize(
    ("named", "who", "kind"),
    [
        ({"user": "cat"}, identity("cat"), "identity"),
        ({"user": "cat", "account": "c"}, identity("cat", "c"), "identity"),
        ({"identity": identity("hen")}, identity("hen"), "identity"),
        ({"account": "farm"}, company("farm"), "account"),
    ],
)
def test_a_cap_is_raised_listed_and_taken_back(
    post: Post,
    boss: str,
    standing: Callable[[], set[str]],
    *,
    named: dict[str, str],
    who: str,
    kind: str,
) -> None:
    given = post(CAPS, YES | named, boss).json
    during = standing()
    ended = post(f"{CAPS}/end", WHO | named, boss).json

    (one,) = [r for r in given["raises"] if r["who"] == who]
    assert (one["kind"], one["by"], one["reason"]) == (kind, "boss", YES["reason"])
    assert set(one["caps"].values()) == {400}
    assert who in during
    assert who not in {r["who"] for r in ended["raises"]} | standing()


def kept(table: Table, since: datetime, who: str) -> list[Entry]:
    until = datetime.now(UTC) + timedelta(seconds=1)
    found = entries(table, "aurore", since=since, until=until)
    return [entry for entry in found if entry.subject == who]


def test_each_order_leaves_its_row_and_no_persons_name(
    post: Post, boss: str, table: Table
) -> None:
    since = datetime.now(UTC)
    post(CAPS, YES | {"user": "dog-the-person"}, boss)
    post(f"{CAPS}/end", WHO | {"user": "dog-the-person"}, boss)

    ours = kept(table, since, identity("dog-the-person"))
    assert [e.action for e in ours] == ["cap_raised", "cap_lowered"]
    assert [e.reason for e in ours] == [YES["reason"], WHO["reason"]]
    assert ours[0].detail is not None
    assert ours[0].detail["caps"] == {"day": 400}
    assert "dog-the-person" not in str(ours)


def test_a_dry_run_tells_and_does_nothing(
    post: Post, boss: str, standing: Callable[[], set[str]], table: Table
) -> None:
    since = datetime.now(UTC)
    told = post(CAPS, YES | {"user": "owl", "dry_run": True}, boss).json

    assert identity("owl") in {one["who"] for one in told["raises"]}
    assert told["dry_run"] is True
    assert identity("owl") not in standing()
    assert not kept(table, since, identity("owl"))


@pytest.mark.parametrize("scope", ["", "products:read notes:write"])
def test_only_an_administrator_raises(
    post: Post, seeded: Stack, token: Callable[..., str], scope: str
) -> None:
    reader = token(scope=scope)

    answers = [
        seeded.call("GET", CAPS, None, reader),
        post(CAPS, YES | {"user": "fox"}, reader),
        post(f"{CAPS}/end", WHO | {"user": "fox"}, reader),
    ]

    assert [answer.status for answer in answers] == [403, 403, 403]


@pytest.mark.parametrize(
    ("broken", "status"),
    [
        ({"source": "nothing"}, 404),
        ({"identity": identity("elk")}, 422),
        ({"user": None}, 422),
        ({"caps": {}}, 422),
        ({"caps": {"day": 0}}, 422),
        ({"caps": {"answer": 50}}, 422),
        ({"caps": {"session": 1_000_000}}, 422),
        ({"user": None, "account": "herd", "caps": {"session": 60}}, 422),
        ({"reason": ""}, 422),
        ({"until": "2020-01-01T00:00:00Z"}, 422),
        ({"until": "2099-01-01T00:00:00Z"}, 422),
        ({"until": "2030-01-01T00:00:00"}, 422),
        ({"tenant": "boreal"}, 422),
    ],
)
def test_what_can_not_be_raised_is_refused(
    post: Post, boss: str, broken: dict[str, Any], status: int
) -> None:
    body = {k: v for k, v in (YES | {"user": "elk"} | broken).items() if v is not None}

    assert post(CAPS, body, boss).status == status


def test_a_cap_beyond_what_the_table_remembers_is_refused_with_the_greatest_that_fits(
    post: Post, boss: str
) -> None:
    caps = {"session": 1_000_000, "day": 48_001, "month": 1_000_000}

    answer = post(CAPS, YES | {"user": "elk", "caps": caps}, boss)
    fits = {key: MOST.get(key, number) for key, number in caps.items()}
    raised = post(CAPS, YES | {"user": "elk", "caps": fits, "dry_run": True}, boss)

    faults = {fault["pointer"]: fault for fault in answer.json["errors"]}
    assert answer.status == 422
    assert set(faults) == {"/caps/session", "/caps/day"}
    assert {fault["code"] for fault in faults.values()} == {"too_many"}
    assert str(MOST["session"]) in faults["/caps/session"]["remedy"]
    assert raised.status == 200


def test_another_organisation_raises_nothing_here(
    post: Post, token: Callable[..., str], standing: Callable[[], set[str]]
) -> None:
    theirs = token(tenant="boreal", user="chief", scope="admin")

    post(CAPS, YES | {"identity": identity("yak")}, theirs)

    assert identity("yak") not in standing()

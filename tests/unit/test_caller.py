"""A caller is what verified claims say, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from vitrine.caller import Caller, Surface, from_claims
from vitrine.problems import Forbidden, Unauthenticated

CLAIMS = {"sub": "ada", "tenant": "aurore", "client_id": "desk", "scope": "media:read"}


def test_claims_make_a_caller() -> None:
    caller = from_claims({**CLAIMS, "account": "hotel", "act": {"sub": "bot"}})

    assert ("aurore", "ada", "desk") == (caller.tenant, caller.subject, caller.client)
    assert ("hotel", "bot") == (caller.account, caller.actor)
    assert {"media:read"} == caller.scopes


@pytest.mark.parametrize("missing", ["sub", "tenant", "client_id"])
@pytest.mark.parametrize(
    "value", [None, "", 7, ["a", "b"], "a\x1fb", "\0a", "\ud800", "a\u2028"]
)
def test_a_claim_short_of_an_identity_is_no_caller(missing: str, value: Any) -> None:
    with pytest.raises(Unauthenticated, match=missing):
        from_claims({**CLAIMS, missing: value})


@pytest.mark.parametrize(
    "broken", [{"account": ""}, {"account": 5}, {"account": "\0bob"}, {"act": {}}]
)
def test_an_unreadable_claim_is_refused_not_ignored(broken: dict[str, Any]) -> None:
    with pytest.raises(Unauthenticated):
        from_claims({**CLAIMS, **broken})


@pytest.mark.parametrize(
    ("granted", "expected"),
    [
        (None, "closed"),
        ("trusted", "trusted"),
        ({"media": "trusted"}, "trusted"),
        ({"events": "trusted"}, "closed"),
        (["trusted"], "closed"),
        ({"media": 7, "events": None}, "closed"),
    ],
)
def test_a_profile_is_granted_by_source_or_else_closed(
    granted: Any, expected: str
) -> None:
    assert expected == from_claims({**CLAIMS, "profile": granted}).profile_of("media")


def test_a_missing_scope_is_named() -> None:
    with pytest.raises(Forbidden) as refused:
        from_claims(CLAIMS).require("events:read")

    assert "events:read" == refused.value.members["scope"]


def test_an_identity_is_not_multiplied_by_clients_or_languages() -> None:
    ada = Caller("aurore", "ada", "desk")

    assert ada.identity == Caller("aurore", "ada", "phone").identity
    assert ada.identity == ada.speaking("fr", Surface.MCP).identity


@pytest.mark.parametrize(
    "other",
    [
        Caller("boreal", "ada", "desk"),
        Caller("aurore", "bob", "desk"),
        Caller("aurore", "ada", "desk", account="hotel"),
        Caller("aurore", "ada", "desk", actor="bot"),
        Caller("aurore", "", "desk", account="ada"),
    ],
)
def test_identities_are_told_apart(other: Caller) -> None:
    assert Caller("aurore", "ada", "desk").identity != other.identity


def test_people_without_an_account_share_none() -> None:
    ada, bob = Caller("aurore", "ada", "desk"), Caller("aurore", "bob", "desk")

    assert ada.company != bob.company
    assert ada.company != Caller("aurore", "x", "desk", account="ada").company

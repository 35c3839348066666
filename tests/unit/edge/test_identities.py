"""Service agents: whose budget a bot spends, and for whom it acts."""

from __future__ import annotations

from typing import Any

import pytest

from vitrine.caller import Caller, from_claims
from vitrine.problems import Unauthenticated

BOT = {
    "tenant": "t",
    "sub": "bot",
    "client_id": "assistant",
    "account": "hotel",
    "scope": "products:read",
}


def caller(**claims: Any) -> Caller:
    return from_claims(BOT | claims)


def test_two_people_of_one_bot_are_two_identities_and_one_account() -> None:
    anna, ben = (caller(sub=name, act={"sub": "bot"}) for name in ("anna", "ben"))

    assert anna.identity != ben.identity
    assert anna.company == ben.company
    assert anna.actor == ben.actor == "bot"


def test_without_an_exchange_the_bot_is_one_identity_of_its_own() -> None:
    alone, anna = caller(), caller(sub="anna", act={"sub": "bot"})

    assert alone.identity == caller().identity
    assert alone.identity != anna.identity
    assert alone.actor is None


def test_a_new_token_of_the_same_person_is_the_same_identity() -> None:
    assert caller(jti="1", exp=1).identity == caller(jti="2", exp=2).identity


def test_another_client_buys_no_second_budget() -> None:
    assert caller().identity == caller(client_id="other").identity


@pytest.mark.parametrize(
    "broken",
    [
        {"tenant": ["a", "b"]},
        {"tenant": ""},
        {"tenant": None},
        {"sub": None},
        {"client_id": None},
        {"account": ["x"]},
        {"act": {}},
        {"act": {"sub": 5}},
    ],
)
def test_a_person_of_two_tenants_without_a_choice_is_nobody(
    broken: dict[str, Any],
) -> None:
    with pytest.raises(Unauthenticated):
        caller(**broken)

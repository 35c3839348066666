"""A token without a user: off by default, and one small pool where it is on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.disclosure.shop import manifest
from vitrine.caller import Caller, from_claims
from vitrine.disclosure.budgets import admit_user, caps_of, identity_of
from vitrine.problems import Forbidden, Unauthenticated
from vitrine.registry.profiles import Registry, registry_for

ADA = Caller("demo", "ada", "web")
NOBODY = Caller("demo", "web", "web")


def shop(profile: str = "closed", **budget: Any) -> Registry:
    profiles = manifest().model_dump()["profiles"]
    profiles["closed"]["budget"] |= budget
    made = manifest(profiles=profiles)
    return registry_for(made, profile, tenant="demo", documents=5_000)


@pytest.mark.parametrize(
    ("subject", "actor", "anonymous"),
    [
        ("web", None, True),
        ("web@clients", None, True),
        ("ada", None, False),
        ("webmaster", None, False),
        ("web", {"sub": "bot"}, False),
    ],
)
def test_a_clients_own_token_is_known_by_its_subject(
    subject: str, actor: Any, *, anonymous: bool
) -> None:
    claims = {"tenant": "demo", "sub": subject, "client_id": "web", "act": actor}

    assert from_claims(claims).anonymous is anonymous


def test_a_token_without_a_subject_is_no_caller() -> None:
    with pytest.raises(Unauthenticated):
        from_claims({"tenant": "demo", "client_id": "web"})


@pytest.mark.parametrize("profile", ["closed", "trusted"])
def test_nobody_is_let_in_by_default(profile: str) -> None:
    with pytest.raises(Forbidden):
        admit_user(NOBODY, shop(profile))
    admit_user(ADA, shop(profile))


def test_an_uncapped_profile_lets_nobody_in_at_all() -> None:
    admit_user(NOBODY, shop(anonymous=50))
    with pytest.raises(Forbidden):
        admit_user(NOBODY, shop("trusted", anonymous=50))


def test_all_callers_without_a_user_are_one_pool_of_their_tenant() -> None:
    registry = shop(anonymous=50)
    others = [replace(NOBODY, subject="kiosk", client="kiosk")]
    others.append(replace(NOBODY, account="acme"))
    foreign = replace(NOBODY, tenant="second")

    pool = identity_of(NOBODY, registry)

    assert [pool] * 2 == [identity_of(other, registry) for other in others]
    assert pool.identity not in {
        identity_of(foreign, registry).identity,
        identity_of(ADA, registry).identity,
    }


def test_the_pools_day_is_the_manifests() -> None:
    registry = shop(anonymous=50)

    pool, ada = caps_of(registry, NOBODY), caps_of(registry, ADA)

    assert pool is not None
    assert (50, 500) == (pool.day, pool.month)
    assert ada == caps_of(registry)

"""What is published, as an administrator of the organisation reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.seed import manifest_of
from infra.local.stack import Response, Stack
from vitrine.registry.manifest import FACET_LIMITS
from vitrine.registry.widening import digest

MANIFESTS = "/v1/admin/manifests"
See = Callable[..., Response]


@pytest.fixture
def see(seeded: Stack, boss: str) -> See:
    """Read as an administrator, or with a token."""

    def seen(source: str = "", bearer: str = "") -> Response:
        path = f"{MANIFESTS}/{source}" if source else MANIFESTS
        return seeded.call("GET", path, None, bearer or boss)

    return seen


def test_every_source_is_listed_with_its_profiles(see: See) -> None:
    told = {one["source"]: one for one in see().json["sources"]}

    assert {"media", "persons", "events"} <= set(told)
    (profile,) = [p for p in told["media"]["profiles"] if p["profile"] == "trusted"]
    assert profile["documents"] > 0
    assert profile["version"] >= 1
    assert profile["by"] == "seed"
    assert profile["since"]


def test_a_source_tells_its_lists_budgets_and_caps(see: See) -> None:
    manifest = manifest_of("media")

    told = see("media").json

    for profile in told["profiles"]:
        granted = manifest.profiles[profile["profile"]]
        limit = FACET_LIMITS[profile["profile"]]
        assert (profile.get("budget") is None) is (granted.budget is None)
        assert ("caps" in profile) is ("budget" in profile)
        if granted.budget:
            floor = granted.budget.day.floor
            assert profile["caps"]["day"] >= floor
            assert tuple(profile["lists"]["output"]) == granted.output
        assert limit is None or len(profile["lists"]["facet"]) <= limit


def test_the_hash_is_that_of_what_was_published(see: See) -> None:
    """A source without a tenant's own fields says what its file says."""
    (told, *_) = see("events").json["profiles"]

    assert told["hash"] == digest(manifest_of("events"))


@pytest.mark.parametrize("source", ["media", "products", "persons"])
def test_what_no_profile_may_know_is_not_told(see: See, source: str) -> None:
    answer = see(source)
    manifest = manifest_of(source)

    named: set[str] = set()
    for profile in answer.json["profiles"]:
        named |= {key for keys in profile["lists"].values() for key in keys}
    hidden = {field.key for field in manifest.fields} - named
    hidden |= {field.column for field in manifest.fields if field.column} - named
    text = answer.body if isinstance(answer.body, str) else answer.body.decode()
    words = set(text.replace('"', " ").replace(",", " ").replace(":", " ").split())
    assert answer.status == 200
    assert not (hidden | {manifest.relation}) & words - {source}


@pytest.mark.parametrize("scope", ["", "media:read notes:write"])
def test_only_an_administrator_reads(
    see: See, token: Callable[..., str], scope: str
) -> None:
    reader = token(scope=scope)

    assert [see("", reader).status, see("media", reader).status] == [403, 403]


def test_an_unknown_source_and_anothers_are_one_miss(
    see: See, token: Callable[..., str]
) -> None:
    stranger = token(tenant="nowhere", user="chief", scope="admin")

    answers = [see("nothing"), see("media", stranger), see("%2e%2e")]

    assert [answer.status for answer in answers] == [404, 404, 404]
    assert see("", stranger).json == {"sources": []}


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE"])
def test_nothing_is_changed_this_way(seeded: Stack, boss: str, method: str) -> None:
    body: dict[str, Any] = {"dry_run": True}

    # The local gateway tells the methods that there are; AWS's tells no route.
    assert seeded.call(method, f"{MANIFESTS}/media", body, boss).status in {404, 405}

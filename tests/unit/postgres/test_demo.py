"""The demo's data and manifests: the same at each run, and as they are promised."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import islice

import pytest

from infra.local.demo import crm, media
from infra.local.folders import ROOT
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import registry_for


def manifest(source: str) -> Manifest:
    file = ROOT / "infra" / "sources" / f"{source}.json"
    return Manifest.model_validate_json(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", ["media", "persons", "events"])
def test_a_manifest_names_its_view(source: str) -> None:
    read = manifest(source)

    assert (source, f"vitrine.{source}") == (read.source, read.relation)
    assert {"en", "fr"} <= set(read.title)
    assert all({"en", "fr"} <= set(f.label) for f in read.fields)


@pytest.mark.parametrize("tenant", ["aurore", "boreal"])
def test_the_library_defines_48_fields_of_its_own(tenant: str) -> None:
    defined = media.definitions(tenant)
    whole = manifest("media").extended(defined)

    kinds = Counter((f.type.value, f.multi) for f in defined)
    expected = {
        ("text", False): 16,
        ("vocabulary", False): 8,
        ("vocabulary", True): 4,
        ("number", False): 10,
        ("date", False): 6,
        ("boolean", False): 4,
    }
    assert expected == kinds
    assert len(registry_for(whole, "trusted", tenant=tenant).filters) > 70
    assert all(f.place == f"meta:{f.key}" for f in defined)


def test_the_closed_profile_sees_no_definition() -> None:
    whole = manifest("media").extended(media.definitions("aurore"))
    closed = registry_for(whole, "closed", tenant="aurore")

    assert not {f.key for f in media.definitions("aurore")} & set(closed.fields)
    assert closed.budget is not None
    assert not {"internal_note", "licence_cost"} & set(closed.fields)


def test_the_library_is_the_same_each_time_and_ends_yesterday() -> None:
    first, again = (
        [(r["id"], r["title"]) for r in islice(media.records("aurore"), 50)]
        for _ in range(2)
    )
    newest = max(r["occurred_at"] for r in islice(media.records("aurore"), 500))

    assert first == again
    assert newest <= media.LAST
    assert media.last_day().isoformat() == "2026-11-29"
    assert media.SIZES["aurore"] >= 20_000


def test_tenants_share_no_id() -> None:
    ours = {r["id"] for r in islice(media.records("aurore"), 300)}
    theirs = {r["id"] for r in islice(media.records("boreal"), 300)}
    word = media.VOCABULARIES["light"][0]

    assert not ours & theirs
    assert media.term_id("aurore", "light", word) != media.term_id(
        "boreal", "light", word
    )


def test_each_organisation_called_its_marie_last_month() -> None:
    said = crm.MARIES

    assert {"aurore", "boreal"} == set(said)
    assert all(at.isoformat().startswith("2026-10") for at, _ in said.values())
    assert all("winter coats" in content for _, content in said.values())


@pytest.mark.parametrize(
    ("today", "month"),
    [("2026-11-30", "2026-10"), ("2026-12-01", "2026-11"), ("2027-01-31", "2026-12")],
)
def test_last_month_is_that_of_the_day_on_which_the_demo_runs(
    today: str, month: str
) -> None:
    for at, _ in crm.MARIES.values():
        moved = crm.month_before(date.fromisoformat(today), at)

        assert month == f"{moved:%Y-%m}"
        assert (at.day, at.timetz()) == (moved.day, moved.timetz())


@pytest.mark.parametrize(
    ("phrase", "reading"),
    [
        ("en paysage", "format"),
        ("landscape format", "format"),
        ("photos de paysages", "subject"),
    ],
)
def test_settled_phrases_have_a_reading(phrase: str, reading: str) -> None:
    (landscape,) = [a for a in manifest("media").ambiguous if a.term == "landscape"]

    assert reading == landscape.settled[phrase]

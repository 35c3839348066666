from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.unit.disclosure.shop import registry
from vitrine.problems import Conflict
from vitrine.registry.samples import Sample
from vitrine.store.listing import Listed, longest_unsampled, note_sampled
from vitrine.store.registry import load_registry, put_registry, put_samples

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, tzinfo=UTC)
NEWER = {"material": Sample(values=("oak",)), "width": Sample(low=1.0, high=90.0)}


def test_a_publish_lists_its_source_once(table: Table) -> None:
    for profile in ("closed", "trusted"):
        put_registry(table, registry(profile), now=NOW)
    put_registry(table, replace(registry(), tenant="second"), now=NOW)

    assert [Listed("demo", "shop"), Listed("second", "shop")] == longest_unsampled(
        table
    )


def test_who_waited_longest_comes_first(table: Table) -> None:
    for tenant in ("a", "b", "c"):
        put_registry(table, replace(registry(), tenant=tenant), now=NOW)
    note_sampled(table, "a", "shop", now=NOW + timedelta(hours=1))
    note_sampled(table, "c", "shop", now=NOW)
    put_registry(table, replace(registry(), tenant="a"), now=NOW)

    assert ["b", "c", "a"] == [one.tenant for one in longest_unsampled(table)]


def test_what_was_never_published_is_not_listed_by_looking(table: Table) -> None:
    note_sampled(table, "nobody", "shop", now=NOW)

    assert [] == longest_unsampled(table)


def test_newer_samples_are_a_new_version_and_the_same_ones_are_none(
    table: Table,
) -> None:
    first = put_registry(table, registry(), now=NOW)

    second = put_samples(table, first, NEWER, now=NOW)
    third = put_samples(table, second, dict(NEWER), now=NOW)

    assert [1, 2, 2] == [r.version for r in (first, second, third)]
    assert load_registry(table, "demo", "shop", "closed") == second
    assert NEWER["width"] == second.sample("width")


def test_samples_never_undo_a_publish_that_came_between(table: Table) -> None:
    seen = put_registry(table, registry(), now=NOW)
    put_registry(table, registry(site="https://new.example"), now=NOW)

    with pytest.raises(Conflict):
        put_samples(table, seen, NEWER, now=NOW)

    kept = load_registry(table, "demo", "shop", "closed")
    assert "https://new.example" == kept.manifest.site

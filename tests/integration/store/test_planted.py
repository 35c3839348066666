from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.integration.store.test_raises import Clock, who
from vitrine.disclosure.budgets import mark
from vitrine.store.kept import FRESH
from vitrine.store.planted import CHUNK, MOST, Canaries, Known, known_of, plant, tell

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)


def known(*documents: str, name: str | None = None) -> Known:
    return Known(name or who().company, documents)


def marks(*documents: str) -> frozenset[bytes]:
    return frozenset(map(mark, documents))


def test_canaries_are_counted_among_what_is_shown(table: Table) -> None:
    plant(table, "demo", "shop", ["c1", "c2"])
    canaries = Canaries(table, Clock())

    assert canaries.among("demo", "shop", ["a", "c1", "c2", "b"]) == 2
    assert canaries.among("demo", "spares", ["c1"]) == 0
    assert canaries.among("second", "shop", ["c1"]) == 0


def test_new_canaries_are_known_within_a_minute(table: Table) -> None:
    clock = Clock()
    canaries = Canaries(table, clock)
    plant(table, "demo", "shop", ["c1"])
    assert canaries.among("demo", "shop", ["c1"]) == 1

    plant(table, "demo", "shop", [])
    assert canaries.among("demo", "shop", ["c1"]) == 1
    clock.at = FRESH

    assert canaries.among("demo", "shop", ["c1"]) == 0


def test_an_account_and_a_user_know_what_is_theirs_and_no_more(table: Table) -> None:
    told = [known("a", "b"), known("c", name=who("bob").identity)]

    assert tell(table, "demo", "shop", told) == 2

    assert marks("a", "b") == known_of(table, who("ada"))
    assert marks("a", "b", "c") == known_of(table, who("bob"))
    assert known_of(table, who("ada", account="other")) == frozenset()
    assert known_of(table, who("ada", source="spares")) == frozenset()
    assert known_of(table, who("ada", tenant="second")) == frozenset()


def test_who_is_named_no_more_knows_nothing(table: Table) -> None:
    many = tuple(f"d{n}" for n in range(CHUNK + 1))
    tell(table, "demo", "shop", [known(*many), known("x", name="f" * 32)])

    tell(table, "demo", "shop", [known("d0")])

    assert marks("d0") == known_of(table, who())
    items = table.client.scan(TableName=table.name)["Items"]
    assert len(items) == 2
    assert "f" * 32 not in str(items)


def test_many_documents_are_a_few_items(table: Table) -> None:
    many = tuple(f"d{n}" for n in range(CHUNK + 1))

    tell(table, "demo", "shop", [known(*many)])

    assert marks(*many) == known_of(table, who())


def test_who_would_know_a_catalogue_is_refused_before_anything_is_written(
    table: Table,
) -> None:
    many = tuple(str(n) for n in range(MOST + 1))

    with pytest.raises(ValueError, match="at most 40,000"):
        tell(table, "demo", "shop", [known("a", name="0" * 32), known(*many)])

    assert table.client.scan(TableName=table.name)["Count"] == 0

"""The function behind the real runtime: what it refreshes, and what it never reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg import sql

from infra.local.runtime import FunctionError
from infra.local.seed import TENANTS
from infra.local.stack import Stack
from vitrine.registry.profiles import Registry
from vitrine.store.registry import load_registry
from vitrine.store.table import Table

PLACE = {"tenant": "boreal", "source": "media"}
ADDED = sql.SQL("""INSERT INTO library.assets
    (tenant, language, kind, status, title, photographer, width, occurred_at, owner,
     teams, is_public, internal_note, licence_cost)
    SELECT 'boreal', 'en', 'photo', 'approved', %s, %s, %s,
        '2031-01-01'::timestamptz + n * interval '1 minute', %s, %s, %s, 'a secret', 7
    FROM generate_series(1, 400) AS n""")
GONE = sql.SQL("DELETE FROM library.assets WHERE occurred_at >= '2031-01-01'")
OLD = sql.SQL("UPDATE directory.corpora SET learned_at = now() - interval '1 day'")
KNOWN = sql.SQL(
    "SELECT count(*) FROM directory.words WHERE tenant = 'boreal' AND source = 'media'"
    " AND word = 'zyglophone'"
)
# A row of everybody's, and rows that an owner or a team alone may see.
ROWS = (
    ("a zyglophone", "Zed Newcomer", 4_321, "sofia", [], True),
    ("a secret", "Olga Owned", 77_001, "olav", [], False),
    ("a secret", "Tim Teamed", 77_002, "sofia", ["press", "marketing"], False),
)


@pytest.fixture(scope="module", autouse=True)
def _added(seeded: Stack) -> Iterator[None]:
    """Add public and hidden rows, newer than any other, and take them out again."""
    with closing(psycopg.connect(seeded.dsn, autocommit=True)) as connection:
        for row in ROWS:
            connection.execute(ADDED, row)
        connection.execute(OLD)
        yield
        connection.execute(GONE)
    seeded.invoke("SampleValues", PLACE)


@pytest.fixture(scope="module")
def ticked(seeded: Stack, _added: None) -> dict[str, Any]:
    """One tick of the schedule."""
    told: dict[str, Any] = seeded.invoke("SampleValues")
    return told


def demo(ticked: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Give what became of the demo's sources; others may have come and gone."""
    return {
        (one["tenant"], one["source"]): one
        for one in ticked["sampled"]
        if one["tenant"] in TENANTS
    }


def kept(table: Table, profile: str) -> Registry:
    return load_registry(table, "boreal", "media", profile)


def test_a_tick_refreshes_every_source_of_every_tenant(ticked: dict[str, Any]) -> None:
    sources = ("products", "media", "persons", "events")

    assert {(t, s) for t in TENANTS for s in sources} <= set(demo(ticked))
    assert not [one for one in demo(ticked).values() if "failed" in one]


@pytest.mark.usefixtures("ticked")
def test_samples_know_new_values_and_extents(table: Table) -> None:
    trusted = kept(table, "trusted")

    assert "Zed Newcomer" in trusted.sample("photographer").values
    assert 3 <= len(trusted.sample("photographer").values) <= 25
    assert 4_321 <= float(trusted.sample("width").high or 0) < 77_000
    assert trusted.sample("tags").labels


@pytest.mark.usefixtures("ticked")
@pytest.mark.parametrize("hidden", ["Olga Owned", "Tim Teamed", "7700", "a secret"])
def test_t03_no_sample_holds_what_only_some_may_see(table: Table, hidden: str) -> None:
    """The profile is everybody's who has it; so are its samples."""
    said = [repr(kept(table, p).samples) for p in ("trusted", "closed")]

    assert not [one for one in said if hidden in one]


@pytest.mark.usefixtures("ticked")
def test_sensitive_and_closed_fields_are_never_sampled(table: Table) -> None:
    closed, trusted = kept(table, "closed"), kept(table, "trusted")

    assert not {"internal_note", "licence_cost"} & set(trusted.samples)
    assert set(closed.samples) <= set(closed.filters)
    assert "photographer" not in closed.samples


def test_words_are_learnt_where_the_last_lesson_is_old(
    seeded: Stack, ticked: dict[str, Any]
) -> None:
    learnt = {place: one["learnt"] for place, one in demo(ticked).items()}

    again = seeded.invoke("SampleValues", PLACE)

    assert (True, False) == (learnt["boreal", "media"], learnt["boreal", "products"])
    assert not again["learnt"]
    with psycopg.connect(seeded.dsn) as connection:
        assert (1,) == connection.execute(KNOWN).fetchone()


@pytest.mark.usefixtures("ticked")
def test_what_did_not_change_is_no_new_version(seeded: Stack, table: Table) -> None:
    seeded.invoke("SampleValues", PLACE)
    before = kept(table, "trusted").version

    told = seeded.invoke("SampleValues", PLACE)

    assert {**PLACE, "learnt": False, "changed": []} == told
    assert before == kept(table, "trusted").version


@pytest.mark.parametrize(
    "event",
    [
        {"tenant": "boreal"},
        {"tenant": "boreal", "source": "media", "drop": True},
        {"tenant": "nobody", "source": "media"},
    ],
)
def test_a_wrong_call_fails_loudly(seeded: Stack, event: dict[str, Any]) -> None:
    with pytest.raises(FunctionError, match=r"Invalid|Missing"):
        seeded.invoke("SampleValues", event)

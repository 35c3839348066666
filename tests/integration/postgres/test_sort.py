"""A chosen order on PostgreSQL: what a walk keeps, to the microsecond."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from tests import trees
from tests.fix_stack import Database
from tests.integration.postgres import things
from tests.integration.postgres.test_pages import fill
from tests.integration.postgres.test_text import thing_registry
from vitrine.language.folding import fold
from vitrine.postgres.search import Postgres
from vitrine.problems import Invalid
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Hits, Position, Query, Sort
from vitrine.tree.conditions import TRUE, Text

MOMENT = sql.SQL("""UPDATE vitrine.thing_rows AS t SET datetime_0 = CASE
    WHEN r.n % 5 = 0 THEN NULL
    ELSE timestamptz '2026-01-01' + (r.n / 3) * interval '1 microsecond' END
    FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM vitrine.thing_rows) AS r
    WHERE r.id = t.id""")
AMONG = sql.SQL("""INSERT INTO vitrine.thing_rows
    (tenant, id, hidden, occurred_at, title, meta, datetime_0) VALUES
    ('acme', gen_random_uuid(), FALSE, now(), 'calm', '{}', '2025-01-01'),
    ('acme', gen_random_uuid(), FALSE, now(), 'calm', '{}', '2027-01-01')""")
GONE = sql.SQL("DELETE FROM vitrine.thing_rows WHERE id = %s")


def field(kind: FieldType, place: str) -> Field:
    return Field(key=place.lower(), type=kind, label={"en": place}, column=place)


MADE = field(FieldType.DATETIME, "datetime_0")
TAKEN = field(FieldType.DATETIME, "occurred_at")
TITLE = Field(key="title", type=FieldType.TEXT, label={"en": "title"})


def query(sort: Sort, said: Text | None = None, limit: int = 7) -> Query:
    return things.query(thing_registry(), TRUE, said, limit=limit, sort=sort)


def pages(source: Postgres, asked: Query) -> Iterator[Hits]:
    after: Position | None = None
    while True:
        hits = source.search(
            things.query(
                asked.registry,
                TRUE,
                asked.text,
                limit=asked.limit,
                sort=asked.sort,
                after=after,
            )
        )
        yield hits
        after = hits.next
        if after is None:
            return


def moments(dsn: str) -> dict[str, object]:
    with psycopg.connect(dsn) as connection:
        rows = connection.execute("SELECT id::text, datetime_0 FROM vitrine.thing_rows")
        return dict(rows.fetchall())


@pytest.mark.parametrize("said", [None, Text("calm", "keyword_search")])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("limit", [1, 6, 41])
def test_a_walk_keeps_microseconds_ties_and_missing_values(
    source: Postgres,
    database: Database,
    said: Text | None,
    descending: bool,
    limit: int,
) -> None:
    """P02, P03: three rows share each microsecond; every fifth has no value."""
    fill(database.dsn, 41)
    with psycopg.connect(database.dsn) as connection:
        connection.execute(MOMENT)
    known = moments(database.dsn)
    asked = query(Sort(MADE, descending=descending), said, limit)

    seen = [row.id for hits in pages(source, asked) for row in hits.rows]

    there = [known[i] for i in seen if known[i] is not None]
    assert sorted(there, reverse=descending) == there  # type: ignore[type-var] # moments
    assert [None] * (41 - len(there)) == [known[i] for i in seen[len(there) :]]
    assert 41 == len(seen) == len(set(seen))


def test_writes_between_pages_neither_repeat_nor_skip(
    source: Postgres, database: Database
) -> None:
    fill(database.dsn, 40)
    with psycopg.connect(database.dsn) as connection:
        connection.execute(MOMENT)
    walk = pages(source, query(Sort(MADE), limit=10))
    first = next(walk)

    with psycopg.connect(database.dsn) as connection:
        connection.execute(GONE, [first.rows[-1].id])
        connection.execute(AMONG)
    rest = [row.id for hits in walk for row in hits.rows]

    # The row that came in behind the place is met, the one before it is not.
    assert 31 == len(rest) == len(set(rest))
    assert not {row.id for row in first.rows} & set(rest)


@pytest.mark.parametrize("descending", [False, True])
def test_an_order_reaches_all_rows_however_many(
    source: Postgres,
    database: Database,
    descending: bool,
) -> None:
    """Beyond the ten thousand that are counted, the first is still the first of all."""
    fill(database.dsn, 10_005)
    with psycopg.connect(database.dsn) as connection:
        connection.execute(MOMENT)
    known = [m for m in moments(database.dsn).values() if m is not None]

    hits = source.search(query(Sort(MADE, descending=descending), limit=1))

    best = max(known) if descending else min(known)  # type: ignore[type-var] # moments
    assert best == moments(database.dsn)[hits.rows[0].id]
    assert (10_000, False) == (hits.total, hits.exact)


@pytest.mark.parametrize("descending", [False, True])
def test_the_date_is_walked_along_its_index_both_ways(
    source: Postgres,
    database: Database,
    descending: bool,
) -> None:
    fill(database.dsn, 41)
    ends = [row.id for hits in pages(source, query(Sort(TAKEN))) for row in hits.rows]
    asked = query(Sort(TAKEN, descending=descending))

    seen = [row.id for hits in pages(source, asked) for row in hits.rows]

    assert (ends[::-1] if descending else ends) == seen
    assert 41 == len(set(seen))


def test_texts_are_ordered_as_they_are_folded(
    source: Postgres, database: Database
) -> None:
    titles = ["zèbre", "Écran", "ecole", "Œuf", "arbre", "", "Été", "a-b", "A b"]
    registry: Registry = trees.registry_of([])
    things.store(database.dsn, registry, [{"title": title} for title in titles])

    found = [
        row.values["title"]
        for hits in pages(source, query(Sort(TITLE), limit=2))
        for row in hits.rows
    ]

    assert [*sorted((t for t in titles if t), key=fold), ""] == found


def test_meaning_takes_no_part_in_a_chosen_order(
    source: Postgres, database: Database
) -> None:
    fill(database.dsn, 3)

    hits = source.search(query(Sort(MADE), Text("calm", "hybrid_search")))

    assert "keyword_only" in hits.notes
    assert 3 == len(hits.rows)


@pytest.mark.parametrize("value", ["", "=", "=1", "2026-01-01", "='; DROP TABLE x"])
def test_a_place_of_another_order_is_refused(
    source: Postgres, database: Database, value: str
) -> None:
    fill(database.dsn, 20)
    with psycopg.connect(database.dsn) as connection:
        connection.execute(MOMENT)
    asked = query(Sort(MADE))
    *place, _ = source.search(asked).next or ()

    with pytest.raises(Invalid, match="cursor"):
        source.search(
            things.query(
                asked.registry, TRUE, sort=asked.sort, after=(*place, value), limit=7
            )
        )

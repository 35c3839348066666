"""Pages: complete, finite, stable under writes; totals and facets that agree."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from tests.fix_stack import Database
from tests.integration.postgres import things
from tests.integration.postgres.asking import asked, text
from tests.integration.postgres.test_text import CLEAR, thing_registry
from vitrine.postgres.search import Postgres
from vitrine.problems import Invalid
from vitrine.search.engine import Position, Row
from vitrine.tree.conditions import TRUE, Any, Condition, Text

MANY = sql.SQL("""INSERT INTO vitrine.thing_rows
    (tenant, id, hidden, occurred_at, title, meta)
    SELECT 'acme', gen_random_uuid(), FALSE,
        timestamptz '2026-01-01' + (n / 4) * interval '1 microsecond',
        'calm ' || n, '{}' FROM generate_series(1, %s) AS n""")


def fill(dsn: str, rows: int) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(CLEAR)
        connection.execute(MANY, [rows])


def walk(source: Postgres, said: Text | None, limit: int) -> Iterator[list[Row]]:
    after: Position | None = None
    registry = thing_registry()
    while True:
        hits = source.search(
            things.query(registry, TRUE, said, limit=limit, after=after)
        )
        yield list(hits.rows)
        after = hits.next
        if after is None:
            return


@pytest.mark.parametrize("said", [None, Text("calm")])
@pytest.mark.parametrize("limit", [1, 7, 40, 41])
def test_a_walk_over_tied_microseconds_is_complete_and_finite(
    source: Postgres, database: Database, said: Text | None, limit: int
) -> None:
    """P02, P03: four rows share each microsecond, and pages end among them."""
    fill(database.dsn, 41)

    seen = [row.id for page in walk(source, said, limit) for row in page]

    assert 41 == len(seen) == len(set(seen))


@pytest.mark.parametrize("said", [None, Text("calm", "keyword_search")])
def test_writes_between_pages_neither_repeat_nor_skip(
    source: Postgres, database: Database, said: Text | None
) -> None:
    """P01, P02: a row that a page ended with goes, others come before and after."""
    fill(database.dsn, 40)
    pages = walk(source, said, 10)
    first = next(pages)

    with psycopg.connect(database.dsn) as connection:
        connection.execute(
            "DELETE FROM vitrine.thing_rows WHERE id = %s", [first[-1].id]
        )
        connection.execute(
            "INSERT INTO vitrine.thing_rows (tenant, id, hidden, occurred_at, title,"
            " meta) VALUES ('acme', gen_random_uuid(), FALSE, now(), 'calm new', '{}'),"
            " ('acme', gen_random_uuid(), FALSE, '2001-01-01', 'calm old', '{}')"
        )
    seen = [row.id for page in pages for row in page]

    assert 31 == len(seen) == len(set(seen))
    assert not {row.id for row in first} & set(seen)


def test_a_page_of_the_exact_size_ends_the_walk(
    source: Postgres, database: Database
) -> None:
    fill(database.dsn, 20)

    assert [len(page) for page in walk(source, None, 10)] == [10, 10]


def test_a_total_above_the_cap_is_a_lower_bound(
    source: Postgres, database: Database
) -> None:
    fill(database.dsn, 10_001)
    registry = thing_registry()

    hits = source.search(things.query(registry, TRUE, limit=1))
    ranked = source.search(things.query(registry, TRUE, Text("calm"), limit=1))

    assert (hits.total, hits.exact) == (10_000, False)
    assert (ranked.total, ranked.exact) == (10_000, False)
    assert "ranking_partial" in ranked.notes


def test_no_rows_are_read_for_a_limit_of_nothing(
    source: Postgres, database: Database
) -> None:
    fill(database.dsn, 20)

    hits = source.search(things.query(thing_registry(), TRUE, limit=0))

    assert (hits.total, hits.rows, hits.next) == (20, (), None)


@pytest.mark.parametrize(
    "position",
    [
        (),
        ("2026-01-01", "x"),
        ("2026-01-01T00:00:00.000000Z", "x", 1, 0.0, "strict", ""),
        ("now", "00000000-0000-0000-0000-000000000000", 1, 0.0, "strict", ""),
        (
            "2026-01-01T00:00:00.000000Z",
            "00000000-0000-0000-0000-000000000000",
            1,
            0.0,
            "any",
            "",
        ),
    ],
)
def test_a_strange_position_is_one_typed_error(
    source: Postgres, position: Position
) -> None:
    with pytest.raises(Invalid, match="cursor"):
        source.search(things.query(thing_registry(), TRUE, after=position))


@pytest.mark.parametrize("rules", [(), (text("calme"),)])
def test_facets_agree_with_the_total_and_with_the_filter(
    searched: Postgres, rules: tuple[tuple[str, str, str], ...]
) -> None:
    """K01, K02: no value twice, none above the total, each as its filter counts."""
    keys = ("kind", "orientation", "tags", "light", "has_people", "materials")
    hits = searched.search(asked("media", *rules, facets=keys, limit=0))
    assert hits.facets is not None

    assert keys == tuple(hits.facets)
    for values in hits.facets.values():
        assert len(values) == len({value for value, _ in values})
        assert all(0 < number <= hits.total for _, number in values)
    for kind, number in hits.facets["kind"]:
        chosen = searched.search(
            asked("media", *rules, ("kind", "in", [kind]), limit=0)
        )
        assert number == chosen.total


def test_facets_only_shrink_when_a_filter_is_added(searched: Postgres) -> None:
    """K03."""
    whole = searched.search(asked("media", facets=("tags",), limit=0))
    less = searched.search(
        asked("media", ("kind", "in", ["photo"]), facets=("tags",), limit=0)
    )
    assert whole.facets is not None
    assert less.facets is not None
    before = dict(whole.facets["tags"])

    assert all(number <= before[tag] for tag, number in less.facets["tags"])


def test_conditions_are_counted_alone_in_one_statement(searched: Postgres) -> None:
    query = asked("media")
    rules = [("kind", "in", ["photo"]), ("orientation", "equals", "portrait"), None]
    conditions: list[Condition] = [
        asked("media", rule).condition if rule else Any() for rule in rules
    ]

    counts = searched.count(query, conditions)

    assert counts[2].number == 0
    for rule, count in zip(rules[:2], counts[:2], strict=True):
        total = searched.search(asked("media", rule, limit=0)).total  # type: ignore[arg-type] # not None
        assert min(total, 1_000) == count.number
        assert count.exact == (total <= 1_000)


def test_known_rows_are_fetched_in_the_order_asked(searched: Postgres) -> None:
    query = asked("media", limit=5)
    rows = searched.search(query).rows
    ids = [row.id for row in rows]

    fetched = searched.fetch(query, ["nonsense", *reversed(ids), ids[0].upper()])

    assert [*reversed(ids), ids[0]] == [row.id for row in fetched]
    assert {r.id: r.values for r in rows} == {r.id: r.values for r in fetched}

"""Hybrid search: words and meaning in one statement, and what is told without it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.fix_stack import Database
from tests.integration.postgres import things
from tests.integration.postgres.test_text import CLEAR, thing_registry, titles
from vitrine.models.embed import Configured, Switched
from vitrine.postgres.hybrid import LISTED, NEAR, Meaning
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.postgres.statement import search
from vitrine.problems import Unavailable
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Hits, Position, Query
from vitrine.tree.conditions import TRUE, All, Condition, Contains, Text

AXES = {"sea": (1, 0, 0), "ocean": (0.95, 0.3, 0), "lamp": (0, 1, 0), "oak": (0, 0, 1)}
"""What the words of these tests mean; a text means the sum of its words."""
VECTORS = sql.SQL("""
CREATE TABLE vitrine.thing_vectors
    (tenant text, id uuid PRIMARY KEY, embedding public.halfvec(3));
CREATE INDEX ON vitrine.thing_vectors
    USING hnsw (embedding public.halfvec_cosine_ops);
CREATE VIEW vitrine.things_vectors AS
    SELECT e.id, e.embedding FROM vitrine.thing_vectors AS e
    WHERE e.tenant = (SELECT vitrine.tenant());
GRANT SELECT ON vitrine.things_vectors TO vitrine_service""")
FORGET = sql.SQL("TRUNCATE vitrine.thing_vectors")
ROW = sql.SQL("""INSERT INTO vitrine.thing_rows
    (tenant, id, hidden, occurred_at, title, meta)
    VALUES ('acme', gen_random_uuid(), %s, %s, %s, '{}') RETURNING id""")
VECTOR = sql.SQL("INSERT INTO vitrine.thing_vectors VALUES ('acme', %s, %s)")
MANY = sql.SQL("""WITH made AS (
    INSERT INTO vitrine.thing_rows (tenant, id, hidden, occurred_at, title, meta)
    SELECT 'acme', gen_random_uuid(), FALSE, timestamptz '2026-01-01'
        + n * interval '1 second', CASE WHEN n > 9000 THEN 'x ' ELSE 'y ' END || n, '{}'
    FROM generate_series(1, %s) AS n RETURNING id, title
) INSERT INTO vitrine.thing_vectors SELECT 'acme', m.id, format('[%%s,%%s,%%s]',
    random() - 0.5, random() - 0.5, random() - 0.5)::public.halfvec FROM made AS m""")
NEAREST = sql.SQL("""SELECT e.id::text FROM vitrine.thing_vectors AS e
    ORDER BY (e.embedding OPERATOR(public.<=>) '[0.95,0.3,0]') + 0 LIMIT 100""")


@dataclass(frozen=True, slots=True)
class Axes:
    """An embedder of a handful of words."""

    name: str = "axes"
    weight: float = 0.5
    reach: float = 0.2
    dead: bool = False

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Sum the words' axes."""
        if self.dead:
            raise Unavailable("The embedder is away.")
        return [vector(text) for text in texts]


def vector(text: str) -> list[float]:
    words = [AXES.get(word, (0.1, 0.1, 0.1)) for word in text.split()]
    return [sum(axis) for axis in zip(*words, strict=True)]


@pytest.fixture(scope="module")
def meant(source: Postgres, database: Database) -> Iterator[Postgres]:
    """The engine with an embedder, over a source that has vectors."""
    assert source
    with psycopg.connect(database.dsn) as connection:
        connection.execute(VECTORS)
    engine = Postgres(connector(database.service_dsn), Axes())
    yield engine
    engine.close()


def registry() -> Registry:
    return thing_registry(vectors="axes")


def put(dsn: str, titles: Sequence[str], hidden: Sequence[str] = ()) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(CLEAR)
        connection.execute(FORGET)
        for number, title in enumerate([*titles, *hidden]):
            at = f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}Z"
            row = connection.execute(ROW, [title in hidden, at, title]).fetchone()
            connection.execute(VECTOR, [*(row or ()), json.dumps(vector(title))])


def ask(source: Postgres, said: str, **more: Any) -> Hits:
    method = more.pop("method", "hybrid_search")
    asked: dict[str, Any] = {"registry": registry(), "condition": TRUE} | more
    return source.search(things.query(text=Text(said, method), **asked))


def test_meaning_finds_what_words_do_not(meant: Postgres, database: Database) -> None:
    put(database.dsn, ["lamp", "ocean", "sea"])

    hits = ask(meant, "sea")

    assert ("strict", 2, True, ()) == (hits.mode, hits.total, hits.exact, hits.notes)
    modes = [(row.values["title"], row.mode) for row in hits.rows]
    assert modes == [("sea", "strict"), ("ocean", "semantic")]


def test_words_that_nothing_has_are_met_by_meaning(
    meant: Postgres, database: Database
) -> None:
    put(database.dsn, ["lamp", "ocean"])

    hits = ask(meant, "sea")

    assert ("semantic", ["ocean"]) == (hits.mode, titles(hits))


def test_a_semantic_search_asks_for_no_word(
    meant: Postgres, database: Database
) -> None:
    put(database.dsn, ["sea lamp oak", "ocean", "lamp"])

    hits = ask(meant, "sea", method="semantic_search")

    assert ("semantic", ["ocean"]) == (hits.mode, titles(hits))


def test_with_the_kill_switch_on_words_run_and_the_report_says_so(
    meant: Postgres, database: Database
) -> None:
    """And a walk that began with meaning is not gone on with as another list."""
    assert meant
    put(database.dsn, ["sea", "ocean", "ocean sea"])
    off = [False]
    engine = Postgres(
        connector(database.service_dsn),
        Configured(lambda: Switched(Axes(), lambda: off[0])),
    )
    first = ask(engine, "sea", limit=1)

    off[0] = True
    again = ask(engine, "sea")
    with pytest.raises(Unavailable):
        ask(engine, "sea", limit=1, after=first.next)
    engine.close()

    assert ((), ("keyword_only",)) == (first.notes, again.notes)
    assert {"strict"} == {row.mode for row in again.rows}


def test_a_walk_with_meaning_ends_where_its_embedder_is_gone(
    meant: Postgres, database: Database
) -> None:
    put(database.dsn, ["sea", "ocean", "ocean sea"])
    first = ask(meant, "sea", limit=1)
    without = Postgres(connector(database.service_dsn), None)

    with pytest.raises(Unavailable):
        ask(without, "sea", limit=1, after=first.next)
    without.close()


@pytest.mark.parametrize("method", ["hybrid_search", "semantic_search"])
@pytest.mark.parametrize(
    ("embedder", "vectors"),
    [
        (None, "axes"),
        (Axes(), None),
        (Axes(), "another"),
        (Axes(dead=True), "axes"),
    ],
)
def test_without_vectors_keywords_run_and_that_is_told(
    meant: Postgres,
    database: Database,
    method: str,
    embedder: Axes | None,
    vectors: str | None,
) -> None:
    assert meant
    put(database.dsn, ["ocean", "sea"])
    engine = Postgres(connector(database.service_dsn), embedder)

    hits = ask(engine, "sea", method=method, registry=thing_registry(vectors=vectors))
    engine.close()

    assert (["sea"], ("keyword_only",)) == (titles(hits), hits.notes)


def test_a_keyword_search_needs_no_meaning(meant: Postgres, database: Database) -> None:
    put(database.dsn, ["ocean", "sea"])

    hits = ask(meant, "sea", method="keyword_search")

    assert (["sea"], ()) == (titles(hits), hits.notes)


def test_hidden_rows_are_not_near(meant: Postgres, database: Database) -> None:
    put(database.dsn, ["lamp", "ocean"], hidden=["sea", "sea ocean"])

    assert ["ocean"] == titles(ask(meant, "sea"))


def test_what_is_denied_is_not_meant(meant: Postgres, database: Database) -> None:
    put(database.dsn, ["sea", "ocean", "sea ocean"])

    assert ["sea"] == titles(ask(meant, "sea -ocean"))


@pytest.mark.parametrize("said", ["", "the of", "-sea", "- -"])
def test_a_text_without_a_word_means_nothing(
    meant: Postgres, database: Database, said: str
) -> None:
    put(database.dsn, ["sea"])

    hits = ask(meant, said)

    assert (0, True) == (hits.total, "keyword_only" in hits.notes)


def test_a_filter_adds_nothing_to_what_is_near(
    meant: Postgres, database: Database
) -> None:
    """S02: nearness is a row's own, and no place among others."""
    rng = Random(5)
    put(database.dsn, [" ".join(rng.choices([*AXES, "x"], k=3)) for _ in range(60)])
    field = registry().filters["title"]

    for said in ("sea", "ocean lamp", "oak sea"):
        whole = {row.id for row in ask(meant, said).rows}
        for word in AXES:
            narrow: Condition = All((Contains(field, word),))
            less = {row.id for row in ask(meant, said, condition=narrow).rows}
            assert less <= whole


def walk(source: Postgres, said: str, limit: int) -> Any:
    after: Position | None = None
    while True:
        hits = ask(source, said, limit=limit, after=after)
        yield hits
        after = hits.next
        if after is None:
            return


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_a_walk_is_complete_and_repeats_nothing(
    meant: Postgres, database: Database, limit: int
) -> None:
    """P01: places of two orders are no key, so that a cursor names what was shown."""
    put(
        database.dsn, ["sea", "ocean", "sea lamp", "sea sea ocean", *["ocean sea"] * 17]
    )

    seen = [row.id for hits in walk(meant, "sea", limit) for row in hits.rows]

    assert len(seen) == len(set(seen)) == ask(meant, "sea").total


def test_writes_between_pages_neither_repeat_nor_skip(
    meant: Postgres, database: Database
) -> None:
    put(database.dsn, [f"sea {word}" for word in ("ocean", "x", "y", "lamp") * 8])
    pages = walk(meant, "sea", 5)
    first = next(pages)
    before = {row.id for row in ask(meant, "sea", limit=100).rows}

    with psycopg.connect(database.dsn) as connection:
        for title in ("sea", "sea sea", "sea ocean sea"):
            at = "2027-01-01T00:00:00Z"
            row = connection.execute(ROW, [False, at, title]).fetchone()
            connection.execute(VECTOR, [*(row or ()), json.dumps(vector(title))])
        connection.execute(
            "DELETE FROM vitrine.thing_rows WHERE id = %s", [first.rows[-1].id]
        )
    seen = [row.id for hits in pages for row in hits.rows]

    assert len(seen) == len(set(seen))
    assert not {row.id for row in first.rows} & set(seen)
    assert before <= {row.id for row in first.rows} | set(seen)


def test_a_walk_that_began_with_meaning_does_not_go_on_without(
    meant: Postgres, database: Database
) -> None:
    put(database.dsn, ["sea", "sea ocean", "ocean"])
    after = ask(meant, "sea", limit=1).next
    lame = Postgres(connector(database.service_dsn), Axes(dead=True))

    with pytest.raises(Unavailable, match="away"):
        ask(lame, "sea", limit=1, after=after)
    lame.close()


def test_a_walk_that_began_without_meaning_goes_on_so(
    meant: Postgres, database: Database
) -> None:
    put(database.dsn, ["sea", "sea ocean", "ocean"])
    lame = Postgres(connector(database.service_dsn), Axes(dead=True))
    first = ask(lame, "sea", limit=1)
    lame.close()

    second = ask(meant, "sea", limit=5, after=first.next)

    assert {"sea", "sea ocean"} == {*titles(first), *titles(second)}


def test_a_long_fused_list_says_where_it_ends(
    meant: Postgres, database: Database
) -> None:
    put(database.dsn, ["sea lamp"] * (LISTED + 5))

    pages = list(walk(meant, "sea", 100))

    assert LISTED == sum(len(hits.rows) for hits in pages)
    assert LISTED + 5 == pages[0].total
    assert all("ranking_partial" in hits.notes for hits in pages)


def executed(database: Database, query: Query) -> dict[str, bool]:
    """Tell which of the two ways of finding what is near was taken."""
    made = search(query, None, Meaning([1, 0, 0], 0.5, 0.2))
    explain = sql.SQL("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ") + made.text
    with psycopg.connect(database.service_dsn) as connection:
        connection.execute(
            "SELECT set_config('app.caller', %s::text, true)",
            ['{"tenant": "acme", "subject": "ann"}'],
        )
        row = connection.execute(explain, made.values).fetchone()
    found: dict[str, bool] = {}

    def visit(node: dict[str, Any]) -> None:
        name = node.get("Subplan Name", "").removeprefix("CTE ")
        if name in ("measured", "walked"):
            found[name] = any(scanned(node))
        for child in node.get("Plans", ()):
            visit(child)

    def scanned(node: dict[str, Any]) -> Any:
        if "thing_vectors" in str(node.get("Relation Name", "")):
            yield node["Actual Loops"] > 0
        for child in node.get("Plans", ()):
            yield from scanned(child)

    visit((row or ())[0][0]["Plan"])
    return found


def test_distances_are_exact_below_ten_thousand_rows_and_walked_above(
    meant: Postgres, database: Database
) -> None:
    with psycopg.connect(database.dsn) as connection:
        connection.execute(CLEAR)
        connection.execute(FORGET)
        connection.execute(MANY, [10_050])
    with psycopg.connect(database.dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE vitrine.thing_rows")
        connection.execute("VACUUM ANALYZE vitrine.thing_vectors")
    said = Text("ocean", "hybrid_search")
    whole = things.query(registry(), TRUE, said)
    title = registry().filters["title"]
    few = things.query(registry(), Contains(title, "x", at_start=True), said)
    with psycopg.connect(database.dsn) as connection:
        nearest = {row[0] for row in connection.execute(NEAREST)}

    found, narrow = meant.search(whole), meant.search(few)

    assert {"measured": False, "walked": True} == executed(database, whole)
    assert {"measured": True, "walked": False} == executed(database, few)
    assert (NEAR, False) == (found.total, found.exact)
    assert narrow.total > 0
    assert len(nearest & {row.id for row in found.rows}) > 90

"""What is hidden costs what is absent: the same work, but for a look at each row.

A row of another tenant is behind the index's own condition, so that it costs nothing
at all. A hidden row of the caller's tenant is looked at and left out where it is found;
nothing runs for it after that, and nothing runs instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from tests.fix_stack import Database
from tests.integration.postgres import things
from tests.integration.postgres.plans import gave, looked, ran
from tests.integration.postgres.test_text import CLEAR, teach, thing_registry
from vitrine.postgres import count, fetch
from vitrine.postgres.search import Postgres
from vitrine.postgres.statement import Statement, search
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.conditions import TRUE, Condition, Member, Text

VISIBLE, BEHIND = 5_000, 300
STYLE = Field(
    key="style", type=FieldType.KEYWORD, label={"en": "style"}, column="meta:style"
)
ROWS = sql.SQL("""INSERT INTO vitrine.thing_rows
    (tenant, id, hidden, occurred_at, title, meta)
    SELECT {tenant}, ({mark} || to_char(n, 'FM00000000'))::uuid, {hidden},
        timestamptz '2026-01-01' + n * interval '1 minute', {word} || ' ' || n,
        jsonb_build_object('style', {word}::text)
    FROM generate_series(1, {number}) AS n""")
MARKS = {
    "calm": "00000000-0000-4000-8000-0000",
    "veiled": "11111111-1111-4111-8111-1111",
    "foreign": "22222222-2222-4222-8222-2222",
    "absent": "33333333-3333-4333-8333-3333",
}


@pytest.fixture(scope="module")
def kept(source: Postgres, database: Database) -> Iterator[Database]:
    """Five thousand rows that are seen, and three hundred of each other kind."""
    assert source
    with psycopg.connect(database.dsn) as connection:
        connection.execute(CLEAR)
        connection.execute(rows("calm", VISIBLE))
        connection.execute(rows("veiled", BEHIND, hidden=True))
        connection.execute(rows("foreign", BEHIND, tenant="other"))
    with psycopg.connect(database.dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE) vitrine.thing_rows")
    teach(database.dsn, ["calm", "veiled"])
    return database


def rows(
    word: str, number: int, *, tenant: str = "acme", hidden: bool = False
) -> sql.Composed:
    return ROWS.format(
        tenant=sql.Literal(tenant),
        mark=sql.Literal(MARKS[word]),
        hidden=sql.Literal(hidden),
        word=sql.Literal(word),
        number=sql.Literal(number),
    )


def by_words(word: str, *, scoped: bool = False) -> Statement:
    asked = Text(word, "keyword_search")
    return search(things.query(thing_registry(scoped=scoped), TRUE, asked), None)


def by_value(word: str) -> Statement:
    return search(things.query(thing_registry(), value(word)), None)


def by_count(word: str) -> Statement:
    query = things.query(thing_registry(), TRUE)
    return count.counts(query, [Text(word), value(word)])


def by_id(word: str) -> Statement:
    query = things.query(thing_registry(), TRUE)
    return fetch.fetched(query, [f"{MARKS[word]}{1:08d}"])


def value(word: str) -> Condition:
    return Member(STYLE, (word,))


WAYS = {"words": by_words, "value": by_value, "count": by_count, "id": by_id}
STEPS = {"words": 3, "value": 1, "count": 2}
"""How often a way asks: a text by each rung of the ladder."""


@pytest.mark.parametrize("way", WAYS)
def test_what_another_tenant_has_costs_what_nobody_has(
    kept: Database, way: str
) -> None:
    foreign, absent = (
        ran(kept.service_dsn, things.ACME, WAYS[way](word))
        for word in ("foreign", "absent")
    )

    assert gave(absent) == gave(foreign)
    assert looked(absent) == looked(foreign)


@pytest.mark.parametrize("way", WAYS)
def test_a_hidden_row_costs_one_look_where_it_is_found(
    kept: Database, way: str
) -> None:
    hidden, absent = (
        ran(kept.service_dsn, things.ACME, WAYS[way](word))
        for word in ("veiled", "absent")
    )
    looks = 1 if way == "id" else STEPS[way] * BEHIND

    assert gave(absent) == gave(hidden)
    assert 1 <= looked(hidden) - looked(absent) <= looks


SCOPED = {
    "one": "{}",
    "two": "{0} {0}{0}",
    "denied": "{} -calm",
    "beginning": "{}abc",
    "or": "{0} or {0}{0}",
}


@pytest.mark.parametrize("said", SCOPED.values(), ids=SCOPED.keys())
def test_a_hidden_word_costs_what_nobody_has_where_the_index_knows_whom_rows_are_for(
    kept: Database, said: str
) -> None:
    """Not even a look: what is entered at the caller's marks meets no hidden row."""
    hidden, foreign, absent = (
        ran(kept.service_dsn, things.ACME, by_words(said.format(w), scoped=True))
        for w in ("veiled", "foreign", "absent")
    )

    assert gave(absent) == gave(hidden) == gave(foreign)
    assert looked(absent) == looked(hidden) == looked(foreign)


def test_a_hidden_word_is_counted_without_a_look(kept: Database) -> None:
    query = things.query(thing_registry(scoped=True), TRUE)
    hidden, absent = (
        ran(kept.service_dsn, things.ACME, count.counts(query, [Text(word)]))
        for word in ("veiled", "absent")
    )

    assert looked(absent) == looked(hidden) == 0


def test_a_visible_row_is_told_apart(kept: Database) -> None:
    """What the others rely on: a row that goes on is counted."""
    seen, absent = (
        ran(kept.service_dsn, things.ACME, by_id(word)) for word in ("calm", "absent")
    )

    assert gave(seen)["thing_rows"] == gave(absent)["thing_rows"] + 1

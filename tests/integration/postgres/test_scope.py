"""What is hidden is absent: for pages, totals, facets, labels, counts and errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any as Anything

import psycopg
import pytest
from psycopg import sql

from infra.local.demo.media import CONFIDENTIAL
from tests.fix_stack import Database
from tests.integration.postgres.asking import asked, text
from tests.integration.postgres.test_text import ask, put, teach
from vitrine.postgres.count import CAP
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.postgres.statement import search
from vitrine.problems import Unavailable
from vitrine.search.engine import Query, Wanted
from vitrine.tree.conditions import (
    TRUE,
    All,
    Any,
    Condition,
    Member,
    Not,
    Present,
    Text,
)

TABLES = {
    "media": ("library", "assets"),
    "persons": ("crm", "contacts"),
    "events": ("crm", "events"),
}
ALL_VIEWS = sql.SQL("""
    SELECT n.nspname, c.relname FROM pg_class AS c JOIN pg_namespace AS n
    ON n.oid = c.relnamespace WHERE n.nspname = 'vitrine' AND c.relkind = 'v'
    ORDER BY 2""")


def views(database: Database) -> list[sql.Identifier]:
    with psycopg.connect(database.dsn) as connection:
        return [sql.Identifier(*row) for row in connection.execute(ALL_VIEWS)]


def test_an_unset_caller_raises_on_every_view(demo: Database) -> None:
    assert len(views(demo)) >= 12

    for view in views(demo):
        with psycopg.connect(demo.service_dsn) as connection:
            asked = sql.SQL("SELECT count(*) FROM {}").format(view)
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="caller"):
                connection.execute(asked)


@pytest.mark.parametrize("said", ["", "x", "{}", '{"tenant": "aurore"}', "[]", "null"])
def test_half_a_caller_raises(demo: Database, said: str) -> None:
    with psycopg.connect(demo.service_dsn) as connection:
        connection.execute("SELECT set_config('app.caller', %s::text, true)", [said])
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="caller"):
            connection.execute("SELECT count(*) FROM vitrine.media")


@pytest.mark.parametrize(
    "order",
    [
        "SELECT * FROM library.assets",
        "SELECT * FROM crm.contacts",
        "SELECT * FROM crm.visible_contacts",
        "SELECT * FROM directory.members",
        "INSERT INTO vitrine.media (title) VALUES ('x')",
        "DELETE FROM vitrine.persons",
        "CREATE TABLE public.x (a int)",
        "CREATE TEMP TABLE x (a int)",
        "CREATE FUNCTION vitrine.x() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "SELECT vitrine.caller('tenant')",
        "SELECT directory.harden()",
    ],
)
def test_the_service_reads_views_and_nothing_else(demo: Database, order: str) -> None:
    with (
        psycopg.connect(demo.service_dsn) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(order.encode())


def test_every_definer_function_pins_its_search_path(demo: Database) -> None:
    """And nobody but the service may call one."""
    found = """SELECT p.proname, p.proconfig::text,
            has_function_privilege('public', p.oid, 'execute')
        FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
        WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema')"""
    with psycopg.connect(demo.dsn) as connection:
        definers = connection.execute(found).fetchall()

    assert {row[0] for row in definers} >= {"caller", "tenant", "subject", "teams"}
    assert {row[1] for row in definers} == {'{"search_path=pg_catalog, pg_temp"}'}
    assert not [name for name, _, public in definers if public]


def everything(engine: Postgres, query: Query) -> list[dict[str, Anything]]:
    rows, after = [], None
    while True:
        hits = engine.search(
            Query(query.caller, query.registry, TRUE, limit=200, after=after)
        )
        rows += [dict(row.values) | {"id": row.id} for row in hits.rows]
        after = hits.next
        if after is None:
            return rows


def allowed(database: Database, table: tuple[str, str], who: Query) -> set[str]:
    """Compute the access rule once more, in plain Python, row by row."""
    rows = sql.SQL("SELECT id::text, tenant, is_public, owner, teams FROM {}")
    members = "SELECT team FROM directory.members WHERE tenant = %s AND subject = %s"
    tenant, subject = who.caller.tenant, who.caller.subject
    with psycopg.connect(database.dsn) as connection:
        stored = connection.execute(rows.format(sql.Identifier(*table))).fetchall()
        teams = {row[0] for row in connection.execute(members, [tenant, subject])}
    return {
        key
        for key, owned_by, is_public, owner, shared in stored
        if owned_by == tenant and (is_public or owner == subject or teams & set(shared))
    }


@pytest.mark.parametrize(
    "who", [("aurore", "camille"), ("aurore", "stranger"), ("boreal", "sofia")]
)
@pytest.mark.parametrize("source_name", TABLES)
def test_a_walk_finds_what_the_access_rule_allows(
    searched: Postgres, demo: Database, source_name: str, who: tuple[str, str]
) -> None:
    """T03."""
    query = asked(source_name, tenant=who[0], subject=who[1])
    expected = allowed(demo, TABLES[source_name], query)

    found = everything(searched, query)

    assert expected == {row["id"] for row in found}
    assert len(found) == len(expected) > 0


def ways(engine: Postgres, who: Query, ids: list[str]) -> dict[str, Anything]:
    """Ask in every way for hidden rows, foreign rows and a confidential label."""
    samples = engine.sample(who.caller, who.registry.manifest)
    asked_for = replace(who, text=Text("Boreas"), mode="strict", facets=("tags",))
    hits = engine.search(asked_for)
    labels = [CONFIDENTIAL.fr, CONFIDENTIAL.fr[:6]]
    whole, part = engine.look_up(who, [Wanted("brand", said) for said in labels])
    return {
        "search": hits.rows,
        "facets": (hits.facets or {})["tags"],
        "fetch": engine.fetch(who, ids),
        "count": [c for c in engine.count(who, [Text("Boreas")]) if c.number],
        "look_up": (*whole.ids, *part.ids),
        "nearest": [n for n in (*whole.nearest, *part.nearest) if "Bor" in n],
        "sample": [brand for brand in samples["brand"].labels if "Bor" in brand],
    }


def test_every_method_answers_within_the_scope(searched: Postgres) -> None:
    """T03: one hidden row and one foreign row, asked for in every way."""
    insider, stranger = asked("media", subject="nora"), asked("media", subject="x")
    hidden = {row["id"] for row in everything(searched, insider)}
    hidden -= {row["id"] for row in everything(searched, stranger)}
    foreign = everything(searched, asked("media", tenant="boreal"))[0]["id"]

    found = ways(searched, stranger, [min(hidden), foreign])

    assert not any(found.values()), found
    assert ways(searched, insider, [min(hidden)])["look_up"]
    assert ways(searched, insider, [min(hidden)])["fetch"]


def tautologies(who: Query) -> list[Condition]:
    """Say in four ways what is true of every row, hidden ones included."""
    kind = who.registry.fields["kind"]
    held = Present(kind)
    return [
        TRUE,
        Any((held, Not(held))),
        Not(All((held, Not(held)))),
        Any((Member(kind, ("photo",)), Not(Member(kind, ("photo",))))),
    ]


@pytest.mark.parametrize("subject", ["nora", "jeanne", "stranger"])
def test_t01_no_tree_reaches_past_the_scope(
    searched: Postgres, demo: Database, subject: str
) -> None:
    """The scope stands outside of the tree, in each count and facet of a statement."""
    who = asked("media", subject=subject)
    visible = len(allowed(demo, TABLES["media"], who))
    conditions = tautologies(who)

    for condition in conditions:
        query = replace(who, condition=condition, facets=("kind",), limit=200)
        hits = searched.search(query)
        assert hits.total == visible
        assert sum(n for _, n in (hits.facets or {})["kind"]) == visible
    counted = [min(visible, CAP)] * len(conditions)
    assert counted == [c.number for c in searched.count(who, conditions)]


def test_p04_what_a_caller_sees_is_joined_and_never_listed(searched: Postgres) -> None:
    """A statement is as long for who sees everything as for who sees a little."""
    made = [
        search(asked("media", text("calme"), subject=subject), None)
        for subject in ("nora", "stranger")
    ]
    rows = everything(searched, asked("media"))[:800]

    assert made[0] == made[1]
    found = searched.fetch(asked("media"), [row["id"] for row in rows])
    assert [row["id"] for row in rows] == [row.id for row in found]


def test_the_twin_note_of_the_other_organisation_is_not_found(
    searched: Postgres,
) -> None:
    rules = (text("winter coats Marie"), ("happened_on", "in_period", "last_month"))
    ours = searched.search(asked("events", *rules))
    theirs = searched.search(asked("events", *rules, tenant="boreal", subject="erik"))

    assert ours.total == 1
    assert "Appel avec Marie" in ours.rows[0].values["content"]
    assert not {r.id for r in ours.rows} & {r.id for r in theirs.rows}


def test_hidden_words_change_no_suggestion(
    source: Postgres, database: Database
) -> None:
    """Did-you-mean speaks from visible rows: a hidden word neither helps nor blocks."""
    put(database.dsn, ["grask vontix"], hidden=["graskel", "vontyx"])
    teach(database.dsn, ["grask", "vontix", "graskel", "vontyx"])

    for said, mode, fallback in (
        ("vontyx", "typo", "vontix"),
        ("graskel", "typo", "grask"),
        ("grasx", "typo", "grask"),
    ):
        hits = ask(source, said)

        assert (mode, fallback) == (hits.mode, hits.fallback)
        assert [row.values["title"] for row in hits.rows] == ["grask vontix"]


def test_a_dead_connection_is_opened_again_once(demo: Database) -> None:
    connect = connector(demo.service_dsn)
    engine = Postgres(connect)
    first = engine.search(asked("media", limit=1))

    with psycopg.connect(demo.dsn, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE usename = 'vitrine_service' AND datname = current_database()"
        )

    assert first.rows == engine.search(asked("media", limit=1)).rows
    engine.close()


def test_a_search_that_takes_too_long_is_stopped_each_time(
    demo: Database,
) -> None:
    connect = connector(demo.service_dsn)

    def hurried() -> psycopg.Connection[tuple[Anything, ...]]:
        connection = connect()
        connection.execute("SELECT set_config('statement_timeout', '1ms', false)")
        return connection

    engine = Postgres(hurried)
    with pytest.raises(Unavailable, match="too long"):
        engine.search(asked("media", facets=("tags", "light"), limit=100))
    with pytest.raises(Unavailable, match="too long"):
        engine.search(asked("media", facets=("tags", "light"), limit=100))

    engine.close()


def test_a_database_that_is_away_is_one_typed_error() -> None:
    engine = Postgres(connector("host=/nonexistent dbname=x user=x"))

    with pytest.raises(Unavailable, match="does not answer"):
        engine.search(asked("media"))

"""Full text: accents, codes, odd queries, the ladder, and what a profile may search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from psycopg import sql

from infra.local.demo import crm
from tests import trees
from tests.fix_stack import Database
from tests.integration.postgres import things
from tests.integration.postgres.asking import asked, text
from vitrine.postgres.search import Postgres
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Hits
from vitrine.tree.conditions import TRUE, Member, Not, Text

CLEAR = sql.SQL("TRUNCATE vitrine.thing_rows")
ROW = sql.SQL("""INSERT INTO vitrine.thing_rows
    (tenant, id, hidden, occurred_at, title, meta)
    VALUES ('acme', gen_random_uuid(), %s, %s, %s, '{}')""")
WORD = sql.SQL("INSERT INTO directory.words VALUES ('things', 'acme', %s)")
TENANT = sql.SQL(
    "INSERT INTO directory.tenants VALUES ('acme', 'Acme', 'en') ON CONFLICT DO NOTHING"
)
FORGET = sql.SQL("DELETE FROM directory.words WHERE source = 'things'")


def put(dsn: str, titles: Sequence[str], hidden: Sequence[str] = ()) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(CLEAR)
        for number, title in enumerate([*titles, *hidden]):
            at = f"2026-01-01T00:00:{59 - number:02d}Z"
            connection.execute(ROW, [title in hidden, at, title])


def teach(dsn: str, words: Sequence[str]) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(TENANT)
        connection.execute(FORGET)
        for word in words:
            connection.execute(WORD, [word])


def thing_registry(**more: Any) -> Registry:
    manifest = trees.registry_of([]).manifest.model_copy(
        update={"relation": things.RELATION} | more
    )
    return registry_for(manifest, "trusted", tenant="acme")


def ask(source: Postgres, said: str, **more: Any) -> Hits:
    registry = thing_registry(**more)
    return source.search(things.query(registry, TRUE, Text(said, "keyword_search")))


def titles(hits: Hits) -> list[str]:
    return sorted(row.values["title"] for row in hits.rows)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("François", "francois"),
        ("francois", "François"),
        ("crêpière", "crepiere"),
        ("empêchaient", "empechaient"),
        ("impayé", "impayée"),
        ("impayées", "impaye"),
        ("les étés développées", "été développé"),
        ("cœur", "coeur"),
        ("l’été à Paris", "l'ete paris"),
        ("manteaux d'hiver", "manteau hiver"),
    ],
)
def test_french_forms_and_accents_meet(demo: Database, stored: str, said: str) -> None:
    """S04: folded before stemming, document and query alike."""
    match = """SELECT vitrine.vector('fr', %s, NULL, NULL, NULL) @@
        websearch_to_tsquery('vitrine.fr_unaccent', vitrine.fr_norm(%s))"""
    with psycopg.connect(demo.dsn) as connection:
        assert connection.execute(match, [stored, said]).fetchone() == (True,)


@pytest.mark.parametrize(
    "code", ["TS01-H-18011-005", "6205-2RS", "A/B-12", "2024-05-01", "rendez-vous"]
)
def test_hyphenated_codes_are_literal(
    source: Postgres, database: Database, code: str
) -> None:
    """S03: a hyphen inside a word negates nothing."""
    put(database.dsn, [f"ref {code} ok", "ref TS01 ok", "6205 other", "other"])

    assert [f"ref {code} ok"] == titles(ask(source, code))


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("", "text_empty"),
        ("- - -", "text_empty"),
        ("the of", "text_empty"),
        ("+++ \x00 ((", "text_empty"),
        ("or", "text_empty"),
        ("-lamp", "text_negative"),
        ("the -lamp", "text_negative"),
        ('-"lamp shade"', "text_negative"),
        ("calm or -lamp", "text_negative"),
    ],
)
def test_a_query_without_a_positive_word_is_no_listing(
    source: Postgres, database: Database, said: str, note: str
) -> None:
    put(database.dsn, ["calm", "lamp", "chair"])

    hits = ask(source, said)

    assert (0, (note,)) == (hits.total, hits.notes)


@pytest.mark.parametrize(
    "said",
    ["'", '"', '"open', "a & b | !c <-> :*", "\\", "%_", "é\ud800x", "🎁", "-", "C++"],
)
def test_no_query_raises(source: Postgres, said: str) -> None:
    assert ask(source, said).total == 0


@pytest.mark.parametrize(
    ("said", "language", "expected"),
    [
        ("quimp or grask", "en", ["grask", "grask quimp", "quimp"]),
        ("quimp ou grask", "fr", ["grask", "grask quimp", "quimp"]),
        ("quimp où grask", "fr", ["grask quimp"]),
        ("quimp ou grask", "en", []),
        ("quimp -grask", "en", ["quimp"]),
        ('"grask quimp"', "en", ["grask quimp"]),
        ('"quimp grask"', "en", []),
        ("quimp grask", "en", ["grask quimp"]),
    ],
)
def test_or_not_and_phrases_work(
    source: Postgres, database: Database, said: str, language: str, expected: list[str]
) -> None:
    put(database.dsn, ["quimp", "grask", "grask quimp", "zorbak"])

    assert expected == titles(ask(source, said, text_language=language))


def test_a_record_is_found_by_the_next_statement(
    source: Postgres, database: Database
) -> None:
    put(database.dsn, ["draltur"])
    assert ask(source, "quimp").total == 0

    put(database.dsn, ["draltur quimp"])

    assert ask(source, "quimp").total == 1


def test_the_ladder_climbs_only_where_it_must(
    source: Postgres, database: Database
) -> None:
    """S01: the mode and the term that was really searched are told."""
    put(database.dsn, ["armchair sunset", "armchair", "lamp"])
    teach(database.dsn, ["armchair", "sunset", "lamp"])

    assert [
        (hits.mode, hits.fallback, hits.total)
        for hits in (
            ask(source, said)
            for said in ("armchair", "armchiar", "armchair sunest", "armch", "zzzzz")
        )
    ] == [
        ("strict", None, 2),
        ("typo", "armchair", 2),
        ("typo", "armchair sunset", 1),
        ("prefix", "armch*", 2),
        ("strict", None, 0),
    ]


def test_a_filter_never_widens_the_text(source: Postgres, database: Database) -> None:
    """S02: the mode is decided on the text alone, so an AND only takes away."""
    put(database.dsn, ["lamp", "lamps other"])
    teach(database.dsn, ["lamp", "lamps", "damp"])
    registry = thing_registry()
    title = registry.filters["title"]

    nothing = Member(title, ("absent",))
    hits = source.search(things.query(registry, nothing, Text("lamp")))

    assert (hits.mode, hits.total) == ("strict", 0)


@pytest.mark.parametrize("said", ["armchiar", "armch"])
def test_a_wider_mode_pages_on_with_the_same_term(
    source: Postgres, database: Database, said: str
) -> None:
    put(database.dsn, [f"armchair {n}" for n in range(7)])
    teach(database.dsn, ["armchair"])
    registry = thing_registry()
    seen: list[str] = []
    after = None
    for _ in range(4):
        hits = source.search(
            things.query(registry, TRUE, Text(said), limit=2, after=after)
        )
        seen += [row.id for row in hits.rows]
        assert hits.fallback in ("armchair", "armch*")
        after = hits.next

    assert after is None
    assert 7 == len(seen) == len(set(seen))


def test_more_is_merged_below_the_bound_strict_first(
    source: Postgres, database: Database
) -> None:
    put(database.dsn, ["armchair", "armchiar", "armchairs old"])
    teach(database.dsn, ["armchair", "armchiar"])

    hits = ask(source, "armchiar", widen_below=5)

    expected = [("armchiar", "strict"), ("armchair", "typo"), ("armchairs old", "typo")]
    assert expected == [(row.values["title"], row.mode) for row in hits.rows]


def test_a_text_below_the_root_is_strict(source: Postgres, database: Database) -> None:
    put(database.dsn, ["calm sea", "lamp"])
    teach(database.dsn, ["calm"])
    registry = thing_registry()

    found = source.search(things.query(registry, Not(Text("calm"))))

    assert titles(found) == ["lamp"]


def test_a_closed_profile_does_not_search_what_it_may_not(searched: Postgres) -> None:
    """T02: the photographer's name finds nothing, and its negation tells nothing."""
    name = text("Marchand")
    assert searched.search(asked("media", name)).total > 0

    closed = asked("media", name, profile="closed", subject="agent")
    both = asked("media", text("studio -Marchand"), profile="closed", subject="agent")
    alone = asked("media", text("studio"), profile="closed", subject="agent")

    assert searched.search(closed).total == 0
    assert searched.search(both).total == searched.search(alone).total > 0


@pytest.mark.parametrize(
    ("source_name", "said"),
    [
        ("media", "quelque chose de calme newsletter"),
        ("media", "calm newsletter header"),
        ("media", "coucher de soleil"),
        ("events", "winter coats"),
        ("persons", "06"),
    ],
)
def test_the_demo_has_something_to_find(
    searched: Postgres, source_name: str, said: str
) -> None:
    words = said.removeprefix("quelque chose de ")

    assert searched.search(asked(source_name, text(words))).total > 0


def test_a_contact_is_found_by_parts_of_the_address_and_by_digits(
    searched: Postgres,
) -> None:
    (contact,) = searched.search(asked("persons", limit=1)).rows
    address, phone = contact.values["email"], contact.values["phone"]
    name, domain = address.split("@")
    said = [address, name.split(".")[0], domain.split(".")[0]]
    said += [phone, phone.replace(" ", "")]

    for words in said:
        hits = searched.search(asked("persons", text(words), limit=100))
        assert contact.id in {row.id for row in hits.rows}, words


def test_a_word_of_the_resolution_alone_finds_the_event(searched: Postgres) -> None:
    outcome = crm.OUTCOMES[2].fr
    hits = searched.search(asked("events", text(outcome), limit=5))

    assert hits.total > 0
    assert {outcome} == {row.values["resolution"] for row in hits.rows}
    assert all(outcome not in row.values["content"] for row in hits.rows)

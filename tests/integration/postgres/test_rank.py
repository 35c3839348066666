"""The order of a text's results: BM25, sentences, and what statistics may tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import psycopg
import pytest
from psycopg import sql

from tests.fix_stack import Database
from tests.integration.postgres import things
from tests.integration.postgres.asking import asked, text
from tests.integration.postgres.test_text import (
    FORGET,
    TENANT,
    ask,
    put,
    teach,
    thing_registry,
    titles,
)
from vitrine.postgres.search import Postgres
from vitrine.search.engine import Hits, Position
from vitrine.tree.conditions import TRUE, Member, Text

K1, B = 1.2, 0.75
WORDS = ("quimp", "grask", "zorbak", "vontix", "draltu", "melbor", "tiskan", "parvo")
LESSONS = sql.SQL("""
CREATE OR REPLACE VIEW vitrine.thing_texts AS
    SELECT t.tenant, t.id, t.occurred_at, NOT t.hidden AS is_open, t.tsv,
           to_tsvector('vitrine.plain', t.title) AS plain
    FROM vitrine.thing_rows AS t;
INSERT INTO directory.sources VALUES ('things', 'vitrine.thing_texts')
    ON CONFLICT DO NOTHING""")
LEARN = sql.SQL("SELECT directory.learn('things', 'acme')")
UNLEARN = sql.SQL("DELETE FROM directory.corpora WHERE source = 'things'")
LEXEMES = sql.SQL("""SELECT x.lexeme, x.documents FROM directory.lexemes AS x
    JOIN directory.corpora AS c USING (tenant, source, generation)
    WHERE x.source = 'things' AND c.generation = (SELECT max(generation)
        FROM directory.corpora WHERE source = 'things') ORDER BY 1""")


def learn(dsn: str) -> dict[str, int]:
    with psycopg.connect(dsn) as connection:
        connection.execute(TENANT)
        connection.execute(LESSONS)
        connection.execute(LEARN)
        return dict(connection.execute(LEXEMES).fetchall())


@pytest.fixture
def unlearnt(database: Database, source: Postgres) -> None:
    """Forget what other tests taught; the source exists by then."""
    assert source
    with psycopg.connect(database.dsn) as connection:
        connection.execute(TENANT)
        connection.execute(UNLEARN)
        connection.execute(FORGET)


@pytest.mark.parametrize("count", range(1, 21))
def test_the_rank_of_one_term_tells_its_count(demo: Database, count: int) -> None:
    counted = """SELECT vitrine.occurrences(ts_rank('{1, 1, 1, 1}', d.tsv, 'quimp')),
        vitrine.occurrences(ts_rank('{1, 1, 1, 1}', d.tsv, 'absent'))
        FROM to_tsvector('simple', %s) AS d (tsv)"""
    said = " ".join(["other", *["quimp filler"] * count])
    with psycopg.connect(demo.dsn) as connection:
        assert connection.execute(counted, [said]).fetchone() == (count, 0)


@pytest.mark.parametrize("lexeme", ["a", "it's", "a\\b", "\\", "'", 'é " :* & |', "''"])
def test_a_lexeme_is_a_query_of_itself(demo: Database, lexeme: str) -> None:
    same = """SELECT array_to_tsvector(ARRAY[%(l)s]) @@ vitrine.term(%(l)s, FALSE),
        array_to_tsvector(ARRAY[%(l)s || 'x']) @@ vitrine.term(%(l)s, FALSE),
        array_to_tsvector(ARRAY[%(l)s || 'x']) @@ vitrine.term(%(l)s, TRUE)"""
    with psycopg.connect(demo.dsn) as connection:
        found = connection.execute(same, {"l": lexeme}).fetchone()

    assert found == (True, False, True)


def bm25(asked_for: Sequence[str], stored: Sequence[str]) -> list[float]:
    """Score once more, word by word; a title is weighed twice."""
    bags = [title.split() for title in stored]
    lengths = [len(set(bag)) for bag in bags]
    mean = sum(lengths) / len(lengths)
    scores = []
    for bag, length in zip(bags, lengths, strict=True):
        score = 0.0
        for word in asked_for:
            held = sum(word in other for other in bags)
            rarity = math.log(1 + (len(bags) - held + 0.5) / (held + 0.5))
            tf = 2 * bag.count(word)
            score += rarity * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / mean))
        scores.append(score)
    return scores


def walked(source: Postgres, said: str, most: int = 100) -> list[tuple[str, float]]:
    """Read titles with their scores, off the places between pages of one."""
    registry, after, seen = thing_registry(), None, list[tuple[str, float]]()
    while len(seen) < most:
        query = things.query(
            registry, TRUE, Text(said, "keyword_search"), limit=1, after=after
        )
        hits = source.search(query)
        if hits.next is None:
            return [*seen, *((row.values["title"], 0.0) for row in hits.rows)]
        seen.append((hits.rows[0].values["title"], float(hits.next[3])))
        after = hits.next
    return seen


@pytest.mark.usefixtures("unlearnt")
@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_the_formula(
    source: Postgres, database: Database, seed: int
) -> None:
    rng = Random(seed)
    stored = [
        " ".join(rng.choices(WORDS, (9, 7, 5, 3, 3, 2, 1, 1), k=rng.randint(2, 15)))
        for _ in range(40)
    ]
    put(database.dsn, [f"{title} {'n' * n}" for n, title in enumerate(stored, 3)])
    learn(database.dsn)
    said = rng.sample(WORDS, 2)
    titles = [f"{title} {'n' * n}" for n, title in enumerate(stored, 3)]
    expected = dict(zip(titles, bm25(said, titles), strict=True))

    found = walked(source, " ".join(said))

    assert len(found) == sum(all(w in t.split() for w in said) for t in titles)
    for title, score in found[:-1]:
        assert score == pytest.approx(expected[title] * 1e6, abs=2)
    order = [expected[title] for title, _ in found]
    assert all(one >= other - 1e-6 for one, other in pairwise(order))


@pytest.mark.usefixtures("unlearnt")
def test_a_rare_word_tells_more_than_a_common_one(
    source: Postgres, database: Database
) -> None:
    common = [f"quimp grask filler{n}" for n in range(20)]
    put(database.dsn, ["quimp zorbak", *common])
    learn(database.dsn)

    hits = ask(source, "quimp grask zorbak vontix draltu")

    assert hits.mode == "partial"
    assert hits.rows[0].values["title"] == "quimp zorbak"


SENTENCE = "where is a quimp with grask, zorbak or vontix beside the draltu -melbor"


@pytest.mark.usefixtures("unlearnt")
def test_a_sentence_is_answered_by_some_of_its_words(
    source: Postgres, database: Database
) -> None:
    """S01: what was searched in place of the sentence is told; what it denies stays."""
    put(database.dsn, ["quimp grask", "draltu", "melbor quimp", "other"])
    learn(database.dsn)

    hits = ask(source, SENTENCE)

    assert ("partial", SENTENCE) == (hits.mode, hits.original)
    assert hits.fallback == "quimp or grask or zorbak or vontix or beside or draltu"
    assert ["draltu", "quimp grask"] == titles(hits)
    assert {"partial"} == {row.mode for row in hits.rows}


@pytest.mark.parametrize(
    ("said", "mode"),
    [
        ("quimp grask zorbak vontix", "strict"),
        ("quimp with the grask of a zorbak and a vontix", "strict"),
        ("quimp quimp quimp quimp quimp grask", "strict"),
        ("quimp grask zorbak vontix draltu", "partial"),
    ],
)
def test_demands_are_never_dropped_from_a_few_words(
    source: Postgres, database: Database, said: str, mode: str
) -> None:
    put(database.dsn, ["quimp", "zorbak other"])

    hits = ask(source, said)

    assert (mode, mode == "partial") == (hits.mode, hits.total > 0)


@pytest.mark.usefixtures("unlearnt")
def test_all_words_of_a_sentence_come_before_some(
    source: Postgres, database: Database
) -> None:
    whole = "quimp grask zorbak vontix draltu " + "filler " * 3
    said = "quimp grask zorbak vontix draltu"
    put(database.dsn, [whole, "quimp grask zorbak vontix"])
    learn(database.dsn)
    merged = ask(source, said)
    put(database.dsn, [*[whole] * 10, "quimp grask zorbak vontix"])
    alone, wider = ask(source, said), ask(source, said, widen_below=11)

    assert ("partial", 2, said) == (merged.mode, merged.total, merged.original)
    assert ["strict", "partial"] == [row.mode for row in merged.rows]
    # A page of rows that have them all is an answer; a source may want more below it.
    assert ("strict", 10, None) == (alone.mode, alone.total, alone.original)
    assert ("partial", 11) == (wider.mode, wider.total)


@pytest.mark.usefixtures("unlearnt")
@pytest.mark.parametrize("learning", [False, True])
def test_of_four_words_half_must_be_there(
    source: Postgres, database: Database, *, learning: bool
) -> None:
    rows = ["quimp grask zorbak vontix", "vontix quimp", "quimp filler", "melbor"]
    put(database.dsn, rows)
    if learning:
        learn(database.dsn)

    hits = ask(source, "quimp grask zorbak vontix -melbor")

    assert rows[:2] == [row.values["title"] for row in hits.rows]
    assert ["strict", "partial"] == [row.mode for row in hits.rows]
    assert "quimp or grask or zorbak or vontix" == hits.fallback


@pytest.mark.usefixtures("unlearnt")
def test_a_walk_over_half_of_the_words_is_complete(
    source: Postgres, database: Database
) -> None:
    """P03: the pages after the first ask for the same halves."""
    put(database.dsn, [f"quimp {w} {'n' * n}" for n in range(3, 9) for w in WORDS[1:4]])
    said = " ".join(WORDS[:4])

    whole = ask(source, said)
    walk = walked(source, said)

    assert 18 == whole.total == len(walk) == len({title for title, _ in walk})


@pytest.mark.usefixtures("unlearnt")
def test_a_filter_adds_nothing_to_a_sentence(
    source: Postgres, database: Database
) -> None:
    """S02: the rung is decided on the text alone."""
    put(database.dsn, ["quimp", "grask", "quimp grask zorbak vontix draltu"])
    registry = thing_registry()
    few = Member(registry.filters["title"], ("quimp",))
    said = Text("quimp grask zorbak vontix draltu", "keyword_search")

    whole = source.search(things.query(registry, TRUE, said))
    less = source.search(things.query(registry, few, said))

    assert ("partial", 3) == (whole.mode, whole.total)
    assert ("partial", 1) == (less.mode, less.total)
    assert {row.id for row in less.rows} < {row.id for row in whole.rows}


@pytest.mark.usefixtures("unlearnt")
def test_a_misspelt_word_of_a_sentence_still_finds(
    source: Postgres, database: Database
) -> None:
    put(database.dsn, ["armchair", "armchair velvet", "lamp", *["other"] * 9])
    teach(database.dsn, ["armchair", "lamp"])

    said = "please bring one armchiar beside some window today thanks"
    first = ask(source, said)
    one = page(source, said, None, 1)
    other = page(source, said, one.next, 1)

    assert "armchair" in str(first.fallback).split(" or ")
    assert ["armchair", "armchair velvet"] == titles(first)
    assert titles(first) == titles(one) + titles(other)


@pytest.mark.usefixtures("unlearnt")
def test_statistics_never_tell_of_hidden_rows(
    source: Postgres, database: Database
) -> None:
    """The order of results would: a word that hidden texts have often tells less."""
    visible = ["quimp filler", "grask filler"]
    put(database.dsn, visible)
    expected = learn(database.dsn)
    before = walked(source, "quimp or grask")

    put(database.dsn, visible, hidden=[f"quimp hidden{n}" for n in range(30)])
    found = learn(database.dsn)

    assert expected == found
    assert before == walked(source, "quimp or grask")


@pytest.mark.usefixtures("unlearnt")
def test_a_walk_keeps_the_statistics_that_it_began_with(
    source: Postgres, database: Database
) -> None:
    """Learning anew would order the rest otherwise: some twice, some never."""
    put(
        database.dsn, [f"{WORDS[n % 8]} {WORDS[n % 7]} {'n' * n}" for n in range(3, 50)]
    )
    learn(database.dsn)
    said = "quimp or grask or zorbak or vontix"
    whole = [title for title, _ in walked(source, said)]
    first = page(source, said, None)

    with psycopg.connect(database.dsn) as connection:
        connection.execute(OTHERS)
    learn(database.dsn)
    assert score_of(page(source, said, None)) != score_of(first)
    seen = list(first.rows)
    after = first.next
    while after is not None:
        hits = page(source, said, after)
        seen += hits.rows
        after = hits.next

    assert whole == [row.values["title"] for row in seen]


OTHERS = sql.SQL("""INSERT INTO vitrine.thing_rows
    (tenant, id, hidden, occurred_at, title, meta)
    SELECT 'acme', gen_random_uuid(), FALSE, '2026-01-01', 'melbor parvo', '{}'
    FROM generate_series(1, 500)""")


def score_of(hits: Hits) -> float:
    assert hits.next is not None
    return float(hits.next[3])


def page(source: Postgres, said: str, after: Position | None, limit: int = 7) -> Hits:
    text = Text(said, "keyword_search")
    query = things.query(thing_registry(), TRUE, text, limit=limit, after=after)
    return source.search(query)


def test_the_service_learns_only_where_the_last_lesson_is_old(demo: Database) -> None:
    with psycopg.connect(demo.service_dsn) as connection:
        connection.execute(
            """SELECT set_config('app.caller', '{"tenant": "aurore", "subject": "x"}',
                true)"""
        )
        learnt = [
            connection.execute("SELECT vitrine.learn(%s, %s)", asked).fetchone()
            for asked in (("media", "1 hour"), ("media", "0"), ("nowhere", "0"))
        ]

    assert [(False,), (True,), (False,)] == learnt


@pytest.mark.parametrize("said", ["fauteuil", "canapé", "chaise"])
def test_words_around_a_slash_are_words(demo: Database, said: str) -> None:
    """PostgreSQL's parser takes "a/b" for the path of a file."""
    match = """SELECT vitrine.vector('fr', 'chaise/fauteuil/canapé', NULL, NULL, NULL)
        @@ websearch_to_tsquery('vitrine.fr_unaccent', vitrine.fr_norm(%s))"""
    with psycopg.connect(demo.dsn) as connection:
        assert connection.execute(match, [said]).fetchone() == (True,)


def test_a_closed_profile_is_not_ranked_by_what_it_may_not_search(
    demo: Database, searched: Postgres
) -> None:
    """T02: a photographer's name in the closed letter must not lift a row."""
    said = text("studio or Marchand")
    closed = asked("media", said, profile="closed", subject="agent", limit=100)
    rows = searched.search(closed).rows

    with psycopg.connect(demo.dsn) as connection:
        connection.execute(
            "UPDATE library.assets SET photographer = 'Studio Studio'"
            " WHERE id = ANY(%s)",
            [[row.id for row in rows[50:]]],
        )
    again = searched.search(closed).rows
    with psycopg.connect(demo.dsn) as connection:
        connection.execute(
            "UPDATE library.assets SET photographer = 'Marchand'"
            " WHERE photographer = 'Studio Studio'"
        )

    assert [row.id for row in rows] == [row.id for row in again]

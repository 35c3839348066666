"""Words behind whom a row is for: nothing is found otherwise than by the row alone."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fix_stack import Database
from tests.integration.postgres.asking import asked, text
from vitrine.postgres.search import Postgres
from vitrine.search.engine import Hits, Query

TEXTS = (
    "calme",
    '"table en chêne"',
    "lampe -bureau",
    "fauteuil ou lampe",
    "clame",
    "lam",
    "AUR-2024",
    "l'été d'un salon",
    "une lampe calme pour une table du salon moderne",
    "-calme",
    "'''",
    "qqqqzz",
)
LEXEMES = st.text(
    st.characters(exclude_characters="\x00\x01", exclude_categories=["Cs"]), min_size=1
)


def unscoped(query: Query) -> Query:
    registry = query.registry
    plain = registry.manifest.model_copy(update={"scoped": False})
    return replace(query, registry=replace(registry, manifest=plain))


def told(hits: Hits) -> tuple[object, ...]:
    return [row.id for row in hits.rows], hits.total, hits.mode, hits.fallback


@pytest.mark.parametrize("source", ["media", "persons", "events"])
@pytest.mark.parametrize("subject", ["camille", "louis", "nobody"])
def test_marks_find_what_the_row_alone_finds(
    searched: Postgres, source: str, subject: str
) -> None:
    """Each by another right: all of the tenant's rows, an owner's, a team's."""
    for words in TEXTS:
        query = asked(source, text(words), subject=subject, limit=50)

        assert told(searched.search(unscoped(query))) == told(searched.search(query))


@settings(max_examples=50, deadline=None)
@given(words=st.lists(LEXEMES, min_size=1, max_size=3), mark=st.sampled_from("ab"))
def test_any_word_is_found_behind_a_mark_of_its_row_and_behind_no_other(
    demo: Database, words: list[str], mark: str
) -> None:
    """S: quotes, backslashes and operators in a word stay letters of it."""
    with psycopg.connect(demo.dsn) as connection:
        found = connection.execute(
            "SELECT vitrine.scoped(v.tsv, ARRAY['a'])"
            " @@ vitrine.scoped_query(q.asked, ARRAY[%s::text])"
            " FROM array_to_tsvector(%s::text[]) AS v (tsv), LATERAL ("
            "   SELECT string_agg(vitrine.term(w, false)::text, '&')::tsquery AS asked"
            "   FROM unnest(%s::text[]) AS w) AS q",
            [mark, words, words],
        ).fetchone()

    assert found == (mark == "a",)


@pytest.mark.parametrize(
    ("expected", "asked_for"),
    [
        ("'xa' | 'ya'", "'a'"),
        ("( 'xa' | 'ya' ) & ( 'xb' | 'yb' )", "'a' <-> 'b'"),
        ("( 'xa' | 'ya' ) & ( 'xb' | 'yb' )", "'a' <2> 'b' & !'c'"),
        ("'xa':* | 'ya':*", "'a':*"),
        ("'xo''b' | 'yo''b'", "'o''b'"),
        (None, "!'a'"),
        (None, "'a' | !'b'"),
    ],
)
def test_a_query_asks_each_word_behind_any_mark(
    demo: Database, expected: str | None, asked_for: str
) -> None:
    """What it denies, and in what order words stand, is left to the row."""
    with psycopg.connect(demo.dsn) as connection:
        made = connection.execute(
            "SELECT vitrine.scoped_query(%s::tsquery, ARRAY['x', 'y'])::text",
            [asked_for],
        ).fetchone()

    assert made == (expected,)


@pytest.mark.parametrize(
    ("plain", "asked_for"),
    [
        (True, "'a' & 'b'"),
        (True, "'a':* | 'b'"),
        (False, "!'a'"),
        (False, "'a' <-> 'b'"),
    ],
)
def test_more_than_words_is_left_to_the_row(
    demo: Database, asked_for: str, *, plain: bool
) -> None:
    with psycopg.connect(demo.dsn) as connection:
        made = connection.execute(
            "SELECT vitrine.is_plain(%s::tsquery)", [asked_for]
        ).fetchone()

    assert made == (plain,)

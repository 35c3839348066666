"""PostgreSQL folds as we do, letter by letter: else equal texts would not be."""

from __future__ import annotations

import unicodedata
from random import Random

import psycopg
import pytest

from tests import trees
from tests.fix_stack import Database
from vitrine.language.folding import fold, squash

ASKED = "SELECT t, vitrine.fold(t), vitrine.squash(t) FROM unnest(%s::text[]) AS t"


def letters() -> list[str]:
    """List the characters of many blocks that this Python's Unicode has as well."""
    found = [chr(start + n) for start in trees.BLOCKS for n in range(256)]
    return [
        c for c in found if c != "\0" and unicodedata.category(c) not in ("Cn", "Cs")
    ]


def western(rng: Random) -> str:
    """Draw what the server's quick path takes, and what it nearly takes."""
    signs = "abcXYZ019 '-.,:;/_%\\éÉçßœŒÆøŁ’–\u00a0\u0301«»"
    return "".join(rng.choices(signs, k=rng.randint(1, 8)))


@pytest.mark.parametrize("around", ["{}", "a{}b", " {}é"])
def test_every_letter_folds_alike(database: Database, around: str) -> None:
    texts = [around.format(letter) for letter in letters()]
    with psycopg.connect(database.dsn) as connection:
        rows = connection.execute(ASKED, (texts,)).fetchall()

    assert len(texts) == len(rows)
    assert [] == [(t, f, fold(t)) for t, f, _ in rows if f != fold(t)]
    assert [] == [(t, s, squash(t)) for t, _, s in rows if s != squash(t)]


def test_every_text_folds_alike(database: Database) -> None:
    rng, known = Random(3), letters()
    texts = [western(rng) for _ in range(10_000)]
    texts += ["".join(rng.choices(known, k=rng.randint(2, 4))) for _ in range(10_000)]
    with psycopg.connect(database.dsn) as connection:
        rows = connection.execute(ASKED, (texts,)).fetchall()

    assert [] == [(t, f, fold(t)) for t, f, _ in rows if f != fold(t)]
    assert [] == [(t, s, squash(t)) for t, _, s in rows if s != squash(t)]

"""Is what is hidden told by the clock? Two samples, taken in turns; JSON comes last.

    python -m infra.bench timing [--rows 20000] [--rounds 300]

The engine is asked as its caller would ask it, but from beside it: over a network the
difference drowns. What is hidden is compared with what nobody has: ids and words of
another tenant, ids of hidden rows, a word that hidden rows alone have; and a word that
one visible row and hidden ones have (``shared_word``) with one that one visible row
has. ``edge`` is the chance that the one takes longer than the other, of two drawn at
random (the Mann-Whitney statistic over its pairs): a half where nothing can be told.
``z`` says how many standard errors it is away from a half.

None may be told: an edge beyond a half by more than ``TOLD``, and by more than chance,
fails. ``look_us`` is what each hidden row that has the word adds to a search, in
microseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from statistics import median
from typing import Any

import psycopg
from psycopg import sql

from infra.bench.asking import CALLER, library
from infra.bench.bulk import multiply
from infra.local.stack import Stack
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.search.engine import Query
from vitrine.tree.conditions import TRUE, Text

TOLD = 0.1
"""An edge that a patient listener beside the database might use."""
CHANCE = 4.0
"""Standard errors within which two like samples stay."""
HIDDEN = 2_000
ABSENT = "99999999-9999-4999-8999-999999999999"
# As long as each other, like nothing that is written and unlike each other: a word with
# neighbours in the tenant's list of words takes longer for these alone.
FOREIGN_WORD, HIDDEN_WORD, ABSENT_WORD = "zqxwvkjy", "bgdmhtpf", "cfrlznhk"
SHARED_WORD, LONE_WORD = "jpvwqbxd", "mkgtzfdr"
PAIRS = {
    "foreign_word": (FOREIGN_WORD, ABSENT_WORD),
    "hidden_word": (HIDDEN_WORD, ABSENT_WORD),
    "shared_word": (SHARED_WORD, LONE_WORD),
}
# Whose they are, what they say, how many there are, and whether all may see them.
ROWS = (
    ("aurore", HIDDEN_WORD, HIDDEN, False),
    ("boreal", FOREIGN_WORD, HIDDEN, True),
    ("aurore", SHARED_WORD, HIDDEN, False),
    ("aurore", SHARED_WORD, 1, True),
    ("aurore", LONE_WORD, 1, True),
)
_KEPT = sql.SQL("""INSERT INTO library.assets
    (tenant, id, language, kind, status, title, occurred_at, owner, teams, is_public)
    SELECT {tenant}, gen_random_uuid(), 'fr', 'photo', 'approved', {word} || ' ' || n,
        timestamptz '2026-11-29' - n * interval '97 seconds', 'nobody', '{{}}', {open}
    FROM generate_series(1, {number}) AS n""")
_ONE = sql.SQL("SELECT id::text FROM library.assets WHERE tenant = {} AND title = {}")
_TENANT = sql.SQL(
    "INSERT INTO directory.tenants VALUES ('boreal', 'Boreal', 'en')"
    " ON CONFLICT DO NOTHING"
)
_LEARN = sql.SQL("SELECT directory.learn('media', 'aurore')")
_ANALYZE = sql.SQL("VACUUM (ANALYZE) library.assets")


def main(arguments: Sequence[str]) -> int:
    """Load, ask in turns and compare; fail where something is told."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench timing")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=300)
    given = parser.parse_args(arguments)
    with Stack(parts=("postgres",)) as stack:
        rows = multiply(stack.dsn, given.rows)
        hidden, foreign = _hide(stack.dsn)
        engine = Postgres(connector(stack.cluster.dsn(role="vitrine_service")))
        asked = Asked(engine)
        ids = {"hidden_id": hidden, "foreign_id": foreign}
        found = {
            name: compared(asked.by_id(one), asked.by_id(ABSENT), given.rounds)
            for name, one in ids.items()
        }
        for name, pair in PAIRS.items():
            one, other = map(asked.by_word, pair)
            found[name] = compared(one, other, given.rounds)
        engine.close()
    told = [name for name, figures in found.items() if _is_told(figures)]
    print(json.dumps(_figures(rows, found) | {"told": told}))
    return 1 if told else 0


def _hide(dsn: str) -> tuple[str, str]:
    """Add rows that the caller can't see; give the id of a hidden and a foreign one."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_TENANT)
        for tenant, word, number, is_open in ROWS:
            kept = {"tenant": tenant, "word": word, "number": number, "open": is_open}
            said = {name: sql.Literal(value) for name, value in kept.items()}
            connection.execute(_KEPT.format(**said))
        # As on a server: the hidden words are in the list of words, too.
        connection.execute(_LEARN)
        connection.execute(_ANALYZE)
        return (
            _one(connection, "aurore", HIDDEN_WORD),
            _one(connection, "boreal", FOREIGN_WORD),
        )


def _one(connection: psycopg.Connection[Any], tenant: str, word: str) -> str:
    """Give the id of the seventh of such rows."""
    asked = _ONE.format(sql.Literal(tenant), sql.Literal(f"{word} 7"))
    row = connection.execute(asked).fetchone()
    return str((row or ("",))[0])


class Asked:
    """The engine, asked as one member of the library."""

    def __init__(self, engine: Postgres) -> None:
        self._engine = engine
        self._query = Query(CALLER, library(), TRUE)

    def by_id(self, key: str) -> Callable[[], Any]:
        """Ask for one row by its id."""
        return partial(self._engine.fetch, self._query, [key])

    def by_word(self, word: str) -> Callable[[], Any]:
        """Search for a word."""
        said = Text(word, "keyword_search")
        return partial(self._engine.search, replace(self._query, text=said))


def compared(
    one: Callable[[], Any], other: Callable[[], Any], rounds: int
) -> dict[str, float]:
    """Time both in turns, now one first, now the other; tell how far they part."""
    left: list[float] = []
    right: list[float] = []
    for number in range(rounds + 10):
        turns = [(one, left), (other, right)]
        for job, kept in turns if number % 2 else reversed(turns):
            start = time.perf_counter()
            job()
            if number >= 10:  # the first ones warm up
                kept.append((time.perf_counter() - start) * 1_000)
    edge = edge_of(left, right)
    return {
        "edge": round(edge, 3),
        "z": round((edge - 0.5) / _error(len(left), len(right)), 1),
        "ms": round(median(left), 3),
        "absent_ms": round(median(right), 3),
    }


def edge_of(left: Sequence[float], right: Sequence[float]) -> float:
    """Give the share of pairs in which the left one is larger; ties count half."""
    ranked = sorted(right)
    wins = sum(bisect_left(ranked, v) + bisect_right(ranked, v) for v in left) / 2
    return wins / (len(left) * len(right))


def _error(left: int, right: int) -> float:
    """Give the standard error of an edge where both samples are alike."""
    return sqrt((left + right + 1) / (12 * left * right))


def _is_told(figures: dict[str, float]) -> bool:
    return abs(figures["edge"] - 0.5) > TOLD and abs(figures["z"]) > CHANCE


def _figures(rows: int, found: dict[str, dict[str, float]]) -> dict[str, Any]:
    looked = found["hidden_word"]
    more = (looked["ms"] - looked["absent_ms"]) * 1_000
    return {
        "rows": rows,
        **found,
        "look_us": round(more / HIDDEN, 3),
        "load": round(os.getloadavg()[0], 1),
    }

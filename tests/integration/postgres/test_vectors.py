"""How vectors come into a library: in batches, once, and anew where words changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from psycopg import sql

from infra.local.demo.media import seed_library
from infra.vectors import Tally, embed_due
from tests.fix_stack import Database
from vitrine.models.embed import DIMENSIONS
from vitrine.problems import Unavailable

SIZES = {"aurore": 25, "boreal": 7}
KEPT = sql.SQL("SELECT tenant, count(*) FROM library.vectors GROUP BY 1")
EMPTY = sql.SQL("TRUNCATE library.vectors")
RENAME = sql.SQL("UPDATE library.assets SET title = title || ' anew' WHERE id = %s")
RATE = sql.SQL("UPDATE library.assets SET downloads = downloads + 1 WHERE id = %s")
ONE = sql.SQL("SELECT id FROM library.assets WHERE tenant = 'boreal' ORDER BY id")


@dataclass
class Scripted:
    """A model that counts, and does something else at its n-th call."""

    at: int = 0
    act: Callable[[], None] = lambda: None
    calls: list[int] = field(default_factory=list)
    name: str = "scripted"
    weight: float = 0.5
    reach: float = 0.5

    def essence(self, title: str, text: str) -> str:
        return title or text

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls.append(len(texts))
        if len(self.calls) == self.at:
            self.act()
        return [[float(len(text)), *[0.5] * (DIMENSIONS - 1)] for text in texts]


@pytest.fixture(scope="module")
def library(database: Database) -> Database:
    seed_library(database.dsn, SIZES)
    return database


@pytest.fixture
def connection(library: Database) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(library.dsn, autocommit=True) as opened:
        opened.execute(EMPTY)
        yield opened


def run(connection: psycopg.Connection[Any], tenant: str, model: Scripted) -> Tally:
    tally = Tally()
    embed_due(connection, tenant, model, 10, tally=tally)
    return tally


def first(connection: psycopg.Connection[Any]) -> Any:
    return (connection.execute(ONE).fetchone() or [None])[0]


def test_each_row_is_embedded_once_in_batches(
    connection: psycopg.Connection[Any],
) -> None:
    model = Scripted()

    done, again = run(connection, "aurore", model), run(connection, "aurore", model)

    assert (Tally(25), Tally(0)) == (done, again)
    assert [10, 10, 5] == model.calls
    assert {"aurore": 25} == dict(connection.execute(KEPT).fetchall())


def test_a_run_that_was_cut_is_gone_on_with(
    connection: psycopg.Connection[Any],
) -> None:
    def fail() -> None:
        raise Unavailable("The provider is away.")

    with pytest.raises(Unavailable):
        run(connection, "aurore", Scripted(at=3, act=fail))
    model = Scripted()

    assert Tally(5) == run(connection, "aurore", model)
    assert [5] == model.calls


def test_a_row_whose_words_changed_is_due_again(
    connection: psycopg.Connection[Any],
) -> None:
    run(connection, "boreal", Scripted())

    connection.execute(RENAME, [first(connection)])
    connection.execute(RATE, [first(connection)])

    assert {"boreal": 6} == dict(connection.execute(KEPT).fetchall())
    assert Tally(1) == run(connection, "boreal", Scripted())


def test_a_row_that_changes_meanwhile_keeps_no_vector_of_what_it_said(
    connection: psycopg.Connection[Any],
) -> None:
    def rename() -> None:
        connection.execute(RENAME, [first(connection)])

    done = run(connection, "boreal", Scripted(at=1, act=rename))

    assert Tally(6, skipped=1) == done
    assert Tally(1) == run(connection, "boreal", Scripted())

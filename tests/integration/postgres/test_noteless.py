"""A customer's database that never kept a note."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from infra.local import postgres as engine
from vitrine.caller import Caller
from vitrine.postgres.line import connector
from vitrine.postgres.notes import Notes

BOSS = Caller("t", "boss", "desk")


@pytest.fixture
def bare(postgres: engine.Cluster) -> Iterator[str]:
    """A database with nothing of ours in it."""
    with psycopg.connect(postgres.dsn("postgres"), autocommit=True) as line:
        line.execute("CREATE DATABASE bare TEMPLATE template0")
    yield postgres.dsn("bare")
    postgres.drop("bare")


def test_it_has_none_to_tell_and_none_to_erase(bare: str) -> None:
    notes = Notes(connector(bare))

    assert notes.erase(BOSS, ["0" * 32]) == 0
    assert list(notes.traces(BOSS, ["0" * 32])) == []

"""Notes of an assistant: the one write to a customer's data, with its audit row.

What was written for a person is told and erased by their pseudonyms; the audit rows
stay. Each is one transaction of a connection that the searches do not share: theirs is
read-only. A write is sent once; a retry is the caller's, and known by its request id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg import sql

from vitrine.caller import Caller
from vitrine.postgres.line import Connect, ask_as
from vitrine.problems import Missing, Unavailable

_LOG = sql.SQL(
    "SELECT id::text, at FROM vitrine.log_note(%(said)s::text, %(people)s::uuid[],"
    " %(author)s::text, %(client)s::text, %(pseudonym)s::text, %(request)s::text)"
)
_UNDO = sql.SQL(
    "SELECT id::text, at FROM vitrine.undo_note(%(note)s::uuid,"
    " %(author)s::text, %(client)s::text, %(pseudonym)s::text)"
)
_ERASE = sql.SQL("SELECT vitrine.erase_notes(%(who)s::text[], %(most)s::integer)")
_TOLD = sql.SQL(
    "SELECT id, at, action, author, client, content"
    " FROM vitrine.notes_of(%(who)s::text[], %(after)s::bigint, %(most)s::integer)"
)
BLOCK = 500
"""Notes of a statement, which the service's role may run for three seconds."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A note as it was kept or taken back: the engine's id, and when."""

    id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Trace:
    """A row of the notes' audit; ``content`` is the note's, while it is kept."""

    id: int
    at: datetime
    action: str
    author: str
    client: str
    content: str | None


class Notes:
    """Write, undo, tell and erase notes as a verified caller."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    def log(
        self, caller: Caller, said: str, *, people: Sequence[str], request: str
    ) -> Noted:
        """Keep a note about people by id; the same request makes no second one.

        Raises ``Missing`` where a person is out of the caller's sight.
        """
        values = {"said": said, "people": list(people), "request": request}
        return self._written(caller, _LOG, values)

    def undo(self, caller: Caller, note: str) -> Noted:
        """Take a note back; raise ``Missing`` for any but the caller's own."""
        return self._written(caller, _UNDO, {"note": note})

    def erase(self, caller: Caller, pseudonyms: Sequence[str]) -> int:
        """Erase a block of what was written for these; fewer than one is the last."""
        values = {"who": list(pseudonyms), "most": BLOCK}
        with _noteless():
            ((erased,),) = self._asked(caller, _ERASE, values)
            return int(erased)
        return 0

    def traces(
        self, caller: Caller, pseudonyms: Sequence[str], *, after: int = 0
    ) -> Iterator[Trace]:
        """Give what the audit tells of these, in order, from after a row on."""
        values = {"who": list(pseudonyms), "most": BLOCK}
        while True:
            rows: list[tuple[Any, ...]] = []
            with _noteless():
                rows = self._asked(caller, _TOLD, values | {"after": after})
            yield from (Trace(*row) for row in rows)
            if len(rows) < BLOCK:
                return
            after = rows[-1][0]

    def _written(
        self, caller: Caller, order: sql.SQL, values: Mapping[str, Any]
    ) -> Noted:
        rows = self._asked(caller, order, {**values, **_author(caller)})
        if not rows:
            raise Missing
        return Noted(*rows[0])

    def _asked(
        self, caller: Caller, order: sql.SQL, values: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        try:
            with self._connect() as connection, connection.transaction():
                ask_as(connection, caller, None)
                return connection.execute(order, values).fetchall()
        except psycopg.errors.NoDataFound as error:
            raise Missing from error
        except psycopg.OperationalError as error:
            raise Unavailable("The notes' database does not answer.") from error


def _noteless() -> AbstractContextManager[None]:
    """Take a database without our functions for what it is: one without notes.

    A customer's own view may be published under the name of the source of notes.
    """
    return suppress(psycopg.errors.UndefinedFunction, psycopg.errors.InvalidSchemaName)


def _author(caller: Caller) -> dict[str, str]:
    """Name the assistant, its client, and by a pseudonym the person it acted for."""
    return {
        "author": caller.actor or caller.client,
        "client": caller.client,
        "pseudonym": caller.identity,
    }

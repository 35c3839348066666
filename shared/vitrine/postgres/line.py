"""The one connection of an environment: opened on first use, kept, reopened once.

A Lambda environment serves one request at a time, so that a pool has nothing to
pool. A dead connection shows only when it is used; everything here reads, so that
asking again is safe.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from psycopg import sql

from vitrine.caller import Caller
from vitrine.postgres.statement import Statement
from vitrine.problems import Unavailable

Connect = Callable[[], "psycopg.Connection[tuple[Any, ...]]"]
Answer = list[tuple[Any, ...]]

_BEGIN = sql.SQL("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
_CALLER = sql.SQL("SELECT set_config('app.caller', %(caller)s::text, true)")
# Of the transaction alone: behind a pooler a session's setting meets strangers.
_PATIENCE = sql.SQL("SELECT set_config('statement_timeout', %(patience)s::text, true)")
_COMMIT = sql.SQL("COMMIT")


def connector(dsn: str) -> Connect:
    """Give a factory of connections as this room wants them.

    Nothing is prepared: behind a transaction pooler a prepared name meets strangers.
    """

    def connect() -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(dsn, autocommit=True, prepare_threshold=None)

    return connect


class Line:
    """Ask statements as a caller, over a connection that may have died meanwhile."""

    def __init__(self, connect: Connect, patience: str | None = None) -> None:
        self._connect = connect
        self._patience = patience
        self._open: psycopg.Connection[tuple[Any, ...]] | None = None

    def ask(self, caller: Caller, statements: Sequence[Statement]) -> list[Answer]:
        """Run statements in one snapshot and one round trip.

        Raises ``Unavailable`` where the database does not answer in time.
        """
        try:
            return self._asked(caller, statements)
        # Not asked again: what took the whole patience once would take it twice.
        except psycopg.errors.QueryCanceled as error:
            self._settle()
            raise Unavailable("The search took too long and was stopped.") from error
        # Asked once more on another connection: a frozen environment wakes up with one
        # that the server gave up long ago.
        except psycopg.OperationalError:
            self.close()
        try:
            return self._asked(caller, statements)
        except psycopg.OperationalError as error:
            self.close()
            raise Unavailable("The catalogue's database does not answer.") from error

    def close(self) -> None:
        """Drop the connection; the next question opens another."""
        if self._open is not None:
            self._open.close()
        self._open = None

    def _settle(self) -> None:
        """Leave an aborted transaction, so that the connection can serve again."""
        if self._open is not None and not self._open.closed:
            self._open.rollback()

    def _asked(self, caller: Caller, statements: Sequence[Statement]) -> list[Answer]:
        if self._open is None or self._open.closed:
            self._open = self._connect()
        try:
            return _piped(self._open, caller, statements, self._patience)
        except psycopg.Error:
            self._settle()
            raise


def _piped(
    connection: psycopg.Connection[tuple[Any, ...]],
    caller: Caller,
    statements: Sequence[Statement],
    patience: str | None,
) -> list[Answer]:
    """Send begin, caller, statements and commit together; wait once."""
    with connection.pipeline():
        connection.execute(_BEGIN)
        ask_as(connection, caller, patience)
        cursors = [connection.execute(s.text, s.values) for s in statements]
        connection.execute(_COMMIT)
    return [cursor.fetchall() for cursor in cursors]


def ask_as(
    connection: psycopg.Connection[tuple[Any, ...]],
    caller: Caller,
    patience: str | None,
) -> None:
    """Say who asks in this transaction, and how long a statement may take."""
    said = json.dumps({"tenant": caller.tenant, "subject": caller.subject})
    connection.execute(_CALLER, {"caller": said})
    if patience is not None:
        connection.execute(_PATIENCE, {"patience": patience})

"""Notes of an assistant: the one write to a customer's data, with its audit row.

Each is one transaction of a connection that the searches do not share: theirs is
read-only. A write is sent once; a retry is the caller's, and known by its request id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Noted:
    """A note as it was kept or taken back: the engine's id, and when."""

    id: str
    at: datetime


class Notes:
    """Write and undo notes as a verified caller."""

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

    def _written(
        self, caller: Caller, order: sql.SQL, values: Mapping[str, Any]
    ) -> Noted:
        try:
            with self._connect() as connection, connection.transaction():
                ask_as(connection, caller, None)
                row = connection.execute(order, {**values, **_author(caller)})
                noted = row.fetchone()
        except psycopg.errors.NoDataFound as error:
            raise Missing from error
        except psycopg.OperationalError as error:
            raise Unavailable("The notes' database does not answer.") from error
        if noted is None:
            raise Missing
        return Noted(*noted)


def _author(caller: Caller) -> dict[str, str]:
    """Name the assistant, its client, and by a pseudonym the person it acted for."""
    return {
        "author": caller.actor or caller.client,
        "client": caller.client,
        "pseudonym": caller.identity,
    }

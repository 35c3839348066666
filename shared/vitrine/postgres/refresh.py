"""What a schedule asks of PostgreSQL: samples, and the statistics of its words.

Both read thousands of rows, beyond the three seconds of a search. The statistics are
the one thing that the service may have written, by a function of the owner's that
takes no row from the caller.
"""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
from psycopg import sql

from vitrine.caller import Caller
from vitrine.postgres.line import Connect, ask_as
from vitrine.postgres.search import Postgres
from vitrine.problems import Unavailable
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample

PATIENCE = "60s"
STALE = "6 hours"
"""Age of a lesson from which another is due. It costs a second or two of the database
for 50,000 texts, and a tenth of the texts ranks as well as all: matching is current
whatever its age, only order and "did you mean" lag."""

_LEARN = sql.SQL("SELECT vitrine.learn(%(source)s::text, %(stale)s::interval)")


class Patient:
    """A ``search.engine.Sampler`` over a PostgreSQL."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._engine = Postgres(connect, patience=PATIENCE)

    def observe(self, caller: Caller, registry: Registry) -> Mapping[str, Sample]:
        """Observe each field's values among the caller's newest rows.

        Raises ``Unavailable`` where the database does not answer, or lacks what the
        manifest names: the other sources of a tick are none the worse for it.
        """
        try:
            return self._engine.sample(caller, registry.manifest)
        except psycopg.Error as error:
            raise Unavailable("The values can't be observed.") from error

    def learn(self, caller: Caller, source: str) -> bool:
        """Refresh a source's words and statistics where they are stale.

        Raises ``Unavailable`` where the database does not answer in time.
        """
        try:
            with self._connect() as connection, connection.transaction():
                ask_as(connection, caller, PATIENCE)
                asked = {"source": source, "stale": STALE}
                row = connection.execute(_LEARN, asked).fetchone()
        except psycopg.Error as error:
            raise Unavailable("The words can't be learnt now.") from error
        return row == (True,)

    def close(self) -> None:
        """Drop the connection."""
        self._engine.close()

"""The tenants and teams that the library and the CRM share, and how they load.

Everything is written as the superuser that a desk has; the service role that
searches can't write a single row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

TENANTS = {"aurore": ("Maison Aurore", "fr"), "boreal": ("Boreal Living", "en")}
"""Each tenant's name and the language of its texts."""

MEMBERS = {
    "aurore": {
        "camille": ("marketing", "design"),
        "louis": ("press",),
        "nora": ("direction", "marketing"),
        "jeanne": (),
    },
    "boreal": {"erik": ("marketing", "design"), "sofia": ("press",), "olav": ()},
}
"""Who is in which team; somebody in none sees what is open to all of the tenant."""

Connection = psycopg.Connection[tuple[Any, ...]]

_TENANT = sql.SQL(
    "INSERT INTO directory.tenants (tenant, name, language) VALUES (%s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_MEMBER = sql.SQL(
    "INSERT INTO directory.members (tenant, subject, team) VALUES (%s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_LEARN = sql.SQL("SELECT directory.learn(%s, %s)")
# An index that a constraint needs stays.
_INDEXES = sql.SQL("""
    SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
    FROM pg_index AS i WHERE i.indrelid = ANY(%s::regclass[]) AND NOT i.indisunique""")
_BARE = sql.SQL("SET LOCAL session_replication_role = replica")
_ARMED = sql.SQL("SET LOCAL session_replication_role = origin")
_DROP = sql.SQL("DROP INDEX {}")
_COPY = sql.SQL("COPY {} ({}) FROM STDIN")


def seed_directory(connection: Connection) -> None:
    """Add tenants and members where they are not there yet."""
    connection.execute(sql.SQL("SELECT directory.harden()"))
    for tenant, (name, language) in TENANTS.items():
        connection.execute(_TENANT, (tenant, name, language))
        for subject, teams in MEMBERS[tenant].items():
            for team in teams:
                connection.execute(_MEMBER, (tenant, subject, team))


@contextmanager
def filling(connection: Connection, *tables: str) -> Iterator[None]:
    """Load without triggers and indexes; these are made at the end, all at once.

    What a trigger would have written is the loader's to write.
    """
    indexes = connection.execute(_INDEXES, [list(tables)]).fetchall()
    for name, _ in indexes:
        connection.execute(_DROP.format(sql.Identifier(*name.split("."))))
    connection.execute(_BARE)
    yield
    connection.execute(_ARMED)
    for _, made in indexes:
        connection.execute(made)


def load(
    connection: Connection,
    table: tuple[str, str],
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> int:
    """Copy rows into a table and count them."""
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    order = _COPY.format(sql.Identifier(*table), names)
    number = 0
    with connection.cursor() as cursor, cursor.copy(order) as copy:
        for row in rows:
            copy.write_row(row)
            number += 1
    return number


def learn(connection: Connection, *sources: str) -> None:
    """Learn the words and statistics of both tenants' texts, as is done each day."""
    for source in sources:
        for tenant in TENANTS:
            connection.execute(_LEARN, (source, tenant))

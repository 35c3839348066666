"""The tenants and teams that the library and the CRM share, and how they load.

Everything is written as the superuser that a desk has; the service role that
searches can't write a single row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
_COPY = sql.SQL("COPY {} ({}) FROM STDIN")


def seed_directory(connection: Connection) -> None:
    """Add tenants and members where they are not there yet."""
    connection.execute(sql.SQL("SELECT directory.harden()"))
    for tenant, (name, language) in TENANTS.items():
        connection.execute(_TENANT, (tenant, name, language))
        for subject, teams in MEMBERS[tenant].items():
            for team in teams:
                connection.execute(_MEMBER, (tenant, subject, team))


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

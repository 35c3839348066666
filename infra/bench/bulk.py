"""A large library out of the demo's: its items again and again, at other moments.

Texts, values and access rules keep the demo's shares, so that a filter finds the same
part of it; ids and moments are new. Indexes are made at the end.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from infra.local.demo.directory import filling
from infra.local.demo.media import COLUMNS, seed_library

TENANT = "aurore"
SEEDED = 4_000
_AGAIN = sql.SQL("""INSERT INTO library.assets ({columns})
    SELECT {values} FROM generate_series(1, %(times)s) AS n
    CROSS JOIN library.assets AS a WHERE a.tenant = 'aurore' LIMIT %(more)s""")
# Where only the order of rows matters, they carry no more than a title.
_SLIM = sql.SQL("""INSERT INTO library.assets
    (tenant, id, language, kind, status, title, occurred_at, owner, teams, is_public)
    SELECT 'aurore', gen_random_uuid(), 'fr', 'photo', 'approved', 'Image ' || n,
        timestamptz '2026-11-29' - n * interval '97.000123 seconds',
        CASE mod(n, 5) WHEN 0 THEN 'camille' ELSE 'louis' END,
        CASE mod(n, 3) WHEN 0 THEN ARRAY['press'] ELSE '{}' END, mod(n, 5) > 1
    FROM generate_series(1, %(more)s) AS n""")
_NEW = {
    "id": sql.SQL("gen_random_uuid()"),
    "occurred_at": sql.SQL("a.occurred_at - n * interval '31:07:13.000417'"),
    "reference": sql.SQL("a.reference || '-' || n"),
}
_RENUMBER = sql.SQL("SELECT library.renumber('aurore')")
_LEARN = sql.SQL("SELECT directory.learn('media', 'aurore')")
_ANALYZE = sql.SQL("VACUUM (ANALYZE) library.assets")
_ANALYZE_NUMBERS = sql.SQL("VACUUM (ANALYZE) library.numbers")


def multiply(dsn: str, rows: int, *, slim: bool = False) -> int:
    """Bring the tenant's library to so many rows; count them."""
    small = min(rows, SEEDED)
    seed_library(dsn, {TENANT: small})
    with psycopg.connect(dsn) as connection:
        with filling(connection, "library.assets", "library.numbers"):
            _add(connection, rows - small, slim=slim)
        connection.execute(_LEARN)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_ANALYZE)
        connection.execute(_ANALYZE_NUMBERS)
        counted = connection.execute("SELECT count(*) FROM library.assets").fetchone()
    return int((counted or (0,))[0])


def _add(connection: psycopg.Connection[Any], more: int, *, slim: bool) -> None:
    if slim:
        connection.execute(_SLIM, {"more": more})
        return
    names = sql.SQL(", ").join(map(sql.Identifier, COLUMNS))
    values = sql.SQL(", ").join(
        _NEW.get(name, sql.Identifier("a", name)) for name in COLUMNS
    )
    again = _AGAIN.format(columns=names, values=values)
    connection.execute(again, {"times": more // SEEDED + 1, "more": more})
    connection.execute(_RENUMBER)

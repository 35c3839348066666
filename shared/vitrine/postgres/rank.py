"""How relevant a row is to a query: the one place that decides the order of text.

`ts_rank` knows no statistics of the collection; a better score replaces
``relevance`` and adds what it needs to ``statistics``, and nothing else changes.
"""

from __future__ import annotations

from psycopg import sql

from vitrine.postgres.scope import column

_RANK = sql.SQL("ts_rank('{{0.1, 0.2, 0.4, 1.0}}', {vector}, {query}, 1)::float8")


def relevance(query: sql.Composable) -> sql.Composed:
    """Score the row for a tsquery: title before keywords before text."""
    return _RANK.format(vector=column("tsv"), query=query)

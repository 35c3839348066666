"""Values on their way into a statement: always bound, always cast.

psycopg sends 1 as int2 and '' as unknown; btree_gin then ignores the index column,
so that each value says its column's type.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Literal

from psycopg import sql

Kind = Literal[
    "text",
    "text[]",
    "numeric",
    "numeric[]",
    "bigint",
    "bigint[]",
    "integer",
    "integer[]",
    "float8",
    "boolean",
    "boolean[]",
    "date",
    "date[]",
    "timestamptz",
    "timestamptz[]",
    "time",
    "time[]",
    "jsonb",
    "uuid",
    "uuid[]",
    "halfvec",
]

_CASTS: MappingProxyType[Kind, sql.SQL] = MappingProxyType(
    {
        "text": sql.SQL("::text"),
        "text[]": sql.SQL("::text[]"),
        "numeric": sql.SQL("::numeric"),
        "numeric[]": sql.SQL("::numeric[]"),
        "bigint": sql.SQL("::bigint"),
        "bigint[]": sql.SQL("::bigint[]"),
        "integer": sql.SQL("::integer"),
        "integer[]": sql.SQL("::integer[]"),
        "float8": sql.SQL("::float8"),
        "boolean": sql.SQL("::boolean"),
        "boolean[]": sql.SQL("::boolean[]"),
        "date": sql.SQL("::date"),
        "date[]": sql.SQL("::date[]"),
        "timestamptz": sql.SQL("::timestamptz"),
        "timestamptz[]": sql.SQL("::timestamptz[]"),
        "time": sql.SQL("::time"),
        "time[]": sql.SQL("::time[]"),
        "jsonb": sql.SQL("::jsonb"),
        "uuid": sql.SQL("::uuid"),
        "uuid[]": sql.SQL("::uuid[]"),
        "halfvec": sql.SQL("::public.halfvec"),
    }
)


class Binds:
    """Collect the values of one statement, each under a name of its own."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def __call__(self, value: Any, kind: Kind) -> sql.Composed:
        """Bind a value as a type."""
        name = "_".join(("b", str(len(self.values))))
        self.values[name] = value
        return sql.Composed([sql.Placeholder(name), _CASTS[kind]])


def storable(text: str) -> bool:
    """Tell whether a text could be stored at all: no NUL, no half character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text

"""An order that the caller chose: by which value, and what comes after a row.

Rows without a value come last whichever way the values go, and the id breaks ties the
same way, so that a walk of ``occurred_at`` runs along its index in both directions.
The value goes into the cursor as PostgreSQL writes it, to the microsecond.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from psycopg import sql

from vitrine.postgres.binds import Binds
from vitrine.postgres.cursor import NOTHING, SAID, Place, foreign
from vitrine.postgres.fields import kind_of, value_of
from vitrine.registry.operators import FieldType
from vitrine.search.engine import Sort

NAME = sql.Identifier("sorted")
"""The column that carries the value through a statement."""
FIRM = "occurred_at"
"""The one column that is never NULL, and has an index to be walked along."""

_FOLDED = sql.SQL("nullif(vitrine.fold({}), '') COLLATE \"C\"")
_TEXTS = frozenset({FieldType.TEXT, FieldType.KEYWORD, FieldType.IDENTIFIER})
_DIRECTIONS = MappingProxyType({False: sql.SQL("ASC"), True: sql.SQL("DESC")})
_BEYOND = MappingProxyType({False: sql.SQL(">"), True: sql.SQL("<")})
_BY = sql.SQL("{value} {way}{nulls}, {id} {way}")
_LAST = sql.SQL(" NULLS LAST")
_AFTER = sql.SQL("({value}, {id}) {beyond} ({at}, {last})")
_OR_NONE = sql.SQL("({} OR {} IS NULL)")
_AMONG_NONE = sql.SQL("({value} IS NULL AND {id} {beyond} {last})")
# What PostgreSQL writes of each type; anything else would raise when it is cast.
_SHAPES: MappingProxyType[str, re.Pattern[str]] = MappingProxyType(
    {
        "numeric": re.compile(r"-?\d+(\.\d+)?(e[+-]\d+)?|NaN|-?Infinity"),
        "bigint": re.compile(r"-?\d{1,19}"),
        "date": re.compile(r"\d{4,7}-\d\d-\d\d( BC)?|-?infinity"),
        "timestamptz": re.compile(
            r"\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d){0,2}( BC)?"
            r"|-?infinity"
        ),
        "time": re.compile(r"\d\d:\d\d:\d\d(\.\d{1,6})?"),
        "text": re.compile(r".*", re.DOTALL),
    }
)


_TOLD = sql.SQL("CASE WHEN {0} IS NULL THEN {nothing} ELSE {said} || {0}::text END")
_CARRIED = sql.SQL("{}.{}")


def value(sort: Sort) -> sql.Composable:
    """Read the value that orders a row of the view; a text folded, as it is found."""
    read = value_of(sort.field)
    return _FOLDED.format(read) if sort.field.type in _TEXTS else read


def is_firm(sort: Sort | None) -> bool:
    """Tell whether rows can be met in the order, along an index."""
    return sort is None or sort.field.place == FIRM


def by(
    sort: Sort, row: sql.Identifier, read: sql.Composable | None = None
) -> sql.Composed:
    """Order rows by the column that carries the value, or by what ``read`` reads."""
    return _BY.format(
        value=read or _carried(row),
        id=_id(row),
        way=_DIRECTIONS[sort.descending],
        # A column without NULLs is walked along its index, which is not made for NULLS
        # LAST.
        nulls=sql.SQL("") if is_firm(sort) else _LAST,
    )


def after(
    sort: Sort,
    place: Place,
    row: sql.Identifier,
    binds: Binds,
    *,
    read: sql.Composable | None = None,
) -> sql.Composed:
    """Test that a row comes after a place in the order."""
    parts = {
        "value": read or _carried(row),
        "id": _id(row),
        "beyond": _BEYOND[sort.descending],
        "last": binds(place.id, "uuid"),
    }
    said = _said(sort, place)
    if said is None:
        return _AMONG_NONE.format(**parts)
    beyond = _AFTER.format(**parts, at=binds(said, kind_of(sort.field)))
    # A row comparison with NULL is neither true nor false, so that rows without a value
    # would never come.
    return beyond if is_firm(sort) else _OR_NONE.format(beyond, parts["value"])


def _said(sort: Sort, place: Place) -> str | None:
    """Read the place's value; raise ``Invalid`` for one that is not of its type."""
    if place.sorted == NOTHING:
        return None
    said = place.sorted.removeprefix(SAID)
    shape = _SHAPES[kind_of(sort.field)]
    if said == place.sorted or not shape.fullmatch(said):
        raise foreign()
    return said


def told(row: sql.Identifier) -> sql.Composed:
    """Write a row's value as it goes into a place."""
    said, nothing = sql.Literal(SAID), sql.Literal(NOTHING)
    return _TOLD.format(_carried(row), said=said, nothing=nothing)


def _carried(row: sql.Identifier) -> sql.Composed:
    return _CARRIED.format(row, NAME)


def _id(row: sql.Identifier) -> sql.Composed:
    return _CARRIED.format(row, sql.Identifier("id"))

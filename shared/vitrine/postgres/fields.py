"""One field's tests: where its values are kept, and how each type compares."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from psycopg import sql

from vitrine.language.folding import squash
from vitrine.postgres.binds import Binds, Kind, storable
from vitrine.postgres.scope import ROW, column, meta_key
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.conditions import Member

Test = Callable[[sql.Composable], sql.Composable]

_OR = sql.SQL(" OR ")
_ELEMENT = sql.Identifier("e")
_UNNESTED = sql.SQL("EXISTS (SELECT FROM unnest({}) AS e WHERE {})")
_ELEMENTS = sql.SQL(
    "EXISTS (SELECT FROM jsonb_array_elements("
    "CASE jsonb_typeof({0}) WHEN 'array' THEN {0} ELSE '[]' END) AS e WHERE {1})"
)
_STORED = sql.SQL("({}.meta -> {})")
_TEXT = sql.SQL("({} #>> '{{}}')")
_READERS: MappingProxyType[FieldType, sql.SQL] = MappingProxyType(
    {
        FieldType.NUMBER: sql.SQL("vitrine.number_of({})"),
        FieldType.DATE: sql.SQL("vitrine.date_of({})"),
        FieldType.DATETIME: sql.SQL("vitrine.instant_of({})"),
        FieldType.TIME: sql.SQL("vitrine.time_of({})"),
    }
)
_KINDS: MappingProxyType[FieldType, Kind] = MappingProxyType(
    {
        FieldType.NUMBER: "numeric",
        FieldType.DATE: "date",
        FieldType.DATETIME: "timestamptz",
        FieldType.TIME: "time",
        FieldType.BOOLEAN: "boolean",
    }
)
_LISTS: MappingProxyType[Kind, Kind] = MappingProxyType(
    {
        "text": "text[]",
        "numeric": "numeric[]",
        "bigint": "bigint[]",
        "date": "date[]",
        "timestamptz": "timestamptz[]",
        "time": "time[]",
        "boolean": "boolean[]",
    }
)
# Types whose stored spelling is compared as it is: containment finds them by index.
_EXACT = frozenset({FieldType.KEYWORD, FieldType.VOCABULARY, FieldType.ORIENTATION})
_CONTAINED = _EXACT | {FieldType.BOOLEAN, FieldType.NUMBER, FieldType.DATE}
_SPELLINGS: MappingProxyType[FieldType, sql.SQL] = MappingProxyType(
    {
        FieldType.TEXT: sql.SQL("vitrine.fold({})"),
        FieldType.IDENTIFIER: sql.SQL("vitrine.squash({})"),
        FieldType.COLOUR: sql.SQL("lower({})"),
    }
)
_PLAIN = sql.SQL("{}")
_SAID = sql.SQL("vitrine.said_in({}.meta) && {}")
SAID = 60
"""Signs of a text in the index, as `vitrine.said_in` cuts them."""
_UNSAID = re.compile(r"[0-9\[{]|true$|false$|[0-9a-f]{8}-|$")
_ANY = sql.SQL("{} = ANY({})")
_OVERLAPS = sql.SQL("{} && {}")
_HOLDS = sql.SQL("{}.meta @> {}")
_FILLED = sql.SQL("{} <> ''")
_COUNTED = sql.SQL("cardinality({}) > 0")
_THERE = sql.SQL("{} IS NOT NULL")
_VALUED = sql.SQL("""{} <> ALL (ARRAY['null', '""', '[]']::jsonb[])""")


def kind_of(field: Field) -> Kind:
    """Give the SQL type that a field's value compares as."""
    if field.integer and meta_key(field) is None:
        return "bigint"
    return _KINDS.get(field.type, "text")


def each(field: Field, test: Test) -> sql.Composable:
    """Apply a test to the field's value, or to any of its values."""
    key = meta_key(field)
    if key is None:
        place = column(field.place)
        return _UNNESTED.format(place, test(_ELEMENT)) if field.multi else test(place)
    stored = stored_at(key)
    if field.multi:
        return _ELEMENTS.format(stored, test(_typed(field, _ELEMENT)))
    return test(_typed(field, stored))


def value_of(field: Field) -> sql.Composable:
    """Read a field's only value as its type, NULL where it is none of that type."""
    key = meta_key(field)
    return column(field.place) if key is None else _typed(field, stored_at(key))


def stored_at(key: str) -> sql.Composed:
    """Read a tenant-defined value, as jsonb; the key is a literal of the registry."""
    return _STORED.format(ROW, sql.Literal(key))


def _typed(field: Field, stored: sql.Composable) -> sql.Composed:
    if field.type is FieldType.BOOLEAN:
        return sql.SQL("({} = 'true')").format(stored)
    return _READERS.get(field.type, _TEXT).format(stored)


def member(leaf: Member, binds: Binds) -> sql.Composable:
    """Test for one of some values; those that no row can have are left out."""
    field, values = leaf.field, _possible(leaf.field, leaf.values)
    if not values:
        return sql.SQL("FALSE")
    key = meta_key(field)
    if key is not None and field.type in _CONTAINED:
        return _held(field, key, values, binds)
    kind = kind_of(field)
    array = binds(values, _LISTS[kind])
    if key is None and field.multi and field.type in _EXACT:
        return _OVERLAPS.format(column(field.place), array)
    spelling = _SPELLINGS.get(field.type, _PLAIN)
    return each(field, lambda e: _ANY.format(spelling.format(e), array))


def said(leaf: Member, binds: Binds) -> sql.Composable | None:
    """Find a tenant-defined text by the index of texts, None where it knows it not."""
    key, values = meta_key(leaf.field), _possible(leaf.field, leaf.values)
    kept = leaf.field.type is FieldType.TEXT and not leaf.field.multi
    if key is None or not kept or not values:
        return None
    if any(_UNSAID.match(value) for value in values):
        return None
    asked = binds([f"{key} {value[:SAID]}" for value in values], "text[]")
    return _SAID.format(ROW, asked)


def _held(
    field: Field, key: str, values: Iterable[Any], binds: Binds
) -> sql.Composable:
    """Ask jsonb for each value by containment, which the composite GIN answers."""
    documents = ({key: [v] if field.multi else v} for v in values)
    tests = [_HOLDS.format(ROW, binds(_json(d), "jsonb")) for d in documents]
    return sql.SQL("({})").format(_OR.join(tests))


def _json(document: Any) -> str:
    """Write JSON in which a Decimal stays the number that it is."""
    if isinstance(document, dict):
        pairs = (": ".join((json.dumps(k), _json(v))) for k, v in document.items())
        return "".join(("{", ", ".join(pairs), "}"))
    if isinstance(document, list):
        return "".join(("[", ", ".join(map(_json, document)), "]"))
    return str(document) if isinstance(document, Decimal) else json.dumps(document)


def _possible(field: Field, values: Iterable[Any]) -> list[Any]:
    """Drop the values that no row can have, and bring the others to their type."""
    kept = [v for v in values if not isinstance(v, str) or storable(v)]
    match field.type:
        case FieldType.IDENTIFIER:
            return [code for v in kept if (code := squash(str(v)))]
        case FieldType.COLOUR:
            return [str(v).lower() for v in kept]
        case FieldType.NUMBER if kind_of(field) == "bigint":
            return [int(v) for v in kept if whole(Decimal(v))]
        case FieldType.NUMBER:
            return [Decimal(v) for v in kept]
        case _:
            return [v for v in kept if v != ""]


def whole(number: Decimal) -> bool:
    """Tell whether a number is one of int8."""
    return number == number.to_integral_value() and abs(number) < 2**63


def present(field: Field) -> sql.Composable:
    """Test that there is a value: not an empty text, not an empty list."""
    key = meta_key(field)
    if key is not None:
        return _VALUED.format(stored_at(key))
    if field.multi:
        return _COUNTED.format(column(field.place))
    filled = kind_of(field) == "text"
    return (_FILLED if filled else _THERE).format(column(field.place))

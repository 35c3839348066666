"""What of a row is read: its fields as JSON, its vocabulary as labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from vitrine.postgres.scope import Scope, column, meta_key
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType

PAIRS = 40
"""Pairs of one jsonb_build_object, which takes 100 arguments at most."""

_COMMA = sql.SQL(", ")
_MERGED = sql.SQL(" || ")
_OBJECT = sql.SQL("jsonb_build_object({})")
_PAIR = sql.SQL("{}, {}")
_META = sql.SQL("v.meta -> {}")
_META_TEXT = sql.SQL("v.meta ->> {}")
_IDS = sql.SQL(
    "ARRAY(SELECT i #>> '{{}}' FROM jsonb_path_query("
    "jsonb_build_array({}), 'lax $[*][*]') AS i)"
)
_LABELS = sql.SQL("""(SELECT jsonb_object_agg(b.id, b.label) FROM (
    SELECT DISTINCT ON (t.id) t.id, t.label FROM {terms} AS t
    WHERE t.id = ANY(ARRAY(SELECT unnest(s.ids) FROM shown AS s{counted}))
    ORDER BY t.id, t.language = {language} DESC, t.language
) AS b)""")
_COUNTED = sql.SQL(" UNION SELECT f.value FROM {} AS f")
_UNNEST = sql.SQL(" CROSS JOIN LATERAL unnest({}) AS e (value)")
_ELEMENTS = sql.SQL(
    " CROSS JOIN LATERAL jsonb_array_elements_text("
    "CASE jsonb_typeof({0}) WHEN 'array' THEN {0} ELSE '[]' END) AS e (value)"
)


@dataclass(frozen=True, slots=True)
class Document:
    """How to read a row: its values, and the vocabulary ids among them."""

    values: sql.Composable
    ids: sql.Composable
    worded: bool


def readable(fields: Iterable[Field]) -> list[Field]:
    """Keep the fields that a row has a value of."""
    return [f for f in fields if f.type is not FieldType.RELATION]


def document(fields: Iterable[Field]) -> Document:
    """Read all fields of a row of the view."""
    kept = readable(fields)
    pairs = [_PAIR.format(sql.Literal(f.key), stored(f)) for f in kept]
    chunks = [pairs[n : n + PAIRS] for n in range(0, len(pairs), PAIRS)]
    worded = [stored(f) for f in kept if f.type is FieldType.VOCABULARY]
    as_json = [sql.SQL("to_jsonb({})").format(w) for w in worded]
    return Document(
        values=_MERGED.join(_OBJECT.format(_COMMA.join(c)) for c in chunks),
        ids=_IDS.format(_COMMA.join(as_json)) if worded else sql.SQL("'{}'::text[]"),
        worded=bool(worded),
    )


def stored(field: Field) -> sql.Composed:
    """Read a field where it is kept."""
    key = meta_key(field)
    return column(field.place) if key is None else _META.format(sql.Literal(key))


def labels(
    scope: Scope, language: sql.Composable, counted: Iterable[sql.Identifier] = ()
) -> sql.Composed:
    """Read the labels of the ids on the page and in the facets, in a language."""
    more = [_COUNTED.format(facet) for facet in counted]
    return _LABELS.format(
        terms=scope.beside("_terms"), language=language, counted=sql.Composed(more)
    )


def facet_values(field: Field) -> tuple[sql.Composable, sql.SQL | None]:
    """Give a facet's column, and how its values are taken one by one."""
    key = meta_key(field)
    if key is None:
        place = column(field.place)
        single = sql.SQL("{}::text").format(place)
        return (place, _UNNEST) if field.multi else (single, None)
    if field.multi:
        return _META.format(sql.Literal(key)), _ELEMENTS
    return _META_TEXT.format(sql.Literal(key)), None


def worded(
    values: Mapping[str, Any], fields: Iterable[Field], names: Mapping[str, str]
) -> dict[str, Any]:
    """Put labels in place of vocabulary ids; a term out of sight is left out."""
    told = dict(values)
    for field in fields:
        if field.type is FieldType.VOCABULARY and told.get(field.key) is not None:
            told[field.key] = _named(told[field.key], names)
    return told


def _named(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [names[v] for v in value if v in names]
    return names.get(value)

"""What of a row is read: its fields as JSON, its vocabulary as labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_DOCUMENT = sql.SQL("jsonb_build_array({columns}, {meta})")
_NO_IDS = sql.SQL("'{}'::text[]")
_META_IDS = sql.SQL(
    "ARRAY(SELECT i #>> '{}' FROM jsonb_path_query("
    """v.meta, 'lax $.*[*] ? (@.type() == "string")') AS i)"""
)
_LABELS = sql.SQL("""(SELECT jsonb_object_agg(b.id, b.label) FROM (
    SELECT DISTINCT ON (t.id) t.id, t.label FROM {terms} AS t
    WHERE t.id = ANY(ARRAY(SELECT unnest(s.ids) FROM shown AS s{counted}))
    ORDER BY t.id, t.language = {language} DESC, t.language
) AS b)""")
_COUNTED = sql.SQL(" UNION SELECT f.value FROM {} AS f")
# A value that a row holds twice counts once.
_UNNEST = sql.SQL(
    " CROSS JOIN LATERAL (SELECT u.value FROM unnest({0}) WITH ORDINALITY"
    " AS u (value, n) WHERE array_position({0}, u.value) = u.n) AS e"
)
_ELEMENTS = sql.SQL(
    " CROSS JOIN LATERAL (SELECT DISTINCT u.value FROM jsonb_array_elements_text("
    "CASE jsonb_typeof({0}) WHEN 'array' THEN {0} ELSE '[]' END) AS u (value)) AS e"
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
    """Read all fields of a row of the view: its columns, then ``meta`` as it is.

    ``meta`` is read whole, once: each ``->`` would fetch and unpack it anew.
    """
    kept = readable(fields)
    pairs = [
        _PAIR.format(sql.Literal(f.key), column(f.place))
        for f in kept
        if meta_key(f) is None
    ]
    chunks = [pairs[n : n + PAIRS] for n in range(0, len(pairs), PAIRS)]
    columns = _MERGED.join(_OBJECT.format(_COMMA.join(c)) for c in chunks)
    meta = sql.SQL("NULL" if len(pairs) == len(kept) else "v.meta")
    worded = [f for f in kept if f.type is FieldType.VOCABULARY]
    return Document(
        values=_DOCUMENT.format(columns=columns, meta=meta),
        ids=_MERGED.join(_ids(worded)) if worded else _NO_IDS,
        worded=bool(worded),
    )


def _ids(worded: Iterable[Field]) -> Iterator[sql.Composable]:
    """Collect what may be a vocabulary id; what is none names no term."""
    inside = False
    yield _NO_IDS
    for field in worded:
        inside = inside or meta_key(field) is not None
        if meta_key(field) is None:
            place = column(field.place)
            yield place if field.multi else sql.SQL("ARRAY[{}]").format(place)
    if inside:
        yield _META_IDS


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


def read(
    document: Sequence[Any], fields: Iterable[Field], names: Mapping[str, str]
) -> dict[str, Any]:
    """Give a row's values by field, labels in place of vocabulary ids.

    A term out of the caller's sight is left out.
    """
    columns, meta = document
    values: dict[str, Any] = {}
    for field in readable(fields):
        key = meta_key(field)
        value = columns[field.key] if key is None else meta.get(key)
        worded = field.type is FieldType.VOCABULARY and value is not None
        values[field.key] = _named(value, names) if worded else value
    return values


def _named(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [names[v] for v in value if v in names]
    return names.get(value)

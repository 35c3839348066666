"""Observed values of a source's fields: a bounded scan of the caller's newest rows.

5,000 rows tell 93 % of the true top 25 in 137 ms; an exact pass takes 12.7 s.
Only visible rows are read, extents included: a hidden value never reaches a prompt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from psycopg import sql

from vitrine.caller import Caller
from vitrine.postgres.binds import Binds
from vitrine.postgres.fields import value_of
from vitrine.postgres.output import facet_values
from vitrine.postgres.scope import Scope, column, meta_key, stem_of
from vitrine.postgres.statement import Statement
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.samples import LABELS, VALUES, Sample

NEWEST = 5_000
FEW = 150
"""Tenant-defined fields up to which each is read by itself; one pass over all that a
row defines takes half as long again for fifty, and half the time for five hundred."""
LONGEST = 80
"""Longer texts are prose, not values."""

_LISTED = frozenset(
    {FieldType.TEXT, FieldType.KEYWORD, FieldType.ORIENTATION, FieldType.COLOUR}
)
_MEASURED = frozenset({FieldType.NUMBER, FieldType.DATE, FieldType.DATETIME})

_SAMPLE = sql.SQL("""WITH newest AS MATERIALIZED (
    SELECT {carried} FROM {view} ORDER BY v.occurred_at DESC, v.id DESC LIMIT {most}
){defined} {parts}""")
# Tenant-defined values are taken in one pass: five hundred `->` would each unpack the
# row's whole object, which took six seconds.
_DEFINED = sql.SQL(""",
asked (key, place, kind, many) AS MATERIALIZED (
    SELECT * FROM unnest({keys}, {places}, {kinds}, {many})
),
held AS MATERIALIZED (
    SELECT a.key, a.kind, a.many, m.value
    FROM newest AS c CROSS JOIN LATERAL jsonb_each(c.meta) AS m (place, value)
    JOIN asked AS a ON a.place = m.place
)""")
_TOPS = sql.SQL("""(SELECT t.key, 'value' AS what, t.said, t.n FROM (
    SELECT o.key, o.said, count(*) AS n, row_number() OVER (
        PARTITION BY o.key ORDER BY count(*) DESC, o.said) AS place
    FROM (
        SELECT h.key, h.value #>> '{{}}' AS said FROM held AS h
        WHERE h.kind = 'listed' AND NOT h.many
        UNION ALL
        SELECT h.key, e.said FROM held AS h CROSS JOIN LATERAL (
            SELECT DISTINCT u.said FROM jsonb_array_elements_text(
                CASE jsonb_typeof(h.value) WHEN 'array' THEN h.value ELSE '[]' END
            ) AS u (said)
        ) AS e WHERE h.kind = 'listed' AND h.many
    ) AS o WHERE o.said <> '' AND length(o.said) <= {longest} GROUP BY 1, 2
) AS t WHERE t.place <= {top})""")
_SPANS = sql.SQL("""(SELECT s.key, e.what, e.said #>> '{{}}', 0::bigint FROM (
    SELECT h.key, min({value}) AS low, max({value}) AS high FROM held AS h
    WHERE h.kind = {kind} GROUP BY 1
) AS s CROSS JOIN LATERAL (
    VALUES ('low', to_jsonb(s.low)), ('high', to_jsonb(s.high))
) AS e (what, said) WHERE e.said <> 'null')""")
_UNION = sql.SQL(" UNION ALL ")
_COMMA = sql.SQL(", ")
_TOP = sql.SQL("""(SELECT {key}, 'value' AS what, {value} AS said, count(*) AS n
    FROM newest AS c{unnested} WHERE {value} <> '' AND length({value}) <= {longest}
    GROUP BY 3 ORDER BY 4 DESC, 3 LIMIT {top})""")
_EDGES = sql.SQL("""(SELECT {key}, e.what, e.said #>> '{{}}', 0::bigint FROM (
    SELECT min({value}) AS low, max({value}) AS high FROM newest AS c
) AS s CROSS JOIN LATERAL (
    VALUES ('low', to_jsonb(s.low)), ('high', to_jsonb(s.high))
) AS e (what, said) WHERE e.said <> 'null')""")
_LABELLED = sql.SQL("""(SELECT {key}, 'label', b.label, 0::bigint FROM (
    SELECT DISTINCT ON (t.id) t.label FROM {terms} AS t WHERE t.field = {field}
    ORDER BY t.id, t.language = {language} DESC, t.language
) AS b ORDER BY b.label LIMIT {most})""")
_READERS = {
    FieldType.NUMBER: sql.SQL("vitrine.number_of({})"),
    FieldType.DATE: sql.SQL("vitrine.date_of({})"),
    FieldType.DATETIME: sql.SQL("vitrine.instant_of({})"),
}


def observed(caller: Caller, manifest: Manifest) -> Statement:
    """Make the one statement that samples every field that may be sampled."""
    scope, binds = Scope(manifest.relation, manifest.text_language), Binds()
    fields = [f for f in manifest.fields if not f.sensitive]
    sampled = [f for f in fields if f.type in _LISTED | _MEASURED]
    inner = [f for f in sampled if meta_key(f) is not None]
    inner = inner if len(inner) > FEW else []
    kept = [f for f in sampled if f not in inner]
    parts = [_part(f, n, binds) for n, f in enumerate(kept)]
    parts += _inner(binds) if inner else []
    parts += [_terms(f, scope, caller, binds) for f in fields if _worded(f)]
    text = _SAMPLE.format(
        carried=_COMMA.join(_carried(kept, inside=bool(inner))),
        defined=_defined(inner, binds) if inner else sql.SQL(""),
        view=scope.view,
        most=binds(NEWEST, "integer"),
        parts=_UNION.join(parts) if parts else sql.SQL("SELECT '', '', '', 0 LIMIT 0"),
    )
    return Statement(text, binds.values)


def _worded(field: Field) -> bool:
    return field.type is FieldType.VOCABULARY


def _carried(fields: Iterable[Field], *, inside: bool) -> Iterator[sql.Composable]:
    yield column("id")
    for number, field in enumerate(fields):
        listed = field.type in _LISTED
        place = facet_values(field)[0] if listed else value_of(field)
        yield sql.SQL("{} AS {}").format(place, _name(number))
    if inside:
        yield column("meta")


def _name(number: int) -> sql.Identifier:
    return sql.Identifier("_".join(("field", str(number))))


def _defined(fields: Sequence[Field], binds: Binds) -> sql.Composed:
    """Name the tenant-defined fields, and take their values out of each row."""
    return _DEFINED.format(
        keys=binds([f.key for f in fields], "text[]"),
        places=binds([meta_key(f) for f in fields], "text[]"),
        kinds=binds([_kind(f) for f in fields], "text[]"),
        many=binds([f.multi for f in fields], "boolean[]"),
    )


def _kind(field: Field) -> str:
    return "listed" if field.type in _LISTED else field.type.value


def _inner(binds: Binds) -> Iterator[sql.Composed]:
    """Give the top values and the extents of all tenant-defined fields at once."""
    longest, top = binds(LONGEST, "integer"), binds(VALUES, "integer")
    yield _TOPS.format(longest=longest, top=top)
    for kind, reader in _READERS.items():
        value = reader.format(sql.SQL("h.value"))
        yield _SPANS.format(value=value, kind=binds(kind.value, "text"))


def _part(field: Field, number: int, binds: Binds) -> sql.Composed:
    place = sql.SQL("c.{}").format(_name(number))
    key = binds(field.key, "text")
    if field.type in _MEASURED:
        return _EDGES.format(key=key, value=place)
    unfold = facet_values(field)[1]
    return _TOP.format(
        key=key,
        value=sql.SQL("e.value") if unfold else place,
        unnested=unfold.format(place) if unfold else sql.SQL(""),
        longest=binds(LONGEST, "integer"),
        top=binds(VALUES, "integer"),
    )


def _terms(field: Field, scope: Scope, caller: Caller, binds: Binds) -> sql.Composed:
    return _LABELLED.format(
        key=binds(field.key, "text"),
        terms=scope.beside("_terms"),
        field=binds(stem_of(field), "text"),
        language=binds(caller.language, "text"),
        most=binds(LABELS, "integer"),
    )


def samples(rows: Sequence[tuple[Any, ...]]) -> Mapping[str, Sample]:
    """Read the statement's rows (key, what, said, n) into samples."""
    by_key: defaultdict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for key, what, said, number in rows:
        by_key[key].append((what, said, number))
    return {key: _sample(seen) for key, seen in by_key.items()}


def _sample(seen: list[tuple[str, str, int]]) -> Sample:
    ranked = sorted(seen, key=lambda s: (-s[2], s[1]))
    return Sample(
        values=tuple(_said(ranked, "value")),
        labels=tuple(_said(ranked, "label")),
        low=_edge(_said(ranked, "low")),
        high=_edge(_said(ranked, "high")),
    )


def _said(seen: Iterable[tuple[str, str, int]], wanted: str) -> list[str]:
    return [said for what, said, _ in seen if what == wanted]


def _edge(said: list[str]) -> float | str | None:
    """Read an extent: a number, or an ISO date as it stands."""
    if not said:
        return None
    try:
        return float(said[0])
    except ValueError:
        return said[0]

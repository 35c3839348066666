"""One statement for one page: rows, total, facets, labels and what really ran.

Without text a page is a walk of the index on ``(occurred_at, id)``: page 1,000
costs what page 1 does. With text it is ordered by mode, relevance, date and id
among the first 10,000 candidates; beyond that the total is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from vitrine.postgres import hybrid, rank, sort
from vitrine.postgres.binds import Binds
from vitrine.postgres.compile import TRUE, compiled, visible
from vitrine.postgres.cursor import Place
from vitrine.postgres.hybrid import Fusion, Meaning
from vitrine.postgres.ladder import Climb, known, steps, strict
from vitrine.postgres.output import document, facet_values, labels
from vitrine.postgres.scope import ROW, Scope, Way, column, scope_of
from vitrine.postgres.wording import Wording, wording
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.search.engine import Query

CANDIDATES = 10_000
"""Rows that are counted, ranked and put into facets (DESIGN §8)."""
FACET_VALUES = 100

_AND = sql.SQL(" AND ")
_COMMA = sql.SQL(", ")
_BASE = sql.SQL("v.id, v.occurred_at, {tier} AS tier, {score} AS score{facets}")
# Few matches are found once and sorted; many lie close together on the index.
_WALK = sql.SQL("""cand AS MATERIALIZED (
    SELECT v.id, v.occurred_at{facets} FROM {view} WHERE {sought} LIMIT {most}
),
page AS MATERIALIZED (
    (SELECT c.id, c.occurred_at, 1 AS tier, 0::float8 AS score{kept}
    FROM cand AS c WHERE {few} AND {after_few} ORDER BY {order_few} LIMIT {limit})
    UNION ALL
    (SELECT v.id, v.occurred_at, 1 AS tier, 0::float8 AS score{read}
    FROM {view} WHERE NOT {few} AND {filters} AND {after}
    ORDER BY {order} LIMIT {limit})
)""")
_BY_DATE = sql.SQL("{0}.occurred_at DESC, {0}.id DESC")
_FEW = sql.SQL("(SELECT count(*) < {most} FROM cand)")
_AFTER_DATE = sql.SQL("({row}.occurred_at, {row}.id) < ({at}, {id})")
_RANKED = sql.SQL("""{ladder}, {name} AS MATERIALIZED (
    SELECT * FROM ({candidates}) AS c LIMIT {most}
),
{rest}""")
_CAND = sql.Identifier("cand")
_C = sql.Identifier("c")
_LEXICAL = sql.Identifier("ranked")
_PAGE = sql.SQL("""page AS MATERIALIZED (
    SELECT c.id, c.occurred_at, c.tier, c.score{kept} FROM cand AS c WHERE {after}
    ORDER BY {order} LIMIT {limit}
)""")
_BY_RANK = sql.SQL("c.tier DESC, c.score DESC, c.occurred_at DESC, c.id DESC")
_ORDER = sql.SQL("s.tier DESC, s.score DESC, s.occurred_at DESC, s.id DESC")
_AFTER_RANK = sql.SQL(
    "(c.tier, c.score, c.occurred_at, c.id) < ({tier}, {score}, {at}, {id})"
)
_CANDIDATES = sql.SQL("SELECT {base} FROM {ranked} WHERE {match} AND {filters}{gate}")
_UNION = sql.SQL(" UNION ALL ")
# What no visible row has is not looked for again: how it would be is the planner's
# choice, by how common the word is in other tenants too.
_MODE_IS_STRICT = sql.SQL(" AND (SELECT l.mode = 'strict' AND l.met FROM ladder AS l)")
_MODE_IS_WIDER = sql.SQL(" AND (SELECT l.mode FROM ladder AS l) <> 'strict'")
_LADDER_QUERY = sql.SQL("(SELECT l.query FROM ladder AS l)")
_NULL = sql.SQL("NULL")
_MEANT = Place("", "", mode="semantic")
_NOTHING_TOLD: Mapping[str, sql.Composable] = {
    "mode": sql.SQL("'strict'"),
    "fallback": _NULL,
    "tree": _NULL,
    "generation": _NULL,
    "complete": sql.SQL("TRUE"),
}
_WHOLE = sql.SQL("""WITH {found}{counted}, shown AS MATERIALIZED (
    SELECT p.*, v.doc, v.ids
    FROM page AS p JOIN LATERAL (
        SELECT {document} AS doc, {ids} AS ids FROM {view} WHERE v.id = p.id
    ) AS v ON TRUE
)
SELECT (SELECT count(*) FROM cand) AS total,
    {mode} AS mode, {fallback} AS fallback, {tree} AS tree,
    {generation} AS generation, {complete} AS complete,
    (SELECT jsonb_agg(jsonb_build_array(s.id, to_char(s.occurred_at AT TIME ZONE 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), s.tier, s.score, s.doc, {sorted})
        ORDER BY {order})
     FROM shown AS s) AS page,
    {labels} AS labels, jsonb_build_array({facets}) AS facets""")
_FACET = sql.SQL(""", {name} AS MATERIALIZED (
    SELECT d.value, count(*) AS n FROM ({values}) AS d
    WHERE d.value <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {most}
)""")
_VALUES = sql.SQL("SELECT c.{name} AS value FROM cand AS c")
_UNFOLDED = sql.SQL("SELECT e.value FROM cand AS c{unfolded}")
_COUNTS = sql.SQL(
    "(SELECT jsonb_agg(jsonb_build_array(f.value, f.n) ORDER BY f.n DESC, f.value)"
    " FROM {} AS f)"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its bound values, ready to be run as it is."""

    text: sql.Composed
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Facet:
    """A facet's name in the statement, its column, and how its values unfold."""

    name: sql.Identifier
    field: Field
    place: sql.Composable
    unfold: sql.SQL | None


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the two kinds of page share while a statement is made."""

    query: Query
    scope: Scope
    binds: Binds
    filters: sql.Composable
    facets: tuple[_Facet, ...]
    meaning: Meaning | None = None

    @property
    def carried(self) -> sql.Composed:
        """Carry each facet's column along with the candidates, and what orders them."""
        named = (sql.SQL(", {} AS {}").format(f.place, f.name) for f in self.facets)
        return sql.Composed([*named, self.ordering])

    @property
    def ordering(self) -> sql.Composed:
        """Read the value of a chosen order along with a row of the view."""
        chosen = self.query.sort
        if chosen is None:
            return sql.Composed([])
        return sql.SQL(", {} AS {}").format(sort.value(chosen), sort.NAME)

    @property
    def kept(self) -> sql.Composed:
        """Keep that value of a candidate."""
        named = [sql.SQL(", c.{}").format(sort.NAME)] if self.query.sort else []
        return sql.Composed(named)


@dataclass(frozen=True, slots=True)
class _Found:
    """The tables up to ``cand`` and ``page``, the page's order, and what is told."""

    tables: sql.Composed
    order: sql.Composable
    told: Mapping[str, sql.Composable]


def _parts(query: Query, meaning: Meaning | None) -> _Parts:
    scope, binds = scope_of(query.registry), Binds()
    filters = compiled(query.condition, scope, binds)
    return _Parts(query, scope, binds, filters, tuple(_facets(query)), meaning)


def _facets(query: Query) -> Iterable[_Facet]:
    for number, key in enumerate(query.facets):
        field = query.registry.fields[key]
        name = sql.Identifier("_".join(("facet", str(number))))
        yield _Facet(name, field, *facet_values(field))


def search(
    query: Query, place: Place | None, meaning: Meaning | None = None
) -> Statement:
    """Make the statement of one page, from where the last one ended.

    With ``meaning`` the words' order is fused with the order by meaning.
    """
    parts = _parts(query, meaning)
    if query.text is None:
        found = _Found(_walk(parts, place), _order(parts), _NOTHING_TOLD)
    else:
        asked = wording(query.text.query, parts.scope.language)
        found = _texts(parts, asked, place)
    return Statement(_whole(parts, found), parts.binds.values)


def _walk(parts: _Parts, place: Place | None) -> sql.Composed:
    most = parts.binds(CANDIDATES + 1, "integer")
    return _WALK.format(
        facets=parts.carried,
        view=parts.scope.view,
        # Without an index on what orders, all that passes is to be sorted.
        filters=_filters(parts, "met" if sort.is_firm(parts.query.sort) else "sought"),
        sought=_filters(parts, "sought"),
        few=_FEW.format(most=most),
        after_few=_after(parts, _C, place),
        after=_after(parts, ROW, place),
        order_few=_walked(parts, _C),
        order=_walked(parts, ROW),
        kept=parts.kept,
        read=parts.ordering,
        most=most,
        limit=_limit(parts),
    )


def _filters(parts: _Parts, way: Way) -> sql.Composable:
    return compiled(parts.query.condition, parts.scope.come(way), parts.binds)


def _walked(parts: _Parts, row: sql.Identifier) -> sql.Composed:
    """Order a walk: of the view by what is read of a row, of candidates by a column."""
    chosen = parts.query.sort
    if chosen is None:
        return _BY_DATE.format(row)
    return sort.by(chosen, row, sort.value(chosen) if row is ROW else None)


def _order(parts: _Parts) -> sql.Composable:
    """Order the rows that are shown."""
    chosen = parts.query.sort
    return _ORDER if chosen is None else sort.by(chosen, sql.Identifier("s"))


def _after(parts: _Parts, row: sql.Identifier, place: Place | None) -> sql.Composable:
    """Compare rows as rows: the spelled-out form is no walk of the index."""
    chosen, binds = parts.query.sort, parts.binds
    if place is None:
        return TRUE
    if chosen is not None:
        read = sort.value(chosen) if row is ROW else None
        return sort.after(chosen, place, row, binds, read=read)
    return _AFTER_DATE.format(
        row=row, at=binds(place.at, "timestamptz"), id=binds(place.id, "uuid")
    )


def _limit(parts: _Parts) -> sql.Composed:
    """Read one more than the page: it proves that there is a next one."""
    limit = parts.query.limit
    return parts.binds(limit + 1 if limit else 0, "integer")


def _texts(parts: _Parts, asked: Wording, place: Place | None) -> _Found:
    told = _told(parts, asked)
    if parts.meaning is None:
        rest = _page(parts, place)
        tables = _ranked(parts, asked, place, (_CAND, rest))
        return _Found(tables, _order(parts), told)
    denied = hybrid.denied(asked, parts.scope, parts.binds)
    fusion = Fusion(
        scope=parts.scope,
        filters=_AND.join([parts.filters, denied]) if denied else parts.filters,
        facets=parts.carried,
        names=[f.name for f in parts.facets],
        most=parts.binds(CANDIDATES + 1, "integer"),
        limit=_limit(parts),
    )
    rest = hybrid.fused(fusion, parts.meaning, place, parts.binds)
    return _Found(
        _ranked(parts, asked, place, (_LEXICAL, rest)),
        hybrid.ORDER,
        {**told, **hybrid.told(parts.binds)},
    )


def _ranked(
    parts: _Parts,
    asked: Wording,
    place: Place | None,
    onward: tuple[sql.Identifier, sql.Composed],
) -> sql.Composed:
    name, rest = onward
    return _RANKED.format(
        ladder=_ladder(parts, asked, place),
        candidates=_UNION.join(_candidates(parts, asked)),
        most=parts.binds(CANDIDATES + 1, "integer"),
        name=name,
        rest=rest,
    )


def _page(parts: _Parts, place: Place | None) -> sql.Composed:
    binds, chosen = parts.binds, parts.query.sort
    after: sql.Composable = TRUE
    order = _BY_RANK if chosen is None else sort.by(chosen, _C)
    if chosen is not None:
        after = _after(parts, _C, place)
    elif place:
        after = _AFTER_RANK.format(
            tier=binds(place.tier, "integer"),
            score=binds(place.score, "float8"),
            at=binds(place.at, "timestamptz"),
            id=binds(place.id, "uuid"),
        )
    return _PAGE.format(kept=parts.kept, after=after, order=order, limit=_limit(parts))


def _candidates(parts: _Parts, asked: Wording) -> list[sql.Composed]:
    """Give the two branches; the one that the mode excludes is never executed."""
    exact = strict(asked, parts.scope, parts.binds)
    tier = sql.SQL("({} @@ {})::integer").format(column("tsv"), exact)
    branches = (
        (exact, sql.SQL("1"), _MODE_IS_STRICT),
        (_LADDER_QUERY, tier, _MODE_IS_WIDER),
    )
    indexed = not any(t.negated for t in asked.terms)
    return [
        _CANDIDATES.format(
            base=_BASE.format(
                tier=own,
                score=rank.relevance(parts.scope, ahead=query is _LADDER_QUERY),
                facets=parts.carried,
            ),
            ranked=rank.ranked(parts.scope, parts.binds),
            match=visible(query, parts.scope, parts.binds, indexed=indexed),
            filters=parts.filters,
            gate=gate,
        )
        for query, own, gate in branches
    ]


def _ladder(parts: _Parts, asked: Wording, place: Place | None) -> sql.Composed:
    query, manifest = parts.query, parts.query.registry.manifest
    climb = Climb(asked, manifest.source, manifest.widen_below, query.mode)
    if place is not None:
        return known(climb, place, parts.scope, parts.binds)
    if parts.meaning and query.text and query.text.method == "semantic_search":
        return known(climb, _MEANT, parts.scope, parts.binds)
    return steps(climb, parts.scope, parts.binds)


def _whole(parts: _Parts, found: _Found) -> sql.Composed:
    shown = document(parts.query.registry.manifest.fields)
    return _WHOLE.format(
        found=found.tables,
        order=found.order,
        sorted=sort.told(sql.Identifier("s")) if parts.query.sort else sql.SQL("''"),
        counted=sql.Composed([_counted(f, parts.binds) for f in parts.facets]),
        document=shown.values,
        ids=shown.ids,
        view=parts.scope.view,
        labels=_labels(parts) if shown.worded else _NULL,
        facets=_COMMA.join(_COUNTS.format(f.name) for f in parts.facets),
        **found.told,
    )


def _counted(facet: _Facet, binds: Binds) -> sql.Composed:
    values = _VALUES.format(name=facet.name)
    if facet.unfold:
        place = sql.SQL("c.{}").format(facet.name)
        values = _UNFOLDED.format(unfolded=facet.unfold.format(place))
    most = binds(FACET_VALUES, "integer")
    return _FACET.format(name=facet.name, values=values, most=most)


def _labels(parts: _Parts) -> sql.Composed:
    language = parts.binds(parts.query.caller.language, "text")
    vocabulary = FieldType.VOCABULARY
    worded = [f.name for f in parts.facets if f.field.type is vocabulary]
    return labels(parts.scope, language, worded)


def _told(parts: _Parts, asked: Wording) -> Mapping[str, sql.Composable]:
    """Read what really ran; ``tree`` is empty for a text without a usable word."""
    exact = strict(asked, parts.scope, parts.binds)
    return {
        "mode": sql.SQL("(SELECT l.mode FROM ladder AS l)"),
        "fallback": sql.SQL("(SELECT l.fallback FROM ladder AS l)"),
        "tree": sql.SQL("querytree({})").format(exact),
        "generation": sql.SQL("(SELECT c.generation FROM corpus AS c)"),
        "complete": sql.SQL("TRUE"),
    }

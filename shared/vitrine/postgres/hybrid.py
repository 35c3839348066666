"""Hybrid search: the order by words and the order by meaning, fused by their places.

Reciprocal rank fusion, ``1 / (60 + place)`` for words and its weight for meaning. What
means the same is what lies within the embedder's reach, a row at a time, so that a
filter adds nothing. Up to 10,000 visible rows each distance is taken: that finds all
and costs 10–40 ms. Beyond, the index is walked in relaxed order until 200 visible rows
were met; the total is then a lower bound. The other branch is never executed: left to
itself, the planner walks the index for a handful of rows and finds a third of them.

Places shift where rows come and go, so that a cursor names the rows that were shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psycopg import sql

from vitrine.postgres.binds import Binds
from vitrine.postgres.cursor import MARK, Place
from vitrine.postgres.scope import Scope, column
from vitrine.postgres.wording import Wording, websearch
from vitrine.search.engine import Embedder

K = 60
"""The constant of reciprocal rank fusion, as Cormack et al. (2009) give it."""
NEAR = 200
"""Rows that are fused by their meaning; an index walk stops there."""
LISTED = 400
"""Fused rows that pages reach; a cursor carries eight digits of each."""

_NEAR = sql.SQL("""visible AS MATERIALIZED (
    SELECT v.id, v.occurred_at{facets} FROM {view} WHERE {filters} LIMIT {most}
),
many AS MATERIALIZED (SELECT count(*) >= {most} AS are FROM visible),
measured AS MATERIALIZED (
    SELECT c.*, e.embedding OPERATOR(public.<=>) {vector} AS distance
    FROM visible AS c JOIN {vectors} AS e ON e.id = c.id
    WHERE NOT (SELECT m.are FROM many AS m)
),
walked AS MATERIALIZED (
    SELECT v.id, v.occurred_at{facets},
        e.embedding OPERATOR(public.<=>) {vector} AS distance
    FROM {vectors} AS e JOIN {view} ON v.id = e.id
    WHERE (SELECT m.are FROM many AS m) AND {filters}
    ORDER BY e.embedding OPERATOR(public.<=>) {vector} LIMIT {near}
),
near AS MATERIALIZED (
    SELECT n.*, row_number() OVER (ORDER BY n.distance, n.id) AS place
    FROM (TABLE measured UNION ALL TABLE walked) AS n
    WHERE n.distance <= {reach} ORDER BY n.distance, n.id LIMIT {near}
),
cand AS MATERIALIZED (
    SELECT coalesce(w.id, n.id) AS id, coalesce(w.occurred_at, n.occurred_at)
            AS occurred_at, coalesce(w.tier, -1) AS tier,
        coalesce(1 / ({k} + w.place), 0) + coalesce({weight} / ({k} + n.place), 0)
            AS score{merged}
    FROM (
        SELECT r.*, row_number() OVER (ORDER BY r.tier DESC, r.score DESC,
            r.occurred_at DESC, r.id DESC) AS place FROM ranked AS r
    ) AS w FULL JOIN near AS n ON n.id = w.id
),
page AS MATERIALIZED (
    SELECT c.id, c.occurred_at, c.tier, c.score FROM cand AS c
    WHERE left(c.id::text, {mark}) <> ALL ({seen})
    ORDER BY c.score DESC, c.occurred_at DESC, c.id DESC LIMIT {limit}
)""")
ORDER = sql.SQL("s.score DESC, s.occurred_at DESC, s.id DESC")
COMPLETE = sql.SQL(
    "(SELECT NOT m.are FROM many AS m) AND (SELECT count(*) FROM near) < {near}"
)
# Without a row that has the words, meaning is what found the rest.
_MODE = sql.SQL("""CASE
    WHEN EXISTS (SELECT FROM ranked) OR NOT EXISTS (SELECT FROM near)
    THEN (SELECT l.mode FROM ladder AS l) ELSE 'semantic' END""")
_MERGED = sql.SQL(", coalesce(w.{0}, n.{0}) AS {0}")
_DENIED = sql.SQL("{vector} @@ {query}")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a text means, and how its embedder is to be used."""

    vector: Sequence[float]
    weight: float
    reach: float


def meaning_of(query: str, text: Wording, embedder: Embedder) -> Meaning:
    """Embed a text; raise ``Unavailable`` in time.

    Small words mean something too; only what is denied must not be meant.
    """
    said = " ".join(t.text for t in text.wanted) if text.denied else query
    (vector,) = embedder.embed([said])
    return Meaning(vector, embedder.weight, embedder.reach)


@dataclass(frozen=True, slots=True)
class Fusion:
    """What the fusion stands on: the filtered view, and what rows carry along."""

    scope: Scope
    filters: sql.Composable
    facets: sql.Composable
    names: Iterable[sql.Identifier]
    most: sql.Composable
    limit: sql.Composable


def fused(
    fusion: Fusion, meaning: Meaning, place: Place | None, binds: Binds
) -> sql.Composed:
    """Make the CTEs from ``ranked`` to ``cand`` and ``page``."""
    # Half precision keeps three digits and a bit; five lose nothing.
    written = ",".join(f"{number:.5g}" for number in meaning.vector)
    return _NEAR.format(
        view=fusion.scope.view,
        filters=fusion.filters,
        facets=fusion.facets,
        merged=sql.Composed([_MERGED.format(name) for name in fusion.names]),
        most=fusion.most,
        limit=fusion.limit,
        vectors=fusion.scope.beside("_vectors"),
        vector=binds(f"[{written}]", "halfvec"),
        reach=binds(meaning.reach, "float8"),
        weight=binds(meaning.weight, "float8"),
        near=_near(binds),
        k=binds(K, "float8"),
        mark=binds(MARK, "integer"),
        seen=binds(list(place.shown) if place else [], "text[]"),
    )


def told(binds: Binds) -> dict[str, sql.Composable]:
    """Say the mode, and whether all that is near was counted."""
    return {"mode": _MODE, "complete": COMPLETE.format(near=_near(binds))}


def _near(binds: Binds) -> sql.Composed:
    return binds(NEAR, "integer")


def denied(text: Wording, scope: Scope, binds: Binds) -> sql.Composed | None:
    """Test that a row has none of the words that the text denies."""
    if not text.denied:
        return None
    vector: sql.Composable = column("tsv")
    if scope.letters is not None:
        letters = sql.SQL('{}::"char"[]').format(binds(list(scope.letters), "text[]"))
        vector = sql.SQL("ts_filter({}, {})").format(vector, letters)
    query = websearch(binds(text.denied, "text"), scope.language)
    return _DENIED.format(vector=vector, query=query)

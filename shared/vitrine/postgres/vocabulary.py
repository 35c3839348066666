"""Readable labels → stored ids, through the vocabulary that the caller may see.

Exact (case and accents folded) first; then a label that holds the words asked, or
trigram similarity of 0.45 at least, tested explicitly: the session's threshold
stays at .3 for the index. All labels of a search go in one statement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from psycopg import sql

from vitrine.postgres.binds import Binds, storable
from vitrine.postgres.scope import scope_of, stem_of
from vitrine.postgres.statement import Statement
from vitrine.search.engine import Found, Query, Wanted

SIMILAR = 0.45
INSIDE = 0.8
"""`strict_word_similarity` from which a label holds the words asked."""
TIE = 0.1
"""Labels this close to the best one are meant as well."""
NEAREST = 5
MOST = 20

_LOOKUP = sql.SQL("""WITH asked AS MATERIALIZED (
    SELECT w.ord, w.field, vitrine.fold(w.label) AS needle
    FROM unnest({fields}, {labels}) WITH ORDINALITY AS w (field, label, ord)
), exact AS MATERIALIZED (
    SELECT a.ord, t.id, t.label, t.language
    FROM asked AS a JOIN {terms} AS t ON t.field = a.field AND t.norm = a.needle
), alike AS MATERIALIZED (
    SELECT a.ord, t.id, t.label, t.language,
        public.similarity(t.norm, a.needle) AS similar,
        greatest(public.strict_word_similarity(a.needle, t.norm),
                 public.strict_word_similarity(t.norm, a.needle)) AS inside
    FROM asked AS a JOIN {terms} AS t ON t.field = a.field
    WHERE NOT EXISTS (SELECT FROM exact AS e WHERE e.ord = a.ord)
), scored AS MATERIALIZED (
    SELECT k.ord, k.id, k.label, k.language,
        CASE WHEN k.inside >= {inside} THEN greatest(k.inside, k.similar)
             ELSE k.similar END AS score
    FROM alike AS k
), ranked AS (
    SELECT s.*, max(s.score) OVER (PARTITION BY s.ord) AS best,
        row_number() OVER (PARTITION BY s.ord ORDER BY s.score DESC, s.label) AS n
    FROM scored AS s
)
SELECT e.ord, TRUE, e.id, e.label, e.language = {language} AS own, 1::real
FROM exact AS e
UNION ALL
SELECT r.ord, r.score >= {similar} AND r.score >= r.best - {tie}, r.id, r.label,
    r.language = {language}, r.score
FROM ranked AS r WHERE r.n <= {most}
ORDER BY 1, 6 DESC, 5 DESC, 4""")


def lookup(query: Query, wanted: Sequence[Wanted]) -> Statement:
    """Make the one statement that resolves all labels."""
    scope, binds = scope_of(query.registry), Binds()
    fields = [stem_of(query.registry.fields[w.field]) for w in wanted]
    labels = [w.label if storable(w.label) else "" for w in wanted]
    text = _LOOKUP.format(
        fields=binds(fields, "text[]"),
        labels=binds(labels, "text[]"),
        terms=scope.beside("_terms"),
        inside=binds(INSIDE, "float8"),
        similar=binds(SIMILAR, "float8"),
        tie=binds(TIE, "float8"),
        most=binds(MOST, "integer"),
        language=binds(query.caller.language, "text"),
    )
    return Statement(text, binds.values)


def found(rows: Sequence[tuple[Any, ...]], wanted: int) -> tuple[Found, ...]:
    """Read the answer back, one ``Found`` for each label in the order asked."""
    by_label: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for number, *row in rows:
        by_label[number].append(tuple(row))
    return tuple(_found(by_label[n + 1]) for n in range(wanted))


def _found(rows: list[tuple[Any, ...]]) -> Found:
    meant: dict[str, str] = {}
    for is_meant, term, label, *_ in rows:
        if is_meant:
            meant.setdefault(str(term), label)
    if meant:
        return Found(ids=tuple(meant), labels=tuple(meant.values()))
    names = dict.fromkeys(label for _, _, label, _, score in rows if score > 0)
    return Found(nearest=tuple(names)[:NEAREST])

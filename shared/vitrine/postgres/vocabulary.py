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

# A label within what was asked is found by the word sequences of the question; the
# longer it is, the better. Where nothing comes near, the least unlike are named.
_LOOKUP = sql.SQL("""WITH said AS MATERIALIZED (
    SELECT w.ord, w.field, vitrine.fold(w.label) AS needle
    FROM unnest({fields}, {labels}) WITH ORDINALITY AS w (field, label, ord)
), asked AS MATERIALIZED (
    SELECT s.ord, s.field, s.needle, ARRAY(
        SELECT array_to_string(w.words[i.i:i.i + n.n], ' ')
        FROM (SELECT string_to_array(s.needle, ' ')) AS w (words),
            generate_series(1, least(cardinality(w.words), {most})) AS i (i),
            generate_series(0, 4) AS n (n)
    ) AS grams
    FROM said AS s
), exact AS MATERIALIZED (
    SELECT a.ord, t.id, t.label, t.language
    FROM asked AS a JOIN {terms} AS t ON t.field = a.field AND t.norm = a.needle
), close AS MATERIALIZED (
    SELECT a.ord, t.id, t.label, t.language, greatest(
        public.similarity(t.norm, a.needle),
        CASE WHEN t.norm = ANY(a.grams)
             THEN 0.5 + 0.5 * length(t.norm) / length(a.needle) END,
        CASE WHEN public.strict_word_similarity(a.needle, t.norm) >= {inside}
             THEN public.strict_word_similarity(a.needle, t.norm) END
    )::float8 AS score
    FROM asked AS a JOIN {terms} AS t ON t.field = a.field AND (
        t.norm OPERATOR(public.%%) a.needle
        OR a.needle OPERATOR(public.<<%%) t.norm
        OR t.norm = ANY(a.grams))
    WHERE NOT EXISTS (SELECT FROM exact AS e WHERE e.ord = a.ord)
), far AS MATERIALIZED (
    SELECT a.ord, f.id, f.label, f.language, f.likeness / 100 AS score
    FROM asked AS a CROSS JOIN LATERAL (
        SELECT t.id, t.label, t.language,
            public.similarity(t.norm, a.needle)::float8 AS likeness
        FROM {terms} AS t
        WHERE t.field = a.field AND public.similarity(t.norm, a.needle) > 0
        ORDER BY likeness DESC, t.label LIMIT {most}
    ) AS f
    WHERE NOT EXISTS (SELECT FROM exact AS e WHERE e.ord = a.ord)
      AND NOT EXISTS (SELECT FROM close AS c WHERE c.ord = a.ord)
), ranked AS (
    SELECT s.*, max(s.score) OVER (PARTITION BY s.ord) AS best,
        row_number() OVER (PARTITION BY s.ord ORDER BY s.score DESC, s.label) AS n
    FROM (TABLE close UNION ALL TABLE far) AS s
)
SELECT e.ord, TRUE, e.id, e.label, e.language = {language} AS own, 1::float8 AS score
FROM exact AS e
UNION ALL
SELECT r.ord, r.score >= {similar} AND r.score >= r.best - {tie}, r.id, r.label,
    r.language = {language}, r.score
FROM ranked AS r WHERE r.n <= {most}
ORDER BY ord, score DESC, own DESC, 4""")


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
    near: dict[str, str] = {}
    for is_meant, term, label, *_ in rows:
        (meant if is_meant else near).setdefault(term, label)
    if meant:
        return Found(ids=tuple(meant), labels=tuple(meant.values()))
    return Found(nearest=tuple(near.values())[:NEAREST])

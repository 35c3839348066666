"""How relevant a row is to a text: BM25, over the candidates of one statement.

``score = Σ weight · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length))``,
where a term's weight is its rarity (Lucene's) times its count in the query. The term
counts of a row are read off ``ts_rank``; its length is its number of lexemes. A word
of the title counts once more. Measured against ``bm25s`` by ``infra.bench rank``.

The statistics are learnt now and then (`directory.learn`); where there are none, all
terms tell the same and no text is long.
"""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from vitrine.language.folding import fold
from vitrine.postgres.binds import Binds
from vitrine.postgres.cursor import Place
from vitrine.postgres.scope import Scope, column
from vitrine.postgres.wording import SHORTEST_PREFIX, Wording, vector, wording

K1 = 1.2
B = 0.75
TERMS = 16
"""Terms that rank, the rarest: a long sentence has more, and each costs a look at
each candidate. Twelve lose .005 nDCG on long questions, sixteen none."""
FOUND_BY = 8_000
"""Documents up to which the rarest terms find candidates; the others rank alone."""

_NO_WORDS = sql.SQL("SELECT NULL::bigint, NULL::text, NULL::text WHERE FALSE")
# A correction stands beside the words as they were written.
_FIXED = sql.SQL(
    "SELECT DISTINCT ON (f.word) {most} + f.ord, f.word, f.word FROM fixed AS f"
    " WHERE f.word IS NOT NULL AND f.word <> ALL({folded})"
)
_KNOWN = sql.SQL(
    "SELECT {most} + k.ord, k.word, k.word"
    " FROM unnest({words}) WITH ORDINALITY AS k (word, ord)"
)
_TERMS = sql.SQL("""
corpus AS MATERIALIZED (
    SELECT s.generation, s.documents, s.total, s.mean_length
    FROM vitrine.corpora AS s WHERE s.source = {source}
    ORDER BY s.generation = {generation} DESC, s.generation DESC LIMIT 1
),
said (ord, word, written) AS MATERIALIZED (
    SELECT w.ord, w.word, w.written
    FROM unnest({words}, {written}) WITH ORDINALITY AS w (word, written, ord)
    UNION ALL {more}
),
terms AS MATERIALIZED (
    SELECT vitrine.term(r.lexeme, FALSE) AS term,
        vitrine.term(r.lexeme, r.long) AS ahead,
        r.times * r.rarity AS weight, r.ord,
        r.held IS NULL OR r.place = 1 OR r.found <= {enough} AS finds
    FROM (
        SELECT l.lexeme, l.times, l.ord, l.long, x.documents AS held,
            CASE WHEN c.generation IS NULL THEN 1
                 ELSE vitrine.rarity(c.documents, coalesce(x.documents, 0))
            END AS rarity,
            row_number() OVER rarest AS place,
            sum(x.documents * (c.total / c.documents::float8)) OVER rarest AS found
        FROM (
            SELECT u.lexeme, sum(cardinality(u.positions)) AS times, min(s.ord) AS ord,
                bool_and(length(s.word) >= {shortest}) AS long
            FROM said AS s CROSS JOIN LATERAL unnest({vector}) AS u GROUP BY u.lexeme
        ) AS l
        LEFT JOIN corpus AS c ON TRUE
        LEFT JOIN LATERAL (
            SELECT k.documents FROM vitrine.lexemes AS k
            WHERE k.source = {source} AND k.generation = c.generation
              AND k.lexeme = l.lexeme LIMIT 1
        ) AS x ON TRUE
        WINDOW rarest AS (PARTITION BY x.documents IS NULL
                          ORDER BY x.documents, l.lexeme)
    ) AS r WHERE r.place <= {terms} ORDER BY r.lexeme
)""")
# The inner OFFSET keeps the counts from being taken again wherever they are used.
# As a beginning, a word is there or not.
_SCORE = sql.SQL("""(
    SELECT floor(1e6 * coalesce(sum(f.weight * f.tf * ({k1} + 1) / (f.tf + {k1} * (
        1 - {b} + {b} * length({vector}) / coalesce(
            (SELECT c.mean_length FROM corpus AS c), length({vector}))))), 0))
    FROM (SELECT t.weight, {tf} AS tf FROM terms AS t OFFSET 0) AS f WHERE f.tf > 0
)""")
_COUNTED = sql.SQL(
    "vitrine.occurrences(ts_rank('{{1, 1, 1, 1}}', {vector}, t.term))"
    " + vitrine.occurrences(ts_rank('{{0, 0, 0, 1}}', {vector}, t.term))"
)
_AHEAD = sql.SQL(
    "CASE WHEN (SELECT l.mode FROM ladder AS l) = 'prefix'"
    " THEN ({vector} @@ t.ahead)::integer ELSE {counted} END"
)
_NARROW = sql.SQL(
    "{view} CROSS JOIN LATERAL (SELECT ts_filter({vector}, {letters}) AS tsv OFFSET 0)"
    " AS n"
)


def terms(
    text: Wording, place: Place | None, source: str, scope: Scope, binds: Binds
) -> sql.Composed:
    """Make the CTEs ``corpus``, ``said`` and ``terms`` of a text.

    A first page reads corrections from the CTE ``fixed``, a later one from its place.
    """
    words = [t.text for t in text.wanted]
    return _TERMS.format(
        source=binds(source, "text"),
        generation=binds(place.generation if place else None, "integer"),
        words=binds(words, "text[]"),
        written=binds([t.written for t in text.wanted], "text[]"),
        more=_more(words, place, scope, binds),
        vector=vector(sql.SQL("s.word"), scope.language),
        shortest=binds(SHORTEST_PREFIX, "integer"),
        terms=binds(TERMS, "integer"),
        enough=binds(FOUND_BY, "integer"),
    )


def _more(
    words: Sequence[str], place: Place | None, scope: Scope, binds: Binds
) -> sql.Composable:
    folded = [fold(w) for w in words]
    most = binds(len(words), "bigint")
    if place is None:
        return _FIXED.format(most=most, folded=binds(folded, "text[]"))
    if place.mode not in ("typo", "partial"):
        return _NO_WORDS
    again = [t.text for t in wording(place.fallback, scope.language).wanted]
    fixed = [w for w in dict.fromkeys(again) if fold(w) not in folded]
    return _KNOWN.format(most=most, words=binds(fixed, "text[]"))


def relevance(scope: Scope, *, ahead: bool) -> sql.Composed:
    """Score the row that `ranked` reads; ``ahead`` admits the mode of prefixes."""
    vector = column("tsv") if scope.letters is None else sql.SQL("n.tsv")
    counted: sql.Composable = _COUNTED.format(vector=vector)
    if ahead:
        counted = _AHEAD.format(vector=vector, counted=counted)
    return _SCORE.format(
        k1=sql.Literal(K1), b=sql.Literal(B), vector=vector, tf=counted
    )


def ranked(scope: Scope, binds: Binds) -> sql.Composed:
    """Give the view to rank from; a word of a closed letter must not speak."""
    if scope.letters is None:
        return scope.view
    letters = sql.SQL('{}::"char"[]').format(binds(list(scope.letters), "text[]"))
    return _NARROW.format(view=scope.view, vector=column("tsv"), letters=letters)

"""Strict, then typo, then prefix: decided on the text alone over visible rows.

Filters never widen the text, so that adding one never adds a row. Each step runs
only where the one before it found too little; a corrected word is one that some
visible row has, so that a hidden row can't speak through "did you mean".
"""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from vitrine.postgres.binds import Binds
from vitrine.postgres.compile import matches
from vitrine.postgres.cursor import Place
from vitrine.postgres.scope import Scope
from vitrine.postgres.wording import Wording, prefix, websearch
from vitrine.search.engine import Mode

FARTHEST = 2
"""Edits between a word and its correction; one for words of four letters."""

_NO_QUERY = sql.SQL("NULL::tsquery")
# `%` uses the trigram index at its default threshold of .3; the distance decides.
_STEPS = sql.SQL("""
strict_hits AS MATERIALIZED (
    SELECT count(*) AS n FROM (
        SELECT FROM {view} WHERE {strict} LIMIT {enough}
    ) AS s
),
fixed AS MATERIALIZED (
    SELECT w.ord, w.written, c.word
    FROM unnest({written}, {words}) WITH ORDINALITY AS w (written, word, ord)
    LEFT JOIN LATERAL (
        SELECT d.word FROM vitrine.words AS d
        WHERE d.source = {source}
          AND (d.word OPERATOR(public.%%) w.word OR d.letters = vitrine.letters(w.word))
          AND d.word <> w.word
          AND public.levenshtein_less_equal(d.word, w.word, {farthest})
              <= CASE WHEN length(w.word) > 4 THEN {farthest} ELSE 1 END
          AND EXISTS (SELECT FROM {view} WHERE {alike})
          AND (SELECT count(*) FROM (
                  SELECT FROM {view} WHERE {known} LIMIT {enough}) AS k) < {enough}
        ORDER BY public.levenshtein_less_equal(d.word, w.word, {farthest}),
                 public.similarity(d.word, w.word) DESC, d.word
        LIMIT 1
    ) AS c ON w.word IS NOT NULL
    WHERE {typo_gate}
),
mended AS MATERIALIZED (
    SELECT string_agg(coalesce(f.word, f.written), ' ' ORDER BY f.ord) AS said
    FROM fixed AS f HAVING bool_or(f.word IS NOT NULL)
),
typo AS MATERIALIZED (
    SELECT m.said, {asked} || {mended} AS query FROM mended AS m
),
typo_hits AS MATERIALIZED (
    SELECT count(*) AS n FROM (
        SELECT FROM {view}, typo WHERE {typo_match} AND ({strict}) IS NOT TRUE LIMIT 1
    ) AS s
),
prefix_hits AS MATERIALIZED (
    SELECT count(*) AS n FROM (
        SELECT FROM {view}
        WHERE {prefix_match} AND ({strict}) IS NOT TRUE AND {prefix_gate} LIMIT 1
    ) AS s
),
ladder AS MATERIALIZED (
    SELECT s.mode, CASE s.mode WHEN 'typo' THEN (SELECT t.said FROM typo AS t)
                               WHEN 'prefix' THEN {prefixed} END AS fallback,
           CASE s.mode WHEN 'typo' THEN (SELECT t.query FROM typo AS t)
                       WHEN 'prefix' THEN {asked} || {prefix} END AS query
    FROM (SELECT {choice} AS mode) AS s
)""")
_FEW = sql.SQL("(SELECT h.n FROM strict_hits AS h) < {enough}")
_NO_TYPO = sql.SQL("(SELECT h.n FROM typo_hits AS h) = 0 AND {few}")
_CHOICE = sql.SQL("""CASE
    WHEN (SELECT h.n FROM strict_hits AS h) >= {enough} THEN 'strict'
    WHEN (SELECT h.n FROM typo_hits AS h) > 0 THEN 'typo'
    WHEN (SELECT h.n FROM prefix_hits AS h) > 0 THEN 'prefix'
    ELSE 'strict' END""")


@dataclass(frozen=True, slots=True)
class Climb:
    """What a ladder needs: the text, where it stops, and a mode if it is fixed."""

    text: Wording
    source: str
    enough: int
    mode: Mode | None = None


def steps(climb: Climb, scope: Scope, binds: Binds) -> sql.Composed:
    """Make the CTEs that end in ``ladder (mode, fallback, query)``, one row."""
    lang = scope.language
    enough = binds(climb.enough, "integer")
    few = _FEW.format(enough=enough)
    ahead = prefix(climb.text, lang, binds) or _NO_QUERY
    negated = any(t.negated for t in climb.text.terms)
    asked = strict(climb.text, scope, binds)

    def match(query: sql.Composable) -> sql.Composed:
        return matches(query, scope, binds, indexed=not negated)

    return _STEPS.format(
        view=scope.view,
        asked=asked,
        strict=match(asked),
        enough=enough,
        written=binds([t.written for t in climb.text.terms], "text[]"),
        words=binds([t.correctable for t in climb.text.terms], "text[]"),
        source=binds(climb.source, "text"),
        farthest=binds(FARTHEST, "integer"),
        alike=match(websearch(sql.SQL("d.word"), lang)),
        known=match(websearch(sql.SQL("w.word"), lang)),
        mended=websearch(sql.SQL("m.said"), lang),
        typo_match=match(sql.SQL("typo.query")),
        typo_gate=few if climb.mode is None else sql.SQL("TRUE"),
        prefix_match=match(ahead),
        prefix_gate=_NO_TYPO.format(few=few),
        prefixed=binds(prefixed(climb.text), "text"),
        prefix=ahead,
        choice=_choice(climb, enough, binds),
    )


def _choice(climb: Climb, enough: sql.Composed, binds: Binds) -> sql.Composed:
    if climb.mode is None:
        return _CHOICE.format(enough=enough)
    return binds(climb.mode, "text")


def strict(text: Wording, scope: Scope, binds: Binds) -> sql.Composed:
    """Make the tsquery of the text as it was asked."""
    return websearch(binds(text.text, "text"), scope.language)


def wider(
    place: Place, text: Wording, scope: Scope, binds: Binds
) -> sql.Composed | None:
    """Make the tsquery of a wider mode once more, for the pages after the first."""
    query: sql.Composed | None = None
    if place.mode == "typo":
        query = websearch(binds(place.fallback, "text"), scope.language)
    elif place.mode == "prefix":
        query = prefix(text, scope.language, binds)
    if query is None:
        return None
    return sql.SQL("({} || {})").format(strict(text, scope, binds), query)


def prefixed(text: Wording) -> str | None:
    """Say which prefixes were searched, for the report."""
    words = text.prefixes
    return None if words is None else " ".join(w + "*" for w in words)

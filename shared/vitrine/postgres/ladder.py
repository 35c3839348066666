"""Strict, then typo, then the last rung: decided on the text alone over visible rows.

The last rung takes words as beginnings, and of a sentence some words for all. Filters
never widen the text, so that adding one never adds a row. Each step runs only where
the one before it found too little; a corrected word is one that some visible row has,
so that a hidden row can't speak through "did you mean".
"""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from vitrine.postgres import rank
from vitrine.postgres.binds import Binds
from vitrine.postgres.compile import by_index, matches, visible
from vitrine.postgres.cursor import Place
from vitrine.postgres.scope import Scope
from vitrine.postgres.wording import Wording, prefix, websearch
from vitrine.search.engine import Mode

FULL = 10
"""Rows that answer a sentence whole; below it the last rung fills up, strict first."""
FARTHEST = 2
"""Edits between a word and its correction; one for words of four letters."""

_NO_QUERY = sql.SQL("NULL::tsquery")
# The planner is not told the word, which it may know from other tenants' rows.
_UNTOLD = sql.SQL("(SELECT {})")
# `%` uses the trigram index at its default threshold of .3; the distance decides.
_STEPS = sql.SQL("""
strict_hits AS MATERIALIZED (
    SELECT count(*) AS n FROM (
        SELECT FROM {view} WHERE {strict} LIMIT {least}
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
        SELECT FROM {view}, typo WHERE {typo_match} AND ({exact}) IS NOT TRUE LIMIT 1
    ) AS s
),
{terms},
last AS MATERIALIZED (SELECT {asked} || {last} AS query),
last_hits AS MATERIALIZED (
    SELECT count(*) AS n FROM (
        SELECT FROM {view}, last
        WHERE {last_gate} AND {last_match} AND ({exact}) IS NOT TRUE LIMIT 1
    ) AS s
),
ladder AS MATERIALIZED (
    SELECT s.mode, CASE s.mode WHEN 'typo' THEN (SELECT t.said FROM typo AS t)
                               WHEN {rung} THEN {last_said} END AS fallback,
           CASE s.mode WHEN 'typo' THEN (SELECT t.query FROM typo AS t)
                       WHEN {rung} THEN (SELECT l.query FROM last AS l) END AS query,
           (SELECT h.n FROM strict_hits AS h) > 0 AS met
    FROM (SELECT {choice} AS mode) AS s
)""")
# What finds of a sentence are its rarest terms; what it denies stays denied.
_PARTIAL = sql.SQL(
    "(SELECT string_agg(t.term::text, '|')::tsquery && {denied}"
    " FROM terms AS t WHERE t.finds)"
)
# Each two of them; more would be quadratic for nothing, fewer words have no half.
_HALF = sql.SQL(
    "(SELECT string_agg(concat('(', t.term, '&', u.term, ')'), '|')::tsquery"
    " && {denied} FROM terms AS t JOIN terms AS u ON t.term::text < u.term::text)"
)
_PARTIAL_SAID = sql.SQL(
    "(SELECT string_agg(s.written, ' or ' ORDER BY s.ord) FROM said AS s"
    " WHERE s.ord IN (SELECT t.ord FROM terms AS t WHERE t.finds))"
)
_KNOWN = sql.SQL("""{terms},
ladder AS MATERIALIZED (
    SELECT {mode} AS mode, {fallback} AS fallback, {query} AS query, TRUE AS met
)""")
_FEW = sql.SQL("(SELECT h.n FROM strict_hits AS h) < {least}")
_NO_TYPO = sql.SQL("(SELECT h.n FROM typo_hits AS h) = 0 AND {few}")
_CHOICE = sql.SQL("""CASE
    WHEN NOT ({few}) THEN 'strict'
    WHEN (SELECT h.n FROM typo_hits AS h) > 0 THEN 'typo'
    WHEN (SELECT h.n FROM last_hits AS h) > 0 THEN {rung}
    ELSE 'strict' END""")


@dataclass(frozen=True, slots=True)
class Climb:
    """What a ladder needs: the text, where it stops, and a mode if it is fixed."""

    text: Wording
    source: str
    enough: int
    mode: Mode | None = None

    @property
    def least(self) -> int:
        """Give the rows from which a rung is enough: of a sentence, a page's worth.

        That one row happens to have all its words says little about the others: most
        of what answers a sentence lacks some.
        """
        return max(self.enough, FULL) if self.text.is_sentence else self.enough

    @property
    def rung(self) -> Mode:
        """Name the last rung."""
        if self.mode in ("prefix", "partial"):
            return self.mode
        return "partial" if self.text.is_sentence else "prefix"


def steps(climb: Climb, scope: Scope, binds: Binds) -> sql.Composed:
    """Make the CTEs that end in ``ladder (mode, fallback, query, met)``, one row."""
    lang = scope.language
    least = binds(climb.least, "integer")
    few = _FEW.format(least=least)
    negated = bool(climb.text.denied)
    asked = strict(climb.text, scope, binds)

    def match(query: sql.Composable) -> sql.Composed:
        return by_index(visible(query, scope, binds, indexed=not negated))

    return _STEPS.format(
        view=scope.view,
        asked=asked,
        strict=match(_UNTOLD.format(asked)),
        exact=matches(_UNTOLD.format(asked), scope, binds, indexed=not negated),
        enough=binds(climb.enough, "integer"),
        least=least,
        written=binds([t.written for t in climb.text.terms], "text[]"),
        words=binds([t.correctable for t in climb.text.terms], "text[]"),
        source=binds(climb.source, "text"),
        farthest=binds(FARTHEST, "integer"),
        alike=match(websearch(sql.SQL("d.word"), lang)),
        known=match(websearch(sql.SQL("w.word"), lang)),
        mended=websearch(sql.SQL("m.said"), lang),
        typo_match=match(sql.SQL("typo.query")),
        typo_gate=few if climb.mode is None else _gate(climb, "typo"),
        terms=rank.terms(climb.text, None, climb.source, scope, binds),
        rung=binds(climb.rung, "text"),
        last=_last(climb.rung, climb.text, scope, binds),
        last_said=_last_said(climb, binds),
        last_match=match(sql.SQL("last.query")),
        last_gate=_NO_TYPO.format(few=few),
        choice=_choice(climb, few, binds),
    )


def _gate(climb: Climb, mode: Mode) -> sql.SQL:
    return sql.SQL("TRUE" if climb.mode == mode else "FALSE")


def _last(rung: Mode, text: Wording, scope: Scope, binds: Binds) -> sql.Composable:
    if rung == "prefix":
        return prefix(text, scope.language, binds) or _NO_QUERY
    denied = websearch(binds(text.denied, "text"), scope.language)
    return (_HALF if text.by_half else _PARTIAL).format(denied=denied)


def _last_said(climb: Climb, binds: Binds) -> sql.Composable:
    if climb.rung == "prefix":
        return binds(prefixed(climb.text), "text")
    return _PARTIAL_SAID


def _choice(climb: Climb, few: sql.Composed, binds: Binds) -> sql.Composed:
    if climb.mode is None:
        rung = binds(climb.rung, "text")
        return _CHOICE.format(few=few, rung=rung)
    return binds(climb.mode, "text")


def known(climb: Climb, place: Place, scope: Scope, binds: Binds) -> sql.Composed:
    """Make the same CTEs for the pages after the first, which decide nothing."""
    return _KNOWN.format(
        terms=rank.terms(climb.text, place, climb.source, scope, binds),
        mode=binds(place.mode, "text"),
        fallback=binds(place.fallback or None, "text"),
        query=_again(place, climb.text, scope, binds),
    )


def strict(text: Wording, scope: Scope, binds: Binds) -> sql.Composed:
    """Make the tsquery of the text as it was asked."""
    return websearch(binds(text.text, "text"), scope.language)


def _again(place: Place, text: Wording, scope: Scope, binds: Binds) -> sql.Composable:
    """Make the tsquery of a wider mode once more."""
    if place.mode in ("strict", "semantic"):
        return _NO_QUERY
    wider: sql.Composable
    if place.mode == "typo":
        wider = websearch(binds(place.fallback, "text"), scope.language)
    else:
        wider = _last(place.mode, text, scope, binds)
    return sql.SQL("({} || {})").format(strict(text, scope, binds), wider)


def prefixed(text: Wording) -> str | None:
    """Say which prefixes were searched, for the report."""
    words = text.prefixes
    return None if words is None else " ".join(w + "*" for w in words)

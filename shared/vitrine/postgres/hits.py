"""Hits read off the one row of a page's statement, and what is to be noted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vitrine.postgres.cursor import MARK, Place
from vitrine.postgres.hybrid import LISTED
from vitrine.postgres.output import read
from vitrine.postgres.statement import CANDIDATES
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.search.engine import Hits, Mode, Query, Row

KEYWORD_ONLY = "keyword_only"
TEXT_EMPTY = "text_empty"
TEXT_NEGATIVE = "text_negative"
RANKING_PARTIAL = "ranking_partial"


@dataclass(frozen=True, slots=True)
class _Told:
    """The columns of a page's one row, as ``statement`` names them."""

    total: int
    mode: Mode
    fallback: str | None
    tree: str | None
    generation: int | None
    complete: bool
    page: list[list[Any]] | None
    labels: dict[str, str] | None
    facets: list[list[Any] | None]

    @property
    def exact(self) -> bool:
        """Tell whether all that was found was counted."""
        return self.complete and self.total <= CANDIDATES


def hits(
    query: Query, row: tuple[Any, ...], place: Place | None, *, fused: bool
) -> Hits:
    """Read the one row of a page's statement; ``fused`` where meaning took part."""
    told = _Told(*row)
    shown, names = told.page or [], told.labels or {}
    listed = (place.seen if place else "") if fused else None
    end, more = _end(query, told, listed), len(shown) > query.limit
    return Hits(
        rows=tuple(_row(query, r, told.mode, names) for r in shown[: query.limit]),
        total=min(told.total, CANDIDATES),
        exact=told.exact,
        mode=told.mode,
        original=query.text.query if query.text and told.fallback else None,
        fallback=told.fallback,
        facets=_facets(query, told.facets, names),
        next=end.position if end and more and _onward(end) else None,
        notes=tuple(_notes(query, told, fused=fused)),
        end=end.position if end else None,
    )


def _end(query: Query, told: _Told, listed: str | None) -> Place | None:
    """Give where a full page ends; ``listed`` marks the rows of those before."""
    shown = (told.page or [])[: query.limit]
    if not query.limit or len(shown) < query.limit:
        return None
    key, at, tier, score, _, value = shown[-1]
    marks = [] if listed is None else [listed, *(row[0][:MARK] for row in shown)]
    ranked = (told.mode, told.fallback or "", told.generation or 0)
    return Place(at, key, tier, score, *ranked, "".join(marks), value)


def _onward(end: Place) -> bool:
    """Tell whether a walk may go on: a fused one ends where its list does."""
    return len(end.seen) < LISTED * MARK


def _row(query: Query, row: list[Any], mode: Mode, names: Mapping[str, str]) -> Row:
    key, _, tier, _, doc, _ = row
    values = read(doc, query.registry.manifest.fields, names)
    modes: dict[int, Mode] = {1: "strict", 0: mode, -1: "semantic"}
    return Row(key, values, modes[tier])


def _facets(
    query: Query, facets: list[list[Any] | None], names: Mapping[str, str]
) -> dict[str, tuple[tuple[str, int], ...]] | None:
    if not query.facets:
        return None
    fields = [query.registry.fields[key] for key in query.facets]
    return {
        field.key: tuple(_labelled(field, counted or [], names))
        for field, counted in zip(fields, facets, strict=True)
    }


def _labelled(
    field: Field, counted: Iterable[list[Any]], names: Mapping[str, str]
) -> Iterable[tuple[str, int]]:
    """Name vocabulary values by their labels; those out of sight stay out."""
    for value, number in counted:
        if field.type is not FieldType.VOCABULARY:
            yield value, number
        elif value in names:
            yield names[value], number


def _notes(query: Query, told: _Told, *, fused: bool) -> Iterable[str]:
    if query.text is None:
        return
    if query.text.method != "keyword_search" and not fused:
        yield KEYWORD_ONLY
    if told.tree == "":
        yield TEXT_EMPTY
    if told.tree == "T":
        yield TEXT_NEGATIVE
    if not told.exact or (fused and told.total > LISTED):
        yield RANKING_PARTIAL

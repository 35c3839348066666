"""The engine: each question one statement, asked as the verified caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vitrine.caller import Caller
from vitrine.postgres import count, definitions, sample, vocabulary
from vitrine.postgres.cursor import Place, place_of, uuid_or_none
from vitrine.postgres.fetch import fetched
from vitrine.postgres.line import Connect, Line
from vitrine.postgres.output import read
from vitrine.postgres.statement import CANDIDATES, search
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.samples import Sample
from vitrine.search.engine import Count, Found, Hits, Query, Row, Wanted
from vitrine.tree.conditions import Condition

KEYWORD_ONLY = "keyword_only"
TEXT_EMPTY = "text_empty"
TEXT_NEGATIVE = "text_negative"
RANKING_PARTIAL = "ranking_partial"


class Postgres:
    """A customer's PostgreSQL, over one lazily opened connection."""

    def __init__(self, connect: Connect) -> None:
        self._line = Line(connect)

    def search(self, query: Query) -> Hits:
        """Find one page, its total and its facets in one statement."""
        place = place_of(query.after)
        ((row,),) = self._line.ask(query.caller, [search(query, place)])
        return _hits(query, row)

    def count(self, query: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        """Count each condition alone over what the caller may see, capped."""
        if not conditions:
            return ()
        (rows,) = self._line.ask(query.caller, [count.counts(query, conditions)])
        return tuple(count.counted(number) for _, number in sorted(rows))

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Resolve readable labels to stored ids, in one statement."""
        if not wanted:
            return ()
        (rows,) = self._line.ask(query.caller, [vocabulary.lookup(query, wanted)])
        return vocabulary.found(rows, len(wanted))

    def fetch(self, query: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        """Read known documents by id; those not visible are left out."""
        known = [key for i in ids if (key := uuid_or_none(i))]
        if not known:
            return ()
        ((row,),) = self._line.ask(query.caller, [fetched(query, known)])
        page, names = row
        fields = query.registry.manifest.fields
        seen = {i: Row(i, read(doc, fields, names or {})) for i, doc in page or ()}
        return tuple(seen[i] for i in known if i in seen)

    def sample(self, caller: Caller, manifest: Manifest) -> Mapping[str, Sample]:
        """Observe each field's values among the caller's newest rows."""
        statement = sample.observed(caller, manifest)
        (rows,) = self._line.ask(caller, [statement])
        return sample.samples(rows)

    def definitions(self, caller: Caller, manifest: Manifest) -> tuple[Field, ...]:
        """Read the tenant's own definitions as fields, in their order."""
        (rows,) = self._line.ask(caller, [definitions.defined(manifest)])
        return definitions.fields(rows)

    def close(self) -> None:
        """Drop the connection."""
        self._line.close()


def _hits(query: Query, row: tuple[Any, ...]) -> Hits:
    total, mode, fallback, tree, lesson, page, names, facets = row
    exact = total <= CANDIDATES
    shown = page or []
    rows = [_row(query, r, mode, names or {}) for r in shown[: query.limit]]
    more = query.limit and len(shown) > query.limit
    told = (mode, fallback or "", lesson or 0)
    full = query.limit and len(shown) >= query.limit
    end = _place(shown[query.limit - 1], told).position if full else None
    return Hits(
        rows=tuple(rows),
        total=min(total, CANDIDATES),
        exact=exact,
        mode=mode,
        original=query.text.query if query.text and fallback else None,
        fallback=fallback,
        facets=_facets(query, facets, names or {}),
        next=end if more else None,
        notes=tuple(_notes(query, tree, exact=exact)),
        end=end,
    )


def _row(query: Query, row: list[Any], mode: Any, names: Mapping[str, str]) -> Row:
    key, _, tier, _, doc = row
    values = read(doc, query.registry.manifest.fields, names)
    return Row(key, values, "strict" if tier else mode)


def _place(row: list[Any], told: tuple[Any, str, int]) -> Place:
    key, at, tier, score, _ = row
    return Place(at, key, tier, score, *told)


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


def _notes(query: Query, tree: str | None, *, exact: bool) -> Iterable[str]:
    if query.text is None:
        return
    if query.text.method != "keyword_search":
        yield KEYWORD_ONLY
    if tree == "":
        yield TEXT_EMPTY
    if tree == "T":
        yield TEXT_NEGATIVE
    if not exact:
        yield RANKING_PARTIAL

"""The one way out of stored data: ``Hits`` go in, an ``Answer`` comes out.

A search of a capped profile goes

    asked   = has_question(condition, text)       # question.py
    hits    = engine.search(query)
    page    = payable(hits, registry, asked)      # ids to charge, at most a page
    charge  = store.budgets.charge(account, page, now=…)
    lists   = store.budgets.charge_facets(account, open_facets(hits, registry), now=…)
    grant   = Release(view, granted=charge.granted, facets=lists, left=charge.left)
    answer  = release(hits, grant, report)

and one of an uncapped profile ``release(hits, Release(view), report)``. Whatever was
not granted stays inside: a capped profile without a charge gets an empty page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from vitrine.disclosure.answer import Answer, FacetValue, Remainder, Suggestion, Total
from vitrine.disclosure.counts import AT_LEAST, threshold, told
from vitrine.disclosure.facets import facet_values
from vitrine.disclosure.projection import View, project
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Count, Hits, Row
from vitrine.search.report import Report


@dataclass(frozen=True, slots=True)
class Release:
    """What was granted of a search, to whom.

    ``granted`` are engine ids and ``facets`` keys that were paid for; an uncapped
    profile needs neither. Without ``numbers`` a capped one is told no count.
    """

    view: View
    granted: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    left: Remainder | None = None
    numbers: bool = True


@dataclass(frozen=True, slots=True)
class Beside:
    """What an answer carries beside its page: all of it made by this package."""

    suggestions: tuple[Suggestion, ...] = ()
    next_cursor: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


NOTHING = Beside()


def payable(hits: Hits, registry: Registry, *, asked: bool) -> tuple[str, ...]:
    """List the documents of a page that a capped profile must pay for.

    None for an uncapped profile, nor without a question: that is no listing.
    """
    if registry.budget is None or not asked:
        return ()
    return tuple(row.id for row in _page(hits, registry))


def release(
    hits: Hits, grant: Release, report: Report, beside: Beside = NOTHING
) -> Answer:
    """Make the answer of what was granted."""
    rows = _granted(hits, grant)
    return Answer(
        hits=tuple(project(row, grant.view) for row in rows),
        facets=_facets(hits, grant),
        total=_total(hits, grant, len(rows)),
        report=asdict(report),
        budget=grant.left,
        suggestions=beside.suggestions,
        next_cursor=beside.next_cursor if rows else None,
        extra=beside.extra,
    )


def _total(hits: Hits, grant: Release, shown: int) -> Total:
    registry = grant.view.registry
    if registry.budget is not None and not grant.numbers:
        return Total(shown, AT_LEAST)
    return told(Count(hits.total, hits.exact), threshold(registry))


def _granted(hits: Hits, grant: Release) -> tuple[Row, ...]:
    registry = grant.view.registry
    if registry.budget is None:
        return hits.rows
    granted = set(grant.granted)
    return tuple(row for row in _page(hits, registry) if row.id in granted)


def _page(hits: Hits, registry: Registry) -> tuple[Row, ...]:
    # Cut here, whatever an engine returned: no budget hangs on a limit that was passed
    # on.
    return hits.rows[: registry.budget.answer] if registry.budget else hits.rows


def _facets(hits: Hits, grant: Release) -> dict[str, tuple[FacetValue, ...]]:
    view = grant.view
    told = facet_values(hits, view.registry, view.tongue, numbers=grant.numbers)
    if view.registry.budget is None:
        return told
    return {key: values for key, values in told.items() if key in grant.facets}

"""The one search: chat, gallery, API and MCP all run this function.

It alone orders: check and resolve, run on the engine, charge, release. Nothing
leaves before it is paid for, and nothing but what ``disclosure.release`` made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vitrine.disclosure.answer import Answer, Remainder, Suggestion
from vitrine.disclosure.facets import open_facets
from vitrine.disclosure.projection import View
from vitrine.disclosure.question import has_question
from vitrine.disclosure.release import Beside, Release, payable, release
from vitrine.problems import FacetsSpent, Fault, Invalid
from vitrine.registry.profiles import Registry
from vitrine.search import cursor
from vitrine.search.cursor import Cursor
from vitrine.search.engine import Hits
from vitrine.search.explain import offers
from vitrine.search.prepare import Ask, Parts, Ready, conditions, payer, prepare
from vitrine.search.report import Report, report_of
from vitrine.search.suggest import FEW, frequent
from vitrine.store.budgets import charge, charge_counts, charge_facets
from vitrine.tree.describe import describe

PAGE = 10
MOST = 100
"""Results of a page of an uncapped profile; a capped one names its own."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What the engine gave, and what of it is paid for."""

    hits: Hits
    granted: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    left: Remainder | None = None
    notes: tuple[str, ...] = ()


def execute(ask: Ask, parts: Parts) -> Answer:
    """Run a tree and release one page of what it finds.

    Raises ``Invalid`` for a tree, limit or cursor that can't run, ``BudgetSpent``
    and ``FacetsSpent`` where nothing may leave any more.
    """
    limit = page_limit(ask.limit, ask.registry)
    ready = prepare(ask, parts.engine)
    start = _start(ask, ready, parts)
    query = ready.query
    asked = has_question(query.condition, query.text)
    listed = asked or ask.registry.budget is None
    query = replace(
        query,
        limit=limit if listed else 0,
        after=start.position or None,
        mode=start.mode if start.position else None,
        facets=() if start.position else ask.registry.facets,
    )
    _pay_count(ask, parts, query.limit)
    found = _paid(ask, parts, parts.engine.search(query), asked=asked)
    notes = found.notes if listed else (*found.notes, "no_question")
    report = _report(ask, ready, found.hits, notes)
    beside = Beside(
        suggestions=_few(ask, parts, ready, found),
        next_cursor=_next(ask, ready, parts, start, found),
    )
    view = View(ask.registry, ask.caller.language, parts.refs, ask.now)
    grant = Release(view, found.granted, found.facets, found.left)
    return release(found.hits, grant, report, beside)


def page_limit(limit: int | None, registry: Registry) -> int:
    """Give the page's size; raise ``Invalid`` naming the most that is allowed."""
    most = registry.budget.answer if registry.budget else MOST
    if limit is None:
        return min(PAGE, most)
    if 0 <= limit <= most:
        return limit
    raise Invalid(
        [
            Fault(
                "/limit",
                "too_many",
                f"A page holds at most {most} results here.",
                f"Ask for {most} or fewer, and page on.",
            )
        ]
    )


def _start(ask: Ask, ready: Ready, parts: Parts) -> Cursor:
    if ask.cursor is None:
        return Cursor((), "strict", 1)
    bound = cursor.binding(ask.caller, ask.registry, ready.tree)
    return cursor.read(ask.cursor, parts.ring, bound, ask.now)


def _next(
    ask: Ask, ready: Ready, parts: Parts, start: Cursor, found: _Found
) -> str | None:
    """Seal the next page's cursor; a cut page and the last allowed one have none."""
    budget, hits = ask.registry.budget, found.hits
    last = budget is not None and start.page >= budget.pages
    cut = found.left is not None and found.left.cut
    if hits.next is None or last or cut:
        return None
    bound = cursor.binding(ask.caller, ask.registry, ready.tree)
    onward = Cursor(hits.next, hits.mode, start.page + 1)
    return cursor.write(onward, parts.ring, bound, ask.now)


def _pay_count(ask: Ask, parts: Parts, limit: int) -> None:
    """Charge a search that shows no document for the numbers that it tells."""
    account = payer(ask, parts) if not limit else None
    if account is not None:
        charge_counts(account, 1, now=ask.now)


def _paid(ask: Ask, parts: Parts, hits: Hits, *, asked: bool) -> _Found:
    """Charge the page's documents and facet lists; an uncapped profile pays nothing."""
    account = payer(ask, parts)
    if account is None:
        return _Found(hits)
    page = payable(hits, ask.registry, asked=asked)
    charged = charge(account, page, now=ask.now)
    lists = open_facets(hits, ask.registry)
    try:
        facets = charge_facets(account, lists, now=ask.now)
    except FacetsSpent:
        if not charged.granted:
            raise
        return _Found(hits, charged.granted, (), charged.left, ("facets_spent",))
    return _Found(hits, charged.granted, facets, charged.left)


def _report(ask: Ask, ready: Ready, hits: Hits, notes: Sequence[str]) -> Report:
    sentence = describe(ready.tree, ask.registry, ask.caller.language)
    report = report_of(hits, sentence, ready.resolved)
    # Without a page, that would tell none from a few, which a capped caller can't know.
    told = ask.registry.budget is None or ask.limit != 0
    empty = ("explain_empty",) if told and not hits.total and hits.exact else ()
    return replace(report, notes=(*report.notes, *notes, *empty))


def _few(ask: Ask, parts: Parts, ready: Ready, found: _Found) -> tuple[Suggestion, ...]:
    """Suggest what one to four shown results share, in one statement more."""
    hits, free = found.hits, ask.registry.budget is None
    if ask.cursor is not None or not 1 <= hits.total <= FEW:
        return ()
    shown = [row for row in hits.rows if free or row.id in found.granted]
    options = frequent(shown, ready.tree, ask.registry)
    if not options:
        return ()
    trees = [option.tree for option in options]
    counts = parts.engine.count(ready.query, conditions(ask, trees))
    return offers(ask, options, counts)

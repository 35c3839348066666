"""The one search: chat, gallery, API and MCP all run this function.

It alone orders: check and resolve, run on the engine, charge, release. Nothing
leaves before it is paid for, and nothing but what ``disclosure.release`` made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vitrine.disclosure.answer import Answer, Remainder, Suggestion
from vitrine.disclosure.counts import threshold
from vitrine.disclosure.facets import open_facets
from vitrine.disclosure.numbers import countable
from vitrine.disclosure.projection import View
from vitrine.disclosure.question import has_question
from vitrine.disclosure.release import Beside, Release, payable, release
from vitrine.problems import FacetsSpent, Fault, Invalid
from vitrine.registry.profiles import Registry
from vitrine.search import cursor
from vitrine.search.cursor import Cursor
from vitrine.search.engine import Hits, Query, Sort
from vitrine.search.explain import offers
from vitrine.search.paying import pay
from vitrine.search.prepare import (
    Ask,
    Parts,
    Ready,
    measured,
    payer,
    prepare,
    sort_of,
)
from vitrine.search.report import Report, report_of
from vitrine.search.suggest import FEW, frequent
from vitrine.store.budgets import (
    Account,
    Admission,
    admit,
    charge_facets,
    counts_spent,
    note_empty,
)
from vitrine.tree.describe import describe
from vitrine.tree.walk import tree_hash

PAGE = 10
MOST = 100
"""Results of a page of an uncapped profile; a capped one names its own."""


COUNTED = frozenset({"strict", "typo"})
"""Modes in which all words are needed: others add up what each word finds."""


@dataclass(frozen=True, slots=True)
class _Payer:
    """Who pays for a capped search, and as what it was let in."""

    account: Account
    admission: Admission


@dataclass(frozen=True, slots=True)
class _Found:
    """What the engine gave, and what of it is paid for.

    Without ``numbers`` a capped profile is told no count; ``page`` is the page's size;
    an uncapped profile has no ``payer``.
    """

    hits: Hits
    page: int
    payer: _Payer | None = None
    numbers: bool = True
    granted: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    left: Remainder | None = None
    notes: tuple[str, ...] = ()
    sort: str | None = None

    @property
    def short(self) -> bool:
        """Tell whether the page shows all there is, so that its number is known."""
        return len(self.hits.rows) < self.page


def execute(ask: Ask, parts: Parts) -> Answer:
    """Run a tree and release one page of what it finds.

    Raises ``Invalid`` for a tree, limit or cursor that can't run, ``BudgetSpent``
    and ``FacetsSpent`` where nothing may leave any more.
    """
    limit = page_limit(ask.limit, ask.registry)
    # Before labels are resolved: who is refused reaches no engine, not even for words.
    admitted = _admitted(ask, parts)
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
        # Lists are of the whole result: the first page has told them, and was charged
        # for them.
        facets=() if start.position else ask.registry.facets,
        sort=_walking(ask, query.sort, start),
    )
    found = replace(
        _run(ask, parts, query, admitted),
        sort=query.sort.written if query.sort else None,
    )
    found = _paid(ask, parts, found, asked=asked)
    _remember(ask, ready, found)
    notes = found.notes if listed else (*found.notes, "no_question")
    report = _report(ask, ready, found, notes)
    beside = Beside(
        suggestions=_few(ask, parts, ready, found),
        next_cursor=_next(ask, ready, parts, start, found),
    )
    view = View(ask.registry, ask.caller.language, parts.refs, ask.now)
    grant = Release(view, found.granted, found.facets, found.left, found.numbers)
    return release(found.hits, grant, report, beside)


def rehearse(ask: Ask, parts: Parts) -> Ready:
    """Check and resolve a tree without running it; refuse whom a search would.

    Labels are resolved, and the nearest of one that means nothing are told: that is an
    answer, too.
    """
    _admitted(ask, parts)
    return prepare(ask, parts.engine)


def _admitted(ask: Ask, parts: Parts) -> _Payer | None:
    """Let a capped search in, unless its day lets nothing out any more."""
    account = payer(ask, parts)
    if account is None:
        return None
    return _Payer(account, admit(account, now=ask.now))


def _run(ask: Ask, parts: Parts, query: Query, payer: _Payer | None) -> _Found:
    if payer is None:
        return _Found(parts.engine.search(query), query.limit)
    told = payer.admission.numbers
    if not query.limit and not told:
        raise counts_spent(payer.account, now=ask.now)
    return replace(_counted(ask, parts, query, told=told), payer=payer)


def _counted(ask: Ask, parts: Parts, query: Query, *, told: bool) -> _Found:
    """Ask for a page, and for the numbers that the caller may be told."""
    counted = countable(query.condition, query.text, ask.registry) if told else None
    if counted is None:
        return _untold(parts.engine.search(replace(query, facets=())), query, told)
    # The common case in one statement: numbers and page are of the same condition.
    if counted == query.condition:
        hits = parts.engine.search(query)
        return _told(hits, hits, query)
    page = parts.engine.search(replace(query, facets=()))
    # In the page's own mode: a ladder of its own might count other words than the page
    # shows.
    wider = replace(query, condition=counted, limit=0, after=None, mode=page.mode)
    found = _told(page, parts.engine.search(wider), query)
    return replace(found, notes=("counted_wider",)) if found.numbers else found


def _untold(hits: Hits, query: Query, told: bool) -> _Found:
    why = "numbers_withheld" if told else "counts_spent"
    return _Found(hits, query.limit, numbers=False, notes=(why,))


def _told(page: Hits, counted: Hits, query: Query) -> _Found:
    if counted.mode not in COUNTED:
        return _untold(page, query, told=True)
    hits = replace(
        page, total=counted.total, exact=counted.exact, facets=counted.facets
    )
    return _Found(hits, query.limit)


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


def _walking(ask: Ask, chosen: Sort | None, start: Cursor) -> Sort | None:
    """Give the order of this page: a walk keeps the one that it began with.

    A cursor may come without its order, but not with another: in that one its place
    means nothing.
    """
    if not start.position:
        return chosen
    began = sort_of(start.sort, ask.registry)
    if chosen is not None and chosen != began:
        message = "The cursor is one of another order."
        remedy = f"Leave sort out, or send {start.sort}." if began else "Leave it out."
        raise Invalid([Fault("/sort", "other_sort", message, remedy)])
    return began


def _next(
    ask: Ask, ready: Ready, parts: Parts, start: Cursor, found: _Found
) -> str | None:
    """Seal the next page's cursor; a cut page and the last allowed one have none.

    To a capped profile each full page has one: that there is nothing more would be
    the number.
    """
    budget, hits = ask.registry.budget, found.hits
    last = budget is not None and start.page >= budget.pages
    cut = found.left is not None and found.left.cut
    onward = hits.next if budget is None else hits.next or hits.end
    if onward is None or last or cut:
        return None
    bound = cursor.binding(ask.caller, ask.registry, ready.tree)
    place = Cursor(onward, hits.mode, start.page + 1, found.sort)
    return cursor.write(place, parts.ring, bound, ask.now)


def _paid(ask: Ask, parts: Parts, found: _Found, *, asked: bool) -> _Found:
    """Charge the page's documents and facet lists; an uncapped profile pays nothing."""
    if found.payer is None:
        return found
    account, searches = found.payer.account, found.payer.admission.searches
    # Documents first: without them the search is refused, without its lists it is not.
    page = payable(found.hits, ask.registry, asked=asked)
    charged = pay(ask, parts, account, page, searches=searches)
    found = replace(found, granted=charged.granted, left=charged.left)
    if ask.cursor is not None:
        return found
    lists = open_facets(found.hits, ask.registry, numbers=found.numbers)
    try:
        return replace(found, facets=charge_facets(account, lists, now=ask.now))
    except FacetsSpent:
        # What is paid for leaves, if without its lists.
        if not charged.granted:
            raise
        return replace(found, notes=(*found.notes, "facets_spent"))


def _remember(ask: Ask, ready: Ready, found: _Found) -> None:
    """Note a capped search that finds nothing: it alone may be explained."""
    if found.payer is not None and _is_empty(ask, found):
        note_empty(found.payer.account, tree_hash(ready.tree), now=ask.now)


def _is_empty(ask: Ask, found: _Found) -> bool:
    return ask.cursor is None and found.short and not found.hits.rows


def _report(ask: Ask, ready: Ready, found: _Found, notes: Sequence[str]) -> Report:
    hits = found.hits
    sentence = describe(ready.tree, ask.registry, ask.caller.language)
    report = report_of(hits, sentence, ready.resolved)
    # Without a page, that would tell none from a few, which a capped caller can't know.
    free = ask.registry.budget is None
    nothing = not hits.total and hits.exact if free else _is_empty(ask, found)
    empty = ("explain_empty",) if nothing else ()
    k = threshold(ask.registry)
    if k is not None and not found.granted and not (found.numbers and hits.total >= k):
        # The words of a document that is not shown.
        report = replace(report, original=None, fallback=None)
    return replace(report, notes=(*report.notes, *notes, *empty), sort=found.sort)


def _few(ask: Ask, parts: Parts, ready: Ready, found: _Found) -> tuple[Suggestion, ...]:
    """Suggest what one to four shown results share, in one statement more."""
    hits, free = found.hits, ask.registry.budget is None
    known = hits.total if free else len(hits.rows)
    if ask.cursor is not None or not 1 <= known <= FEW or not (free or found.short):
        return ()
    shown = [row for row in hits.rows if free or row.id in found.granted]
    options = frequent(shown, ready.tree, ask.registry)
    if not options:
        return ()
    trees = [option.tree for option in options]
    try:
        counts = measured(ask, parts, ready.query, trees)
    except Invalid:
        # The tree ran; with one filter more it may be too large to be counted.
        return ()
    return offers(ask, options, counts)

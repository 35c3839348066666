"""Search on Typesense: the protocol of ``search.engine`` over the official client.

The ladder is decided on the text alone, over what the caller may see. A misspelt
word is corrected to one word of the catalogue and then searched strictly, so that a
filter can't bring in other corrections and totals stay exact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from typesense import Client

from vitrine.problems import Fault, Invalid
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Count, Found, Hits, Mode, Position, Query, Row, Wanted
from vitrine.tree.conditions import TRUE, Condition
from vitrine.typesense import answers, labels, names, request
from vitrine.typesense.client import perform
from vitrine.typesense.compile import filter_by
from vitrine.typesense.request import Search
from vitrine.typesense.words import Terms, nearest, terms

Result = Mapping[str, Any]
KeyFor = Callable[[Registry], str | None]

PROBED = 20
"""Documents read to find what a misspelt word was meant to be."""
TWO_EDITS = 7
ONE_EDIT = 4
"""Fewest letters of a word that may differ by two edits, by one."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Rung:
    """One way to search a text: its words, and how they are taken."""

    mode: Mode
    words: tuple[str, ...] = ()

    @property
    def asked(self) -> tuple[str, ...]:
        """Give the words to query by: the server drops one that begins no word."""
        return self.words[-1:] if self.mode == "prefix" else self.words

    @property
    def held(self) -> tuple[str, ...]:
        """Give the words to filter by."""
        return self.words[:-1] if self.mode == "prefix" else ()

    @property
    def said(self) -> str:
        """Say what is searched."""
        return " ".join(self.words) + ("*" if self.mode == "prefix" else "")


class Typesense:
    """The engine of sources that live in a public collection.

    ``key_for`` may give a scoped key for a registry's searches; without one, or
    where it gives None, the client's own key is used.
    """

    def __init__(self, client: Client, key_for: KeyFor | None = None) -> None:
        self._client = client
        self._key_for = key_for

    def search(self, query: Query) -> Hits:
        """Find one page; raise ``Invalid`` or ``Unavailable``."""
        found = terms(query.text.query) if query.text else None
        _refuse_private(query)
        if query.text and query.text.method == "semantic_search":
            raise _unsupported()
        strict = Rung("strict", found.wanted if found else ())
        page = _page(query, strict, found)
        if page is None:
            return _nothing(query)
        if found is None:
            return _hits(query, self._ask(query, [page])[0], strict)
        rung, result = self._climbed(query, found, page)
        return _telling(_hits(query, result, rung), query, found, rung)

    def count(self, query: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        """Count each condition alone over what the caller may see, in one request."""
        filters = [filter_by(c, _guard(query.registry)) for c in conditions]
        asked = [request.search(query.registry, (), f) for f in filters if f]
        results = iter(self._ask(query, asked))
        return tuple(Count(int(next(results)["found"]) if f else 0) for f in filters)

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Resolve labels by the closed lists; no server is asked."""
        fields = query.registry.filters
        language = query.caller.language
        return tuple(
            labels.resolved(fields[w.field], w.label, language)
            if w.field in fields
            else Found()
            for w in wanted
        )

    def fetch(self, query: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        """Read documents by public id, in the order asked; others are left out."""
        registry = query.registry
        known = list(dict.fromkeys(i for i in ids if _UUID.fullmatch(i)))
        size = request.PAGE_LIMIT
        parts = (known[i : i + size] for i in range(0, len(known), size))
        asked = [_by_ids(registry, part) for part in parts]
        results = self._ask(query, asked)
        rows = {row.id: row for r in results for row in answers.rows(registry, r)}
        return tuple(rows[i] for i in known if i in rows)

    def _ask(self, query: Query, asked: Sequence[Search]) -> list[Result]:
        key = self._key_for(query.registry) if self._key_for else None
        sealed = {"x-typesense-api-key": key} if key else {}
        return perform(self._client, [{**search, **sealed} for search in asked])

    def _climbed(self, query: Query, found: Terms, page: Search) -> tuple[Rung, Result]:
        """Run the page on the first rung of the ladder that holds."""
        strict, result = Rung("strict", found.wanted), None
        if query.mode in ("strict", None):
            result, enough = self._strictly(query, strict, found, page)
            if enough or query.mode:
                return strict, result
        rung = self._widened(query, found)
        if rung is None and result is not None:
            return strict, result
        widened = _page(query, rung, found) if rung else None
        return rung or strict, self._ask(query, [widened or page])[0]

    def _strictly(
        self, query: Query, strict: Rung, found: Terms, page: Search
    ) -> tuple[Result, bool]:
        """Run the strict page; tell whether the text alone finds enough."""
        alone = query.condition == TRUE
        asked = [page] if alone else [page, _probe(query, strict, found)]
        results = self._ask(query, asked)
        enough = results[-1]["found"] >= query.registry.manifest.widen_below
        return results[0], enough

    def _widened(self, query: Query, found: Terms) -> Rung | None:
        """Find the typo or prefix rung on which the text alone finds something."""
        rungs = [Rung("prefix", found.wanted)]
        corrected = self._corrected(query, found)
        if corrected != found.wanted:
            rungs.insert(0, Rung("typo", corrected))
        if query.mode and query.mode != "strict":
            return next((r for r in rungs if r.mode == query.mode), None)
        asked = [_probe(query, rung, found) for rung in rungs]
        results = self._ask(query, asked)
        pairs = zip(rungs, results, strict=True)
        return next((rung for rung, result in pairs if result["found"]), None)

    def _corrected(self, query: Query, found: Terms) -> tuple[str, ...]:
        """Replace each word that no visible document holds by the nearest that is."""
        registry, guard = query.registry, _guard(query.registry)
        doubtful = [w for w in found.wanted if _reach(w)]
        if not doubtful or not request.corrigible(registry):
            return found.wanted
        visible = filter_by(TRUE, guard) or ""
        asked = [
            search
            for word in doubtful
            for search in (
                request.search(registry, [word], visible),
                request.misspelt(registry, word, visible, PROBED),
            )
        ]
        results = iter(self._ask(query, asked))
        better: dict[str, str] = {}
        for word, held, like in zip(doubtful, results, results, strict=True):
            other = None if held["found"] else _meant(word, like)
            better[word] = other or word
        return tuple(dict.fromkeys(better.get(w, w) for w in found.wanted))


def _meant(word: str, result: Result) -> str | None:
    """Give the nearest word of the documents that hold one like it."""
    texts = (
        str(text)
        for hit in result.get("hits", ())
        for name, text in hit["document"].items()
        if name.startswith("TEXT_")
    )
    counted = Counter(w for text in texts for w in set(text.split()))
    return nearest(word, counted, _reach(word))


def _reach(word: str) -> int:
    """Tell how many edits a word may be off: none where it has a digit."""
    if any(sign.isdigit() for sign in word) or len(word) < ONE_EDIT:
        return 0
    return 1 if len(word) < TWO_EDITS else 2


def _guard(registry: Registry) -> str:
    return names.guard(registry.tenant, registry.source)


def _page(query: Query, rung: Rung, found: Terms | None) -> Search | None:
    """Give a rung's page, with the filters; None if nothing can match."""
    search = _filtered(query, query.condition, rung, found)
    if search is None:
        return None
    number, size = _position(query)
    faceted = request.faceted(search, query.registry, query.facets)
    return {**faceted, "page": number, "per_page": size}


def _probe(query: Query, rung: Rung, found: Terms) -> Search:
    """Count the documents that hold a text, whatever the filters are."""
    search = _filtered(query, TRUE, rung, found)
    if search is None:
        raise AssertionError("a text without filters always compiles")
    return search


def _filtered(
    query: Query, condition: Condition, rung: Rung, found: Terms | None
) -> Search | None:
    filters = filter_by(
        condition,
        _guard(query.registry),
        holding=rung.held,
        without=found.without if found else (),
    )
    if filters is None:
        return None
    asked = request.search(query.registry, rung.asked, filters)
    return request.prefixed(asked) if rung.mode == "prefix" else asked


def _position(query: Query) -> tuple[int, int]:
    """Give the page's number and size; later pages keep the first one's size."""
    if query.after is None or not query.limit:
        return 1, min(query.limit, request.PAGE_LIMIT)
    number, size = query.after
    return int(number), int(size)


def _by_ids(registry: Registry, ids: Sequence[str]) -> Search:
    guarded = filter_by(TRUE, _guard(registry))
    asked = request.search(registry, (), f"{guarded} && id:[{','.join(ids)}]")
    return {**asked, "per_page": len(ids)}


def _refuse_private(query: Query) -> None:
    """Refuse a facet that the profile does not have."""
    faults = [
        Fault(f"/facets/{i}", "facet", f"There is no facet {key!r}.")
        for i, key in enumerate(query.facets)
        if key not in query.registry.facets
    ]
    if faults:
        raise Invalid(faults)


def _unsupported() -> Invalid:
    message = "This source does not search by meaning."
    return Invalid([Fault("", "unsupported", message, "Use keyword_search.")])


def _hits(query: Query, result: Result, rung: Rung) -> Hits:
    rows = answers.rows(query.registry, result, rung.mode)
    whole = len(rows) == len(result.get("hits", ()))
    return Hits(
        rows=rows,
        total=int(result["found"]),
        exact=whole and rung.mode != "prefix",
        mode=rung.mode,
        facets=answers.counts(query.registry, result, query.facets),
        next=_following(query, int(result["found"])),
    )


def _following(query: Query, total: int) -> Position | None:
    number, size = _position(query)
    budget = query.registry.budget
    last = budget is not None and number >= budget.pages
    return None if last or number * size >= total or not size else (number + 1, size)


def _notes(query: Query, found: Terms) -> tuple[str, ...]:
    hybrid = query.text is not None and query.text.method == "hybrid_search"
    told = (("keyword_only", hybrid), ("phrase_as_words", found.phrase))
    return tuple(code for code, holds in told if holds)


def _nothing(query: Query) -> Hits:
    facets: dict[str, answers.Counts] = dict.fromkeys(query.facets, ())
    return Hits(mode=query.mode or "strict", facets=facets)


def _telling(hits: Hits, query: Query, found: Terms, rung: Rung) -> Hits:
    """Tell what was searched instead, where it was not the text itself."""
    told = replace(hits, notes=_notes(query, found))
    if rung.mode == "strict" or not query.text:
        return told
    return replace(told, original=query.text.query, fallback=rung.said)

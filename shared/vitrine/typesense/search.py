"""Search on Typesense: the protocol of ``search.engine`` over the official client.

The ladder is decided on the text alone, over what the caller may see: one request
where strict hits are enough, three at most where they are not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from typesense import Client

from vitrine.caller import Caller
from vitrine.problems import Fault, Invalid
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.search.engine import Count, Found, Hits, Position, Query, Row, Wanted
from vitrine.tree.conditions import TRUE, All, Condition, Text
from vitrine.typesense import answers, labels, ladder, request, sample
from vitrine.typesense.client import perform
from vitrine.typesense.compile import filter_by
from vitrine.typesense.grammar import checked
from vitrine.typesense.ladder import Rung
from vitrine.typesense.recheck import passes
from vitrine.typesense.request import Search
from vitrine.typesense.sealing import Seal
from vitrine.typesense.texts import by_meaning
from vitrine.typesense.version import FLOOR, Version
from vitrine.typesense.wording import wording_of
from vitrine.typesense.words import Terms, terms

Result = Mapping[str, Any]

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Typesense:
    """The engine of sources that live in a public collection.

    ``seal`` makes a key of each search, which goes in its place; without it, the
    client's own key is used. ``version`` says what the server may be asked beside.
    """

    def __init__(
        self, client: Client, seal: Seal | None = None, version: Version = FLOOR
    ) -> None:
        self._client = client
        self._seal = seal
        self._more = request.LATER if version.exhaustive_facets else {}

    def search(self, query: Query) -> Hits:
        """Find one page; raise ``Invalid`` or ``Unavailable``."""
        stop = wording_of(query.registry.manifest).stop
        found = terms(query.text.query, stop) if query.text else None
        if query.text and found and len(found.either) > 1:
            return self._among_alternatives(query, query.text, found)
        _refuse_private(query)
        if query.text and query.text.method == "semantic_search":
            raise by_meaning()
        strict = Rung("strict", found.wanted if found else ())
        page = ladder.page(query, strict, found)
        if page is None:
            return _nothing(query)
        if found is None:
            return _hits(query, self._ask([page])[0], strict)
        rung, result = self._climbed(query, found, page)
        return _telling(_hits(query, result, rung), query, found, rung)

    def _among_alternatives(self, query: Query, text: Text, found: Terms) -> Hits:
        """Run a text with "or" as a filter: strictly, in the source's own order."""
        condition = All((query.condition, text))
        hits = self.search(replace(query, condition=condition, text=None))
        return replace(hits, notes=_notes(query, found))

    def count(self, query: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        """Count each condition alone over what the caller may see, in one request."""
        guard = ladder.guard_of(query.registry)
        wording = wording_of(query.registry.manifest)
        filters = [filter_by(c, guard, language=wording) for c in conditions]
        asked = [request.search(query.registry, (), f) for f in filters if f]
        results = iter(self._ask(asked))
        return tuple(Count(int(next(results)["found"]) if f else 0) for f in filters)

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Resolve labels by the closed lists; no server is asked."""
        return labels.Labels().look_up(query, wanted)

    def fetch(self, query: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        """Read documents by public id, in the order asked; others are left out."""
        registry = query.registry
        # What is no public id of ours reaches no filter.
        known = list(dict.fromkeys(i for i in ids if _UUID.fullmatch(i)))
        size = request.PAGE_LIMIT
        parts = (known[i : i + size] for i in range(0, len(known), size))
        asked = [_by_ids(registry, part) for part in parts]
        results = self._ask(asked)
        rows = {row.id: row for r in results for row in answers.rows(registry, r)}
        return tuple(rows[i] for i in known if i in rows)

    def observe(self, _caller: Caller, registry: Registry) -> Mapping[str, Sample]:
        """Observe the values of a registry's own collection: all of it is visible."""
        return sample.observed(registry, self._ask(sample.asked(registry)))

    def learn(self, _caller: Caller, _source: str) -> bool:
        """Learn nothing: the server keeps its own statistics."""
        return False

    def _ask(self, asked: Sequence[Search]) -> list[Result]:
        whole = [{**search, **self._more} for search in asked]
        sealed = [self._seal(search) for search in whole] if self._seal else whole
        return perform(self._client, sealed)

    def _climbed(self, query: Query, found: Terms, page: Search) -> tuple[Rung, Result]:
        """Run the page on the first rung of the ladder that holds."""
        if query.mode not in ("strict", None):
            return self._again(query, found)
        strict = Rung("strict", found.wanted)
        result, hits = self._strictly(query, strict, found, page)
        if query.mode or hits >= query.registry.manifest.widen_below:
            return strict, result
        return self._widened(query, found) or (strict, result)

    def _strictly(
        self, query: Query, strict: Rung, found: Terms, page: Search
    ) -> tuple[Result, int]:
        """Run the strict page; count what the text finds without the filters."""
        # The text alone decides whether to widen: were the filters counted with it, one
        # filter more could bring documents in.
        alone = query.condition == TRUE
        asked = [page] if alone else [page, ladder.probe(query, strict, found)]
        results = self._ask(asked)
        return results[0], int(results[-1]["found"])

    def _widened(self, query: Query, found: Terms) -> tuple[Rung, Result] | None:
        """Run the page on the typo rung, else the prefix one, if the text finds more.

        Two requests: one for spellings and prefix, one for a correction.
        """
        registry = query.registry
        doubtful = ladder.doubtful(registry, found.wanted)
        asked = ladder.spellings(registry, doubtful)
        prefix = ladder.prefix(registry, found)
        last = _both(query, prefix, found) if prefix else []
        results = self._ask([*asked, *last])
        better = ladder.corrected(found.wanted, doubtful, results[: len(asked)])
        if better != found.wanted:
            typo = Rung("typo", better)
            alone, page = self._ask(_both(query, typo, found))
            if alone["found"]:
                return typo, page
        if prefix is None or not results[-2]["found"]:
            return None
        return prefix, results[-1]

    def _again(self, query: Query, found: Terms) -> tuple[Rung, Result]:
        """Run a later page on the rung that the first one was on."""
        rung = ladder.prefix(query.registry, found)
        if query.mode == "typo" or rung is None:
            doubtful = ladder.doubtful(query.registry, found.wanted)
            asked = ladder.spellings(query.registry, doubtful)
            results = self._ask(asked)
            rung = Rung("typo", ladder.corrected(found.wanted, doubtful, results))
        return rung, self._ask([ladder.page(query, rung, found) or {}])[0]


def _both(query: Query, rung: Rung, found: Terms) -> list[Search]:
    """Ask what the text finds alone, and for the page."""
    page = ladder.page(query, rung, found)
    return [ladder.probe(query, rung, found), page or {}]


def _by_ids(registry: Registry, ids: Sequence[str]) -> Search:
    filters = f"{ladder.guarded(registry)} && id:[{','.join(ids)}]"
    asked = request.search(registry, (), checked(filters))
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


def _hits(query: Query, result: Result, rung: Rung) -> Hits:
    rows = answers.rows(
        query.registry,
        result,
        rung.mode,
        strict=_kept(query, rung),
        passes=lambda document: passes(query.condition, document),
    )
    whole = len(rows) == len(result.get("hits", ()))
    shown = ladder.shown(query)
    return Hits(
        rows=tuple(row for row in rows if ladder.mark(row.id) not in shown),
        total=int(result["found"]),
        # A beginning stands for as many words as the server tries: its total is a lower
        # bound.
        exact=whole and rung.mode != "prefix",
        mode=rung.mode,
        facets=answers.counts(query.registry, result, query.facets),
        next=_following(query, int(result["found"]), rows),
        end=_following(query, sys.maxsize, rows) if _is_full(query, result) else None,
    )


def _is_full(query: Query, result: Result) -> bool:
    return len(result.get("hits", ())) >= ladder.position(query)[1]


def _kept(query: Query, rung: Rung) -> tuple[str, ...]:
    return wording_of(query.registry.manifest).asked(rung.keeping)


def _following(query: Query, total: int, rows: Sequence[Row]) -> Position | None:
    number, size = ladder.position(query)
    budget = query.registry.budget
    last = budget is not None and number >= budget.pages
    if last or number * size >= total or not size:
        return None
    marks = [*ladder.shown(query), *(ladder.mark(row.id) for row in rows)]
    return number + 1, size, "".join(marks[-ladder.SEEN :])


def _notes(query: Query, found: Terms) -> tuple[str, ...]:
    hybrid = query.text is not None and query.text.method == "hybrid_search"
    wording = wording_of(query.registry.manifest)
    widened = any(wording.widens(group) for group in found.either)
    told = (
        ("keyword_only", hybrid),
        ("phrase_as_words", found.phrase),
        ("synonyms", widened),
    )
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

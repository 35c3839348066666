"""The rungs of a text search and the searches that each one needs; pure.

*strict* holds every word; *typo* holds every word after correction, each to one word
of the catalogue, so that a filter can't bring in other corrections and totals stay
exact; *prefix* holds every word, the last as a beginning. A source may widen although
there are strict hits: then no word is misspelt, and the prefix rung has them first,
marked, among the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vitrine.registry.profiles import Registry
from vitrine.search.engine import Mode, Query
from vitrine.tree.conditions import TRUE, Condition
from vitrine.typesense import names, request
from vitrine.typesense.compile import any_of, filter_by, held
from vitrine.typesense.recheck import looked_at
from vitrine.typesense.request import Search
from vitrine.typesense.wording import wording_of
from vitrine.typesense.words import Terms, nearest

SHORTEST_PREFIX = 3
"""Letters: with one or two, a beginning would list the catalogue."""
PROBED = 20
"""Documents read to find what a misspelt word was meant to be."""
MARK = 8
SEEN = 400
"""Documents that a cursor remembers, by eight digits each. Pages are counted, so that
one that comes in above pushes the last of a page onto the next, which omits it."""
TWO_EDITS = 7
ONE_EDIT = 4
"""Fewest letters of a word that may differ by two edits, by one."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One way to search a text; ``keeping`` are words whose hits come first."""

    mode: Mode
    words: tuple[str, ...] = ()
    keeping: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Say what is searched."""
        return " ".join(self.words) + ("*" if self.mode == "prefix" else "")

    @property
    def asked(self) -> tuple[str, ...]:
        """Give the words to query by: the server drops one that begins no word."""
        return self.words[-1:] if self.mode == "prefix" else self.words

    @property
    def filtered(self) -> tuple[str, ...]:
        """Give the words to filter by."""
        return self.words[:-1] if self.mode == "prefix" else ()


def prefix(registry: Registry, found: Terms) -> Rung | None:
    """Give the prefix rung, None for a beginning that says nothing."""
    if len(found.wanted[-1]) < SHORTEST_PREFIX:
        return None
    merging = registry.manifest.widen_below > 1
    return Rung("prefix", found.wanted, found.wanted if merging else ())


def guard_of(registry: Registry) -> str:
    """Give the code that a registry's documents carry."""
    return names.guard(registry.tenant, registry.source)


def guarded(registry: Registry) -> str:
    """Give the filter that lets all of a registry's documents through."""
    return filter_by(TRUE, guard_of(registry)) or ""


def page(query: Query, rung: Rung, found: Terms | None) -> Search | None:
    """Give a rung's page, with the filters; None if nothing can match."""
    search = _filtered(query, query.condition, rung, found)
    if search is None:
        return None
    number, size = position(query)
    faceted = request.faceted(search, query.registry, query.facets)
    # The hit brings what it was tested by, so that it can be looked at again here.
    shown = ",".join((search["include_fields"], *looked_at(query.condition)))
    return {**faceted, "include_fields": shown, "page": number, "per_page": size}


def probe(query: Query, rung: Rung, found: Terms) -> Search:
    """Count the documents that hold a text, whatever the filters are."""
    return _filtered(query, TRUE, rung, found) or {}


def _filtered(
    query: Query, condition: Condition, rung: Rung, found: Terms | None
) -> Search | None:
    registry, wording = query.registry, wording_of(query.registry.manifest)
    denied = found.without if found else ()
    filters = filter_by(
        condition,
        guard_of(registry),
        language=wording,
        holding=wording.asked(rung.filtered),
        without=(*wording.stems(denied), *wording.never(rung.words)),
    )
    if filters is None:
        return None
    first = held(wording.asked(rung.keeping)) if rung.keeping else ""
    if rung.mode == "prefix":
        # A beginning is one of a word: it has no synonyms.
        beginning = wording.stems(rung.asked)
        asked = request.search(
            registry, beginning, filters, first=first, chosen=query.sort
        )
        return request.prefixed(asked)
    pinned = wording.first(rung.words) if rung.words else ()
    either = any_of(pinned) if pinned else ""
    stems = wording.asked(rung.asked)
    return request.search(registry, stems, filters, pinned=either, chosen=query.sort)


def position(query: Query) -> tuple[int, int]:
    """Give the page's number and size; later pages keep the first one's size."""
    if query.after is None or not query.limit:
        return 1, min(query.limit, request.PAGE_LIMIT)
    number, size, *_ = query.after
    return int(number), int(size)


def mark(document: str) -> str:
    """Give the digits that mark a document among those shown."""
    return document[:MARK]


def shown(query: Query) -> tuple[str, ...]:
    """Give the marks of the documents on the pages before."""
    seen = "".join(str(part) for part in (query.after or ())[2:])
    return tuple(seen[at : at + MARK] for at in range(0, len(seen), MARK))


def doubtful(registry: Registry, words: Sequence[str]) -> list[str]:
    """List the words that may be misspelt."""
    return [w for w in words if _reach(w)] if request.corrigible(registry) else []


def spellings(registry: Registry, words: Sequence[str]) -> list[Search]:
    """Ask for each word's own documents, and for those of words like it."""
    visible, wording = guarded(registry), wording_of(registry.manifest)
    return [
        search
        for word in words
        for search in (
            request.search(registry, wording.asked([word]), visible),
            request.misspelt(registry, word, visible, PROBED),
        )
    ]


def corrected(
    wanted: Sequence[str],
    words: Sequence[str],
    results: Sequence[Mapping[str, Any]],
) -> tuple[str, ...]:
    """Replace each word that no visible document holds by the nearest that is."""
    better: dict[str, str] = {}
    for word, own, like in zip(words, results[::2], results[1::2], strict=True):
        # What some document here holds is no slip, however rare it is.
        other = None if own["found"] else _meant(word, like)
        better[word] = other or word
    return tuple(dict.fromkeys(better.get(w, w) for w in wanted))


def _meant(word: str, result: Mapping[str, Any]) -> str | None:
    """Give the nearest word of the documents that hold one like it."""
    documents = (hit["document"] for hit in result.get("hits", ()))
    texts = (str(document.get(names.TEXT, "")) for document in documents)
    counted = Counter(w for text in texts for w in set(text.split()))
    return nearest(word, counted, _reach(word))


def _reach(word: str) -> int:
    """Tell how many edits a word may be off: none where it has a digit."""
    # One digit off is another size or another part, never the same one misspelt.
    if any(sign.isdigit() for sign in word) or len(word) < ONE_EDIT:
        return 0
    return 1 if len(word) < TWO_EDITS else 2

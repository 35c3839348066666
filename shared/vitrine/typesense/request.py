"""The parameters of each search that is sent, every one of them set by us.

Words are never dropped, split or joined, nothing is pinned, highlighted or cached,
and only what the profile may see is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Sort
from vitrine.typesense import names
from vitrine.typesense.shadows import CODED

Search = dict[str, Any]
FACET_VALUES = 250
PAGE_LIMIT = 250
"""Most hits of one page (Typesense)."""

_FIXED: Mapping[str, Any] = {
    "num_typos": 0,
    "prefix": False,
    "drop_tokens_threshold": 0,
    "typo_tokens_threshold": 0,
    "split_join_tokens": "off",
    "enable_overrides": False,
    "pinned_hits": "",
    "hidden_hits": "",
    "highlight_fields": "none",
    "highlight_full_fields": "none",
    "use_cache": False,
    # The size of the collection and the time taken are nobody's business.
    "exclude_fields": "out_of,search_time_ms",
    "page": 1,
    "per_page": 0,
}
# What older servers do not know, and newer ones do unless they are told not to.
LATER: Mapping[str, Any] = {
    "enable_synonyms": False,
    "facet_strategy": "exhaustive",
}
# Widening looks at every candidate, so that a filter can't bring new ones in.
_WIDE: Mapping[str, Any] = {"exhaustive_search": True, "max_candidates": 10_000}


def search(
    registry: Registry,
    stems: Iterable[str] = (),
    filters: str = "",
    *,
    first: str = "",
    pinned: str = "",
    chosen: Sort | None = None,
) -> Search:
    """Ask for the number of documents that hold all stems and pass the filters.

    ``first`` is a filter whose documents come before the others, in place of an order
    by relevance; those of ``pinned`` come before an order by relevance. An order that
    the caller chose takes the place of all of these.
    """
    q = " ".join(stems)
    by = weighted(registry)
    return {
        **_FIXED,
        "collection": collection(registry),
        "q": q or "*",
        "query_by": ",".join(names.stemmed(k) for k, _ in by) or names.WORDS,
        **({"query_by_weights": ",".join(str(w) for _, w in by)} if by else {}),
        "filter_by": filters,
        "include_fields": ",".join([*shown(registry), *([names.WORDS] * bool(first))]),
        "sort_by": _chosen(chosen)
        if chosen
        else ",".join(_order(registry, first or pinned, ranked=not first and q)),
    }


def collection(registry: Registry) -> str:
    """Name the alias that a registry's searches go to."""
    relation = registry.manifest.relation
    return names.alias(relation, registry.tenant, registry.profile)


def weighted(registry: Registry) -> list[tuple[str, int]]:
    """List the searched fields, heaviest first, with their weights."""
    weights = {t.key: t.weight for t in registry.manifest.text}
    found = ((k, weights.get(k, 1)) for k in registry.searches)
    return sorted(found, key=lambda pair: -pair[1])


def shown(registry: Registry) -> list[str]:
    """List what an answer may hold: id, guard, moment, and the profile's output."""
    return ["id", names.GUARD, names.AS_OF, *registry.outputs]


def _order(registry: Registry, first: str, *, ranked: object) -> Iterable[str]:
    """Order by relevance, then as the manifest says, then by a unique number.

    Three at most (Typesense): where something comes first by relevance, the
    manifest's own order gives way.
    """
    if first:
        yield f"_eval({first}):desc"
    if ranked:
        yield "_text_match:desc"
    order = registry.fields.get(registry.manifest.order or "")
    if registry.manifest.boosts and not (first and ranked):
        yield f"{names.RANK}:desc"
    elif order and not (first and ranked):
        yield f"{names.integer(order)}:desc"
    yield f"{names.TIE}:asc"


def _chosen(chosen: Sort) -> str:
    """Order as the caller chose, then by a unique number; no value comes last."""
    way = "desc" if chosen.descending else "asc"
    return f"{names.integer(chosen.field)}(missing_values: last):{way},{names.TIE}:asc"


def prefixed(asked: Search) -> Search:
    """Let the last word be the beginning of one."""
    return {**asked, **_WIDE, "prefix": True}


def misspelt(registry: Registry, word: str, guard: str, shown_hits: int) -> Search:
    """Ask for documents that hold a word like this one, with their words."""
    asked = search(registry, [word], guard)
    asked.pop("query_by_weights", None)
    return {
        **asked,
        **_WIDE,
        "query_by": names.TEXT,
        "include_fields": f"id,{names.GUARD},{names.TEXT}",
        "num_typos": 2,
        "typo_tokens_threshold": 1,
        "per_page": shown_hits,
    }


def corrigible(registry: Registry) -> bool:
    """Tell whether any searched field may be typo-corrected."""
    kinds = (registry.fields[key].type for key in registry.searches)
    return any(kind is not FieldType.IDENTIFIER for kind in kinds)


def faceted(asked: Search, registry: Registry, facets: Iterable[str]) -> Search:
    """Ask for the counts of these facets too."""
    keys = list(facets)
    if not keys:
        return asked
    sizes = [len(registry.fields[k].choices or ()) for k in keys]
    return {
        **asked,
        "facet_by": ",".join(facet(registry, k) for k in keys),
        "max_facet_values": max(FACET_VALUES, *sizes),
    }


def facet(registry: Registry, key: str) -> str:
    """Name the field whose values make a facet."""
    field = registry.fields[key]
    if field.type in CODED:
        return names.code_of(field)
    if field.type is FieldType.BOOLEAN:
        return names.truth(field)
    return names.band(field) if field.steps else names.integer(field)

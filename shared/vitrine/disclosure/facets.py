"""Facet lists as a profile may see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import partial
from itertools import pairwise

from vitrine.disclosure.answer import FacetValue, Total
from vitrine.disclosure.bands import BETWEEN, band
from vitrine.disclosure.counts import UNTOLD, merged, threshold, told_list
from vitrine.disclosure.labels import labels_in
from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Field
from vitrine.registry.kept import Kept
from vitrine.registry.operators import ORIENTATIONS, FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Hits

LISTED = 100
"""Most values of a list that is told whole; a longer one has those of k or more."""


def open_facets(
    hits: Hits, registry: Registry, *, numbers: bool = True
) -> dict[str, tuple[str, ...]]:
    """List the facets that could leave, each with its values: what there is to pay.

    Only the profile's own facets, in its order. Where a capped profile finds fewer
    than k documents there are none: their values would be facts of single documents.
    Without ``numbers`` its lists are the catalogue's own, whatever was found.
    """
    lists = _lists(hits, registry, numbers=numbers)
    return {key: tuple(counts) for key, counts in lists.items()}


def facet_values(
    hits: Hits, registry: Registry, tongue: str, *, numbers: bool = True
) -> dict[str, tuple[FacetValue, ...]]:
    """Tell the values of each open facet with their counts.

    What a capped profile meets as one number stands in order of names, so that the
    order does not tell more than the number.
    """
    lists = _lists(hits, registry, numbers=numbers)
    told: dict[str, tuple[FacetValue, ...]] = {}
    for key, counts in lists.items():
        totals = _totals(counts, registry, numbers=numbers)
        values = _valued(registry.fields[key], zip(counts, totals, strict=True), tongue)
        capped = registry.budget is not None
        told[key] = tuple(sorted(values, key=_place)) if capped else values
    return told


def _lists(
    hits: Hits, registry: Registry, *, numbers: bool
) -> dict[str, dict[str, int]]:
    k = threshold(registry)
    if k is not None and numbers and hits.total < k:
        return {}
    # Without numbers, what was found must not be told by what a list lacks, either.
    found = {} if k is not None and not numbers else hits.facets or {}
    lists = {key: _listed(registry, key, found.get(key, ())) for key in registry.facets}
    return {key: counts for key, counts in lists.items() if counts}


def _listed(
    registry: Registry, key: str, found: Iterable[tuple[str, int]]
) -> dict[str, int]:
    """Give the values of one facet that are on its closed list, if it has one.

    A capped profile gets the whole list: that a value is missing would tell that no
    document has it, which below k is a number too.
    """
    field, k = registry.fields[key], threshold(registry)
    known = labels_in(field, "en")
    counts = merged(found)
    if known is not None:
        counts = {value: n for value, n in counts.items() if value in known}
    if k is None:
        return counts
    whole = {
        value: counts.get(value, 0) for value in _wholes[registry.engine].of(field)
    }
    # Of an open list, what fewer than k documents have is left out: its name alone
    # would be a fact of theirs.
    return whole | {v: n for v, n in counts.items() if n >= k and v not in whole}


def _whole(engine: EngineName, field: Field) -> tuple[str, ...]:
    """Give all values that a facet's list can have, none where that is open."""
    if field.type is FieldType.BOOLEAN:
        return "true", "false"
    if field.type is FieldType.ORIENTATION:
        return ORIENTATIONS
    if field.type is FieldType.NUMBER:
        return _bands(field) if engine is EngineName.TYPESENSE else ()
    values = tuple(choice.value for choice in field.choices or ())
    return values if len(values) <= LISTED else ()


def _bands(field: Field) -> tuple[str, ...]:
    """Name the bands between a number's steps as the engine does."""
    steps = [f"{Decimal(str(step)).normalize():f}" for step in sorted(field.steps)]
    ends = pairwise(["", *steps, ""]) if steps else ()
    return tuple(f"{low}{BETWEEN}{high}" for low, high in ends)


_wholes = {engine: Kept(partial(_whole, engine), most=512) for engine in EngineName}


def _totals(
    counts: Mapping[str, int], registry: Registry, *, numbers: bool
) -> tuple[Total, ...]:
    if registry.budget is not None and not numbers:
        return (UNTOLD,) * len(counts)
    return told_list(list(counts.values()), threshold(registry))


def _valued(
    field: Field, told: Iterable[tuple[str, Total]], tongue: str
) -> tuple[FacetValue, ...]:
    if field.type is FieldType.NUMBER:
        return tuple(FacetValue(*band(field, v, tongue), total) for v, total in told)
    labels = labels_in(field, tongue) or {}
    return tuple(FacetValue(v, labels.get(v) or v, total) for v, total in told)


def _place(value: FacetValue) -> tuple[bool, int, str]:
    hidden = value.count.kind == "fewer_than"
    return hidden, -value.count.number, value.label

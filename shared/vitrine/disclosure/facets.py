"""Facet lists as a profile may see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import pairwise

from vitrine.disclosure.answer import FacetValue
from vitrine.disclosure.bands import BETWEEN, band
from vitrine.disclosure.counts import UNTOLD, merged, threshold, told_list
from vitrine.disclosure.labels import label
from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Field
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
    k = threshold(registry)
    if k is not None and numbers and hits.total < k:
        return {}
    lists = ((key, _listed(hits, registry, key, numbers)) for key in registry.facets)
    return {key: tuple(values) for key, values in lists if values}


def facet_values(
    hits: Hits, registry: Registry, key: str, tongue: str, *, numbers: bool = True
) -> tuple[FacetValue, ...]:
    """Tell a facet's values with their counts.

    What a capped profile meets as one number stands in order of names, so that the
    order does not tell more than the number.
    """
    counts = _listed(hits, registry, key, numbers)
    totals = told_list(list(counts.values()), threshold(registry))
    if registry.budget is not None and not numbers:
        totals = (UNTOLD,) * len(counts)
    told = zip(counts, totals, strict=True)
    field = registry.fields[key]
    values = [FacetValue(*_named(field, v, tongue), total) for v, total in told]
    if registry.budget is None:
        return tuple(values)
    return tuple(sorted(values, key=_place))


def _listed(hits: Hits, registry: Registry, key: str, numbers: bool) -> dict[str, int]:
    """Give the values of one facet that are on its closed list, if it has one.

    A capped profile gets the whole list: that a value is missing would tell that no
    document has it, which below k is a number too.
    """
    found = merged((hits.facets or {}).get(key, ()))
    counts = dict(_known(found, registry, key))
    k = threshold(registry)
    if k is None:
        return counts
    told = counts if numbers else {}
    whole = {value: told.get(value, 0) for value in _whole(registry, key)}
    # Of an open list, what fewer than k documents have is left out: its name alone
    # would be a fact of theirs.
    return whole | {v: n for v, n in told.items() if n >= k and v not in whole}


def _whole(registry: Registry, key: str) -> tuple[str, ...]:
    """Give all values that a facet's list can have, none where that is open."""
    field = registry.fields[key]
    if field.type is FieldType.BOOLEAN:
        return "true", "false"
    if field.type is FieldType.ORIENTATION:
        return ORIENTATIONS
    if field.type is FieldType.NUMBER:
        return _bands(field) if registry.engine is EngineName.TYPESENSE else ()
    values = tuple(choice.value for choice in field.choices or ())
    return values if len(values) <= LISTED else ()


def _bands(field: Field) -> tuple[str, ...]:
    """Name the bands between a number's steps as the engine does."""
    steps = [f"{Decimal(str(step)).normalize():f}" for step in sorted(field.steps)]
    ends = pairwise(["", *steps, ""]) if steps else ()
    return tuple(f"{low}{BETWEEN}{high}" for low, high in ends)


def _known(
    counts: Mapping[str, int], registry: Registry, key: str
) -> Iterator[tuple[str, int]]:
    field = registry.fields[key]
    for value, number in counts.items():
        if label(field, value, "en") is not None:
            yield value, number


def _named(field: Field, value: str, tongue: str) -> tuple[str, str]:
    """Give a value for filters, and its name."""
    if field.type is FieldType.NUMBER:
        return band(field, value, tongue)
    return value, label(field, value, tongue) or value


def _place(value: FacetValue) -> tuple[bool, int, str]:
    hidden = value.count.kind == "fewer_than"
    return hidden, -value.count.number, value.label

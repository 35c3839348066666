"""Facet lists as a profile may see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vitrine.disclosure.answer import FacetValue
from vitrine.disclosure.bands import band
from vitrine.disclosure.counts import merged, threshold, told_list
from vitrine.disclosure.labels import label
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Hits


def open_facets(hits: Hits, registry: Registry) -> dict[str, tuple[str, ...]]:
    """List the facets that could leave, each with its values: what there is to pay.

    Only the profile's own facets, in its order. Where a capped profile finds fewer
    than k documents there are none: their values would be facts of single documents.
    """
    k = threshold(registry)
    if k is not None and hits.total < k:
        return {}
    found = hits.facets or {}
    lists = ((key, _listed(found, registry, key)) for key in registry.facets)
    return {key: tuple(values) for key, values in lists if values}


def facet_values(
    hits: Hits, registry: Registry, key: str, tongue: str
) -> tuple[FacetValue, ...]:
    """Tell a facet's values with their counts.

    What a capped profile meets as one number stands in order of names, so that the
    order does not tell more than the number.
    """
    counts = _listed(hits.facets or {}, registry, key)
    totals = told_list(list(counts.values()), threshold(registry))
    told = zip(counts, totals, strict=True)
    field = registry.fields[key]
    values = [FacetValue(*_named(field, v, tongue), total) for v, total in told]
    if registry.budget is None:
        return tuple(values)
    return tuple(sorted(values, key=_place))


def _listed(
    found: Mapping[str, tuple[tuple[str, int], ...]], registry: Registry, key: str
) -> dict[str, int]:
    """Give the values of one facet that are on its closed list, if it has one."""
    return dict(_known(merged(found.get(key, ())), registry, key))


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

"""Samples of a source's values, from the public collection that the profile sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from typesense import Client

from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import LABELS, VALUES, Sample
from vitrine.tree.conditions import TRUE
from vitrine.typesense import answers, integers, names, request
from vitrine.typesense.client import perform
from vitrine.typesense.compile import filter_by
from vitrine.typesense.labels import named
from vitrine.typesense.shadows import CODED

_COUNTED = (*CODED, FieldType.BOOLEAN)


def samples(client: Client, registry: Registry) -> dict[str, Sample]:
    """Observe the filterable fields in one request; sensitive ones are left out."""
    return observed(registry, perform(client, asked(registry)))


def asked(registry: Registry) -> list[request.Search]:
    """Ask for the values of each field that may be sampled, a search each."""
    return [_search(registry, field) for field in _open(registry)]


def observed(
    registry: Registry, results: Sequence[Mapping[str, Any]]
) -> dict[str, Sample]:
    """Read what was asked for, in its order."""
    pairs = zip(_open(registry), results, strict=True)
    return {field.key: _sample(field, result) for field, result in pairs}


def _open(registry: Registry) -> list[Field]:
    kinds = (*_COUNTED, *integers.ORDERED)
    fields = registry.filters.values()
    return [f for f in fields if not f.sensitive and f.type in kinds]


def _search(registry: Registry, field: Field) -> request.Search:
    guard = names.guard(registry.tenant, registry.source)
    whole = request.search(registry, (), filter_by(TRUE, guard) or "")
    size = max(LABELS, len(field.choices or ()))
    return {**whole, "facet_by": _observed(field), "max_facet_values": size}


def _observed(field: Field) -> str:
    if field.type in CODED:
        return names.code_of(field)
    if field.type is FieldType.BOOLEAN:
        return names.truth(field)
    return names.integer(field)


def _sample(field: Field, result: Mapping[str, Any]) -> Sample:
    facet: Mapping[str, Any] = result["facet_counts"][0]
    if field.type in integers.ORDERED:
        return _extent(field, facet["stats"])
    counted = sorted(facet["counts"], key=lambda c: (-c["count"], c["value"]))
    found = (answers.facet_value(field, str(c["value"])) for c in counted)
    values = tuple(value for value in found if value is not None)
    return Sample(values=values[:VALUES], labels=_labels(field, values))


def _labels(field: Field, values: tuple[str, ...]) -> tuple[str, ...]:
    """Give the labels in the order of frequency, English first, other tongues after."""
    by_value = {c.value: c for c in field.choices or ()}
    seen = [by_value[v] for v in values if v in by_value]
    spoken = [named(c, "en") for c in seen]
    others = [label for c in seen for label in c.labels.values()]
    return tuple(dict.fromkeys([*spoken, *others]))[:LABELS]


def _extent(field: Field, stats: Mapping[str, Any]) -> Sample:
    if "min" not in stats:
        return Sample()
    low, high = (integers.shown(field, int(stats[side])) for side in ("min", "max"))
    if field.type is FieldType.NUMBER:
        return Sample(low=float(low), high=float(high))
    return Sample(low=low, high=high)

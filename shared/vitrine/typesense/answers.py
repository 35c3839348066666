"""From the server's answer to rows and counts, looked at once more on the way.

The server's envelope ends here. A document without the caller's guard is dropped,
and so is whatever the profile's output does not name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Mode, Row
from vitrine.typesense import integers, names, request
from vitrine.typesense.shadows import CODED

Result = Mapping[str, Any]
Counts = tuple[tuple[str, int], ...]
AS_OF = "as_of"
"""A row's moment of truth, beside the manifest's fields."""


def rows(
    registry: Registry,
    result: Result,
    mode: Mode = "strict",
    *,
    strict: Sequence[str] = (),
    passes: Callable[[Mapping[str, Any]], bool] = lambda _: True,
) -> tuple[Row, ...]:
    """Read the page's documents that are this caller's, whole, and pass a last look.

    Those that hold all ``strict`` stems are strict hits, whatever the mode.
    """
    kept = {names.digest(stem) for stem in strict}
    guard = names.guard(registry.tenant, registry.source)
    documents = [hit["document"] for hit in result.get("hits", ())]
    ours = (d for d in documents if d.get(names.GUARD) == guard)
    return tuple(
        Row(d["id"], dict(_values(registry, d)), _mode(d, kept) or mode)
        for d in ours
        if _listed(registry, d) and passes(d)
    )


def _mode(document: Mapping[str, Any], kept: set[str]) -> Mode | None:
    return "strict" if kept and kept.issubset(document.get(names.WORDS, ())) else None


def _listed(registry: Registry, document: Mapping[str, Any]) -> bool:
    """Tell whether every value of a closed list is on it."""
    for key in registry.outputs:
        field = registry.fields[key]
        if field.choices is None or key not in document:
            continue
        known = {c.value for c in field.choices}
        if not known.issuperset(_many(document[key])):
            return False
    return True


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _values(
    registry: Registry, document: Mapping[str, Any]
) -> Iterable[tuple[str, Any]]:
    for key in registry.outputs:
        if key in document:
            yield key, _value(registry.fields[key], document[key])
    if names.AS_OF in document:
        yield AS_OF, document[names.AS_OF]


def _value(field: Field, value: Any) -> Any:
    if isinstance(value, list):
        return [_value(field, v) for v in value]
    return Decimal(str(value)) if isinstance(value, float) else value


def counts(
    registry: Registry, result: Result, keys: Iterable[str]
) -> dict[str, Counts]:
    """Read each facet's stored values and counts, most frequent first."""
    found = {f["field_name"]: f["counts"] for f in result.get("facet_counts", ())}
    return {
        key: _counted(registry.fields[key], found.get(request.facet(registry, key), ()))
        for key in keys
    }


def _counted(field: Field, counted: Iterable[Mapping[str, Any]]) -> Counts:
    pairs = ((facet_value(field, str(c["value"])), int(c["count"])) for c in counted)
    known = [(value, number) for value, number in pairs if value is not None]
    return tuple(sorted(known, key=lambda pair: (-pair[1], pair[0])))


def facet_value(field: Field, said: str) -> str | None:
    """Give the stored value that a facet's value stands for."""
    if field.type in CODED:
        return names.choice_value(field.choices, said)
    if field.steps:
        return integers.band_shown(field, said)
    if field.type is FieldType.BOOLEAN:
        return said
    return integers.shown(field, int(said))

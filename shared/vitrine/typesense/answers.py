"""From the server's answer to rows and counts, looked at once more on the way.

The server's envelope ends here. A document without the caller's guard is dropped,
and so is whatever the profile's output does not name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from vitrine.registry.fields import Field
from vitrine.registry.kept import Kept
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
    lists = _lists(registry)
    return tuple(
        Row(d["id"], _values(registry, d), _mode(d, kept) or mode)
        for d in ours
        if _listed(lists, d) and passes(d)
    )


def _mode(document: Mapping[str, Any], kept: set[str]) -> Mode | None:
    return "strict" if kept and kept.issubset(document.get(names.WORDS, ())) else None


def _lists(registry: Registry) -> tuple[tuple[str, frozenset[str]], ...]:
    """Give the closed lists among what is shown, each with its values."""
    lists = ((key, _closed.of(registry.fields[key])) for key in registry.outputs)
    return tuple((key, known) for key, known in lists if known is not None)


def _known(field: Field) -> frozenset[str] | None:
    if field.choices is None:
        return None
    return frozenset(choice.value for choice in field.choices)


_closed = Kept(_known, most=512)


def _listed(
    lists: Iterable[tuple[str, frozenset[str]]], document: Mapping[str, Any]
) -> bool:
    """Tell whether every value of a closed list is on it."""
    return all(
        known.issuperset(_many(document[key]))
        for key, known in lists
        if key in document
    )


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _values(registry: Registry, document: Mapping[str, Any]) -> dict[str, Any]:
    found = {k: _value(document[k]) for k in registry.outputs if k in document}
    if names.AS_OF in document:
        found[AS_OF] = document[names.AS_OF]
    return found


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return [_value(v) for v in value]
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

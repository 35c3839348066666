"""The schema of a profile's public collection: what its documents are tested by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vitrine.problems import Fault, Invalid
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.typesense import names, shadows
from vitrine.typesense.shadows import STRINGS, WHOLE

# Only ASCII signs can be named; ours are cut before indexing, a customer's are not.
SEPARATORS = ["'", "-", "/", ".", "_"]


def schema(registry: Registry, name: str) -> dict[str, Any]:
    """Give the collection to create; raise ``Invalid`` for an unfit manifest."""
    if faults := [Fault(f"/fields/{k}", "unfit", m) for k, m in _unfit(registry)]:
        raise Invalid(faults)
    return {
        "name": name,
        "token_separators": SEPARATORS,
        "fields": [
            {"name": names.GUARD, "type": "string"},
            {"name": names.TIE, "type": "int64"},
            {"name": names.WORDS, "type": STRINGS},
            *_ranked(registry),
            {"name": names.TEXT, "type": "string"},
            *(part for f in shadows.tested(registry) for part in shadows.declared(f)),
            *(_searched(registry, key) for key in registry.searches),
        ],
    }


def _searched(registry: Registry, key: str) -> dict[str, Any]:
    """Declare a searched text, in the engine's own locale where one is named."""
    said = {"name": names.stemmed(key), "type": "string", "optional": True}
    spoken = (
        locale.engine
        for locale in registry.manifest.locales.values()
        if locale.engine and key in (locale.title, *locale.fields.values())
    )
    own = next(spoken, None)
    return said | {"locale": own} if own else said


def _ranked(registry: Registry) -> Iterator[dict[str, Any]]:
    if registry.manifest.boosts:
        yield {"name": names.RANK, "type": "int64"}


def _unfit(registry: Registry) -> Iterator[tuple[str, str]]:
    for key, field in registry.filters.items():
        if field.choices is None and field.type is FieldType.VOCABULARY:
            yield key, f"{key}: a vocabulary needs its closed list here"
        if field.choices is None and field.type is FieldType.COLOUR and field.multi:
            yield key, f"{key}: several colours need their closed list here"
    for key in registry.facets:
        if registry.fields[key].type in (*WHOLE, FieldType.RELATION):
            told = "only closed lists, numbers, dates and booleans are facets"
            yield key, f"{key}: {told}"

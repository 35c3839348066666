"""What the values of closed lists are called, in the caller's language."""

from __future__ import annotations

from collections.abc import Mapping

from vitrine.registry.fields import Field

_KEPT = 512
_maps: dict[int, tuple[Field, Mapping[str, Mapping[str, str]]]] = {}


def label(field: Field, value: str, tongue: str) -> str | None:
    """Name a choice in a language, else in English, else in any; None if unlisted.

    A value of an open list is its own name.
    """
    if field.choices is None:
        return value
    labels = _labels(field).get(value)
    if labels is None:
        return None
    first = next(iter(labels.values()), value)
    return labels.get(tongue) or labels.get("en") or first


def _labels(field: Field) -> Mapping[str, Mapping[str, str]]:
    """Map a list once; a field has no hash, so it is known by identity, kept alive."""
    kept = _maps.get(id(field))
    if kept is not None and kept[0] is field:
        return kept[1]
    if len(_maps) >= _KEPT:
        _maps.clear()
    made = {choice.value: choice.labels for choice in field.choices or ()}
    _maps[id(field)] = (field, made)
    return made

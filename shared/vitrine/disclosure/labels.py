"""What the values of closed lists are called, in the caller's language."""

from __future__ import annotations

from collections.abc import Mapping

from vitrine.registry.fields import Field
from vitrine.registry.kept import Kept

Labels = Mapping[str, Mapping[str, str]]


def label(field: Field, value: str, tongue: str) -> str | None:
    """Name a choice in a language, else in English, else in any; None if unlisted.

    A value of an open list is its own name.
    """
    if field.choices is None:
        return value
    labels = _labels.of(field).get(value)
    if labels is None:
        return None
    first = next(iter(labels.values()), value)
    return labels.get(tongue) or labels.get("en") or first


def _mapped(field: Field) -> Labels:
    return {choice.value: choice.labels for choice in field.choices or ()}


_labels = Kept(_mapped, most=512)

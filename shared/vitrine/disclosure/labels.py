"""What the values of closed lists are called, in the caller's language."""

from __future__ import annotations

from collections.abc import Mapping

from vitrine.registry.fields import Choice, Field
from vitrine.registry.kept import Kept

Labels = Mapping[str, str]
"""The names of a closed list's values, by value."""
TONGUES = 16
"""Languages in which a list is kept; callers may name as many as they like."""


def label(field: Field, value: str, tongue: str) -> str | None:
    """Name a choice in a language, else in English, else in any; None if unlisted.

    A value of an open list is its own name.
    """
    labels = labels_in(field, tongue)
    return value if labels is None else labels.get(value)


def labels_in(field: Field, tongue: str) -> Labels | None:
    """Give the names of a closed list in a language, None where the list is open."""
    if field.choices is None:
        return None
    spoken = _spoken.of(field)
    if tongue not in spoken:
        if len(spoken) >= TONGUES:
            spoken.clear()
        spoken[tongue] = {c.value: _named(c, tongue) for c in field.choices}
    return spoken[tongue]


def _named(choice: Choice, tongue: str) -> str:
    labels = choice.labels
    first = next(iter(labels.values()), choice.value)
    return labels.get(tongue) or labels.get("en") or first


def _unspoken(_: Field) -> dict[str, Labels]:
    return {}


_spoken = Kept(_unspoken, most=512)

"""Closed lists: any spelling in, the stored one out, and the nearest for a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from vitrine.language.folding import fold
from vitrine.registry.fields import Field
from vitrine.registry.kept import Kept
from vitrine.registry.samples import Sample

NEAREST = 5
FEW = 12
"""A list of so many values is told whole."""
_CUTOFF = 0.55


def index(field: Field) -> Mapping[str, tuple[str, ...]]:
    """Give the stored values by folded value and label, made once a field."""
    return _indexes.of(field)


def _index(field: Field) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for choice in field.choices or ():
        for name in {fold(n) for n in (choice.value, *choice.labels.values())}:
            found[name] = (*found.get(name, ()), choice.value)
    return found


_indexes = Kept(_index, most=512)


def spelled(field: Field, text: str) -> tuple[str, ...]:
    """List the stored values that a text means; the very value means itself."""
    found = index(field).get(fold(text), ())
    return (text,) if text in found else found


def known(field: Field, text: str) -> bool:
    """Tell whether a text is, whole, a value of the field's closed list."""
    return bool(field.choices) and bool(spelled(field, text))


def sampled(text: str, sample: Sample) -> str:
    """Give the observed spelling of a value of an open list, else the text."""
    if text in sample.values:
        return text
    folded = fold(text)
    return next((v for v in sample.values if fold(v) == folded), text)


def nearest(field: Field, text: str) -> tuple[str, ...]:
    """List the values nearest to a text, and then the others of a short list."""
    found = index(field)
    close = get_close_matches(fold(text), found, NEAREST, _CUTOFF)
    values = [value for name in close for value in found[name]]
    if len(field.choices or ()) <= FEW:
        values += [choice.value for choice in field.choices or ()]
    return tuple(dict.fromkeys(values))


def remedy(field: Field, values: Iterable[str]) -> str:
    """Name values as a remedy; never those of a sensitive field."""
    listed = ", ".join(values)
    return "" if field.sensitive or not listed else f"The nearest are: {listed}."

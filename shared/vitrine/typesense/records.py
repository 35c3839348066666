"""A private record as its manifest's ``origin`` reads it; pure.

A value stands under a field's column, dots leading into objects and lists of them,
or under the field's key. None and an empty string are no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.typesense import integers

Record = Mapping[str, Any]
Read = Callable[[Record], list[Any]]
CENTS = 100


def values_at(record: Any, place: str) -> list[Any]:
    """List the values at a place of a record."""
    if not isinstance(record, Mapping):
        return []
    value = record.get(place)
    if isinstance(value, list | tuple):
        return list(_flat(value))
    if value is not None:
        return [] if value == "" else [value]
    head, dot, rest = place.partition(".")
    if not dot:
        return []
    return [v for part in _flat(record.get(head)) for v in values_at(part, rest)]


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for each in value:
            yield from _flat(each)
    elif value is not None and value != "":
        yield value


def reader(manifest: Manifest, field: Field) -> Read:
    """Make what reads a field's values of a record."""
    place = field.place
    if field.key in manifest.origin.decimal:
        return lambda record: [_cents(value) for value in values_at(record, place)]
    return lambda record: values_at(record, place)


def _cents(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return value
    return Decimal(str(value)) * CENTS


def identity(manifest: Manifest, record: Record) -> str:
    """Give a record's private id; raise ``Invalid`` where it has none."""
    place = manifest.origin.id
    values = values_at(record, place)
    if len(values) != 1 or isinstance(values[0], bool | Mapping):
        message = f"A record has no single id under {place!r}."
        raise Invalid([Fault(f"/{place}", "record", message)])
    return str(values[0])


def publishable(manifest: Manifest) -> Callable[[Record], bool]:
    """Make what tells whether a record may be published."""
    wanted = {place: _typed(values) for place, values in manifest.origin.only.items()}
    return lambda record: all(
        any(_kind(v) in allowed for v in values_at(record, place))
        for place, allowed in wanted.items()
    )


def _typed(values: tuple[Any, ...]) -> set[tuple[bool, Any]]:
    return {_kind(value) for value in values}


def _kind(value: Any) -> tuple[bool, Any]:
    """Tell true from one, which are equal in Python."""
    return isinstance(value, bool), value if value.__hash__ else str(value)


def moment_of(manifest: Manifest, record: Record) -> datetime | None:
    """Give the moment since when a record is true, where it says one.

    Raises ``ValueError`` for what is no moment.
    """
    place = manifest.origin.moment
    values = values_at(record, place) if place else []
    return integers.instant(values[0]) if values else None

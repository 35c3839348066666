"""One number that orders documents where relevance does not: boosts, then the order.

A server sorts by three fields at most, so the boosts and the manifest's own order
share one: eight bits of weights above fifty-two of the order's integer, clipped.
"""

from __future__ import annotations

from collections.abc import Callable

from vitrine.registry.manifest import Boost, Manifest
from vitrine.typesense import integers
from vitrine.typesense.records import Record, reader

BITS = 52
_HALF = 1 << (BITS - 1)
Weigh = Callable[[Record], int]


def ranker(manifest: Manifest) -> Weigh:
    """Make what gives a record's number; a missing order comes last among equals."""
    boosts = [_booster(manifest, boost) for boost in manifest.boosts]
    order = _orderer(manifest)

    def rank(record: Record) -> int:
        weight = sum(boost(record) for boost in boosts)
        return (weight << BITS) + order(record)

    return rank


def _booster(manifest: Manifest, boost: Boost) -> Weigh:
    field = manifest.field(boost.field)
    if field is None:  # a manifest is checked: this can't be
        raise KeyError(boost.field)
    read, wanted = reader(manifest, field), frozenset(boost.values)

    def weigh(record: Record) -> int:
        said = {_said(value) for value in read(record)}
        return 0 if said.isdisjoint(wanted) else boost.weight

    return weigh


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _orderer(manifest: Manifest) -> Weigh:
    field = manifest.field(manifest.order or "")
    if field is None:
        return lambda _: 0
    read = reader(manifest, field)

    def place(record: Record) -> int:
        values = read(record)
        if not values:
            return 0
        whole = integers.stored(field, values[0])
        # Clipped: beyond its bits an order may flatten, and must not spill into the
        # weights.
        return min(max(whole, 1 - _HALF), _HALF - 1) + _HALF

    return place

"""The circuit of each provider, shared by every environment of the table.

Only trouble writes: while a provider answers, a turn costs one read each five seconds
and no write. A write that meets another's is given up, for both say the same. Where
the store does not answer, the provider is asked: the breaker saves time, not money.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from datetime import datetime

from vitrine.models.breaker import CLOSED, DOWN, Circuit
from vitrine.problems import Unavailable
from vitrine.store.table import Key, Table, Write, epoch, place

FRESH = 5.0
"""Seconds for which an environment believes what it last read."""
KEPT = 3_600
_NAMES = tuple(f.name for f in fields(Circuit))


class Breaker:
    """The circuits as one environment sees them."""

    def __init__(self, table: Table, clock: Callable[[], float]) -> None:
        self._table = table
        self._clock = clock
        self._seen: dict[str, tuple[float, Circuit]] = {}

    def admits(self, provider: str, now: datetime) -> bool:
        """Tell whether a turn may ask; the one that may probe has written so."""
        circuit, stamp = self._known(provider), epoch(now)
        standing = circuit.stands(stamp)
        if standing != "ripe":
            return standing == "closed"
        # The lease is conditional: of a hundred environments that wake up, one asks.
        return self._written(provider, circuit, circuit.probed(stamp))

    def told(self, provider: str, why: str, now: datetime) -> bool:
        """Count how a turn ended; tell whether that opened the circuit."""
        # A reply closes it for everybody; where it is closed already there is nothing
        # to write, which is every turn of a good day.
        if why not in DOWN:
            known = self._known(provider)
            if known != CLOSED:
                self._written(provider, known, CLOSED)
            return False
        # Read anew: written on a count that is five seconds old, this failure would
        # lose to whoever failed since.
        known = self._looked(provider)
        after = known.failed(epoch(now))
        if after == known:
            return False
        return self._written(provider, known, after) and bool(after.until)

    def _known(self, provider: str) -> Circuit:
        at, circuit = self._seen.get(provider, (float("-inf"), CLOSED))
        return circuit if self._clock() - at < FRESH else self._looked(provider)

    def _looked(self, provider: str) -> Circuit:
        try:
            item = self._table.get(_key(provider)) or {}
        # Nothing is kept of this: the next turn looks again instead of believing for
        # five seconds.
        except Unavailable:
            return CLOSED
        circuit = Circuit(**{name: int(item.get(name, 0)) for name in _NAMES})
        self._seen[provider] = self._clock(), circuit
        return circuit

    def _written(self, provider: str, seen: Circuit, circuit: Circuit) -> bool:
        write = Write(
            _key(provider),
            whole=asdict(circuit) | {"expires_at": _end(circuit)},
            condition="attribute_not_exists(#pk) OR "
            "(#failures = :failures AND #last = :last AND #probing = :probing)",
            values={
                ":failures": seen.failures,
                ":last": seen.last,
                ":probing": seen.probing,
            },
        )
        try:
            won = self._table.write(write).won
        except Unavailable:
            return False
        # Won or lost, what was known is old now.
        self._seen.pop(provider, None)
        return won


def _end(circuit: Circuit) -> int:
    return max(circuit.last, circuit.until, circuit.probing) + KEPT


def _key(provider: str) -> Key:
    return place("CIRCUIT", provider), "STATE"

"""The kill switch: while it is on, nothing calls a paid provider.

It is on until a moment; its end is arithmetic, never the sweep of old items. A
second trip while it is on is a refused condition, so a monitor may try again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from vitrine.problems import Unavailable
from vitrine.store.table import Table, Write, epoch

KEY = ("CONTROL", "KILL")
FRESH = 5.0
"""Seconds for which an environment believes what it last read."""


@dataclass(frozen=True, slots=True)
class State:
    """Until when the switch is on, if it was ever tripped, by whom and why."""

    until: datetime | None = None
    reason: str = ""
    by: str = ""

    def on(self, now: datetime) -> bool:
        """Tell whether paid providers are off limits at this moment."""
        return self.until is not None and self.until > now


OFF = State()


def trip(table: Table, state: State, *, now: datetime) -> bool:
    """Turn it on until ``state.until``; False where it was on already."""
    if state.until is None:
        raise ValueError("a switch is tripped until a moment")
    # The first reason stays: who comes second would write over why it went off.
    free = "attribute_not_exists(#pk) OR #ends <= :now"
    return table.write(_written(state, free, {":now": epoch(now)})).won


def clear(table: Table, *, reason: str, by: str, now: datetime) -> bool:
    """Turn it off by hand; False where it was off already."""
    state = State(now, reason, by)
    return table.write(_written(state, "#ends > :now", {":now": epoch(now)})).won


def read(table: Table) -> State:
    """Read the switch as it stands."""
    item = table.get(KEY)
    if item is None:
        return OFF
    return State(datetime.fromtimestamp(item["ends"], UTC), item["reason"], item["by"])


class Switch:
    """The switch as one environment sees it: read at most every five seconds.

    Where the store does not answer it gives the last known state, for another five
    seconds; with none known it is ``Unavailable``, and the caller decides.
    """

    def __init__(self, table: Table, clock: Callable[[], float]) -> None:
        self._table = table
        self._clock = clock
        self._known: State | None = None
        self._read_at = float("-inf")

    def state(self) -> State:
        """Give the state, read anew where the last look is old."""
        if self._clock() - self._read_at >= FRESH:
            self._look()
        if self._known is None:
            raise Unavailable("The kill switch can't be read.", retry_after=5)
        return self._known

    def on(self, now: datetime) -> bool:
        """Tell whether paid providers are off limits at this moment."""
        return self.state().on(now)

    def _look(self) -> None:
        # Before the look, so that a store that is down is asked once in five seconds.
        self._read_at = self._clock()
        try:
            self._known = read(self._table)
        except Unavailable:
            if self._known is None:
                raise


def _written(state: State, condition: str, values: dict[str, int]) -> Write:
    until = state.until or datetime.min.replace(tzinfo=UTC)
    item = {"ends": epoch(until), "reason": state.reason, "by": state.by}
    return Write(KEY, whole=item, condition=condition, values=values)

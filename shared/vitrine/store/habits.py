"""What a tenant's people mean by an ambiguous word: their answers, one vote each.

A vote is an answer to the question that the word raised. Each identity has one vote a
term, so that nobody's own habit becomes everybody's; a vote and its count are written
together or not at all. Counts end with the last vote's ninety days: once nobody is
asked no votes come, so that without an end a habit could never be lost again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

from vitrine.caller import Caller
from vitrine.interpret.ambiguity import habit
from vitrine.problems import Unavailable
from vitrine.registry.profiles import Registry
from vitrine.store.persons import note
from vitrine.store.table import Table, Write, alive, epoch, place

KEPT = timedelta(days=90)
FRESH = 60.0
"""Seconds for which an environment believes what it last read."""
NONE: Mapping[str, str] = MappingProxyType({})


def vote(
    table: Table, caller: Caller, source: str, *, chosen: tuple[str, str], now: datetime
) -> bool:
    """Count an answer ``(term, reading)``; False where the person has voted before."""
    term, reading = chosen
    end = epoch(now + KEPT)
    voter = Write(
        (place("VOTER", caller.tenant, source, term), caller.identity),
        whole={"expires_at": end},
        condition="attribute_not_exists(#pk) OR #expires_at <= :now",
        values={":now": epoch(now)},
    )
    count = Write(
        (place("HABIT", caller.tenant, source), f"{term}/{reading}"),
        change="ADD #votes :one SET #term = :term, #reading = :reading, "
        "#expires_at = :end",
        values={":one": 1, ":term": term, ":reading": reading, ":end": end},
    )
    won = table.write(voter, count).won
    if won:
        # After the vote: a note that fails would otherwise keep it from being counted.
        note(table, caller, now=now)
    return won


class Habits:
    """The clear habits of tenants, as one environment sees them."""

    def __init__(self, table: Table, clock: Callable[[], float]) -> None:
        self._table = table
        self._clock = clock
        self._seen: dict[tuple[str, str], tuple[float, Mapping[str, str]]] = {}

    def of(self, registry: Registry, now: datetime) -> Mapping[str, str]:
        """Give the reading of each term that needs no question any more.

        A store that does not answer knows no habit: then people are asked.
        """
        if not registry.manifest.ambiguous:
            return NONE
        whose = registry.tenant, registry.source
        at, found = self._seen.get(whose, (float("-inf"), NONE))
        if self._clock() - at >= FRESH:
            found = self._looked(registry, now)
            self._seen[whose] = self._clock(), found
        return found

    def _looked(self, registry: Registry, now: datetime) -> Mapping[str, str]:
        partition = place("HABIT", registry.tenant, registry.source)
        try:
            # The end is compared here: the sweep is late by days, in which a habit
            # would go on.
            rows = [r for r in self._table.query(partition) if alive(r, now)]
        except Unavailable:
            return NONE
        found = {}
        for term in registry.manifest.ambiguous:
            counts = {r["reading"]: r["votes"] for r in rows if r["term"] == term.term}
            named = {
                reading.name: counts.get(reading.name, 0) for reading in term.readings
            }
            if clear := habit(named):
                found[term.term] = clear
        return MappingProxyType(found)

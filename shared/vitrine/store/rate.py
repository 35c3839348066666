"""Rate limits by a log of calls: exactly N in any window, with an exact Retry-After.

A fixed minute lets twice the limit through at its edge, a token bucket its refill.
The log is lazy: a call appends its moment while there is room, without reading; only
a full log is pruned, under its version, by the call that found it full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from vitrine.caller import Caller
from vitrine.problems import TooFast, Unavailable
from vitrine.store.table import Outcome, Table, Write, place

TRIES = 100
"""Rounds of pruning; each lost one means that another call got on."""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``number`` calls of a kind in any ``seconds``, per identity."""

    name: str
    number: int
    seconds: int


INTERPRETS = Limit("interpret", 20, 60)
EDITS = Limit("edit", 60, 60)
"""Sessions begun or changed in an editor, which sends each change of a filter."""
LOOKS = Limit("look", 120, 60)
"""Sessions read or forgotten in an editor, which looks again after each turn."""
KEEPS = Limit("keep", 60, 60)
"""Searches kept, listed, opened, shared or taken away: a list may hold a hundred."""
NOTES = Limit("note", 30, 60)
"""Written or taken back."""
SEARCHES = Limit("search", 10, 10)
"""Sixty a minute with a burst of ten: ten in any ten seconds are never more."""


def take(table: Table, caller: Caller, limit: Limit, *, now: datetime) -> None:
    """Count one call; raise ``TooFast`` with ``retry_after`` where the log is full."""
    key = (place("RATE", caller.tenant, caller.identity), limit.name)
    stamp = int(now.timestamp() * 1000)
    outcome = table.write(_appended(key, limit, stamp))
    for _ in range(TRIES):
        if outcome.won:
            return
        outcome = table.write(_pruned(key, limit, stamp, outcome))
    raise Unavailable("The store is busy.", retry_after=1)


def _appended(key: tuple[str, str], limit: Limit, stamp: int) -> Write:
    return Write(
        key,
        change="SET #calls = list_append(if_not_exists(#calls, :none), :call), "
        "#expires_at = :end ADD #turn :one",
        condition="attribute_not_exists(#pk) OR size(#calls) < :limit",
        values={
            ":none": [],
            ":call": [stamp],
            ":end": _end(limit, stamp),
            ":one": 1,
            ":limit": limit.number,
        },
    )


def _pruned(key: tuple[str, str], limit: Limit, stamp: int, full: Outcome) -> Write:
    """Replace a full log by what still counts and this call, if that leaves room."""
    calls: Sequence[int] = full.item.get("calls", ())
    turn = full.item.get("turn", 0)
    kept = sorted(c for c in calls if c > stamp - limit.seconds * 1000)
    if len(kept) >= limit.number:
        # When the oldest of the last N leaves the window, there is room for one.
        raise _too_fast(limit, kept[-limit.number], stamp)
    log: dict[str, Any] = {
        # Sorted, since environments append by clocks of their own.
        "calls": sorted([*kept, stamp]),
        "turn": turn + 1,
        "expires_at": _end(limit, stamp),
    }
    # Under the log's own version: of two that prune at once, the later one would write
    # the earlier one's call away.
    condition = "attribute_not_exists(#pk) OR #turn = :turn"
    return Write(key, whole=log, condition=condition, values={":turn": turn})


def _too_fast(limit: Limit, oldest: int, stamp: int) -> TooFast:
    wait = ceil((oldest + limit.seconds * 1000 - stamp) / 1000)
    return TooFast(
        f"At most {limit.number} calls in {limit.seconds} seconds; "
        f"call again in {wait} s.",
        limit=limit.name,
        retry_after=wait,
    )


def _end(limit: Limit, stamp: int) -> int:
    return stamp // 1000 + limit.seconds + 1

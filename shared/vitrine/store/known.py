"""Which records an identity was shown through tools: these alone it may read in full.

A handle is not guessable, yet one that leaks is worth nothing to whom it was never
shown. Additions are blind, one write an answer: nobody reads what is there already,
so that a search waits for a single small update, and once in ten minutes for two. An
item holds these ten minutes, which bounds both its size and the price of a write,
whatever an agent looks at in a day.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from vitrine.caller import Caller
from vitrine.store.persons import note
from vitrine.store.table import Table, Write, epoch, place

KEPT = timedelta(days=30)
"""As long as a session is kept after its last turn."""
MARK = 8
"""Bytes of a mark: among a million documents one in 10^13 is another's by chance."""
_SLOT = len("2026-11-30T12:3")


def remember(
    table: Table, caller: Caller, source: str, refs: Iterable[str], *, now: datetime
) -> None:
    """Note the refs of an answer; none is no write."""
    marks = frozenset(map(_mark, refs))
    if not marks:
        return
    # Two answers of one microsecond would both note it, which is once.
    began = int(now.timestamp() * 1_000_000)
    kept = table.write(
        Write(
            (_partition(caller, source), _slot(now)),
            # ADD of a set is idempotent, so that a retried write needs no condition.
            change="ADD #marks :marks SET #expires_at = :end, "
            "#began = if_not_exists(#began, :began)",
            values={":marks": marks, ":end": epoch(now + KEPT), ":began": began},
        )
    )
    # With the first answer of ten minutes: the update tells what it made, so that
    # nothing is read for it.
    if kept.item["began"] == began:
        note(table, caller, now=now)


def knows(table: Table, caller: Caller, source: str, ref: str, now: datetime) -> bool:
    """Tell whether a ref was shown to this identity; any other text costs the same.

    What is read in full was mostly shown a moment ago. Of an agent that never rests,
    some days are looked through and not the whole month: its guesses stay cheap.
    """
    since = _slot(now - KEPT)
    return table.marked(_partition(caller, source), _mark(ref), since=since, now=now)


def _mark(ref: str) -> bytes:
    return sha256(ref.encode()).digest()[:MARK]


def _partition(caller: Caller, source: str) -> str:
    return place("READABLE", caller.tenant, caller.identity, source)


def _slot(moment: datetime) -> str:
    """Name the ten minutes of a moment."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M}"[:_SLOT]

"""The decision which documents, and which facet lists, leave.

Each is taken in order wherever every scope has room; what has no room is left out,
so that a seen document further down is not lost. The decision says what each scope
is charged, and the store writes just that or asks again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vitrine.disclosure.budgets import (
    SHARDS,
    Caps,
    Scope,
    Shard,
    Standing,
    brief,
    mark,
    share,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which documents leave, what each scope is charged, and what stopped the rest."""

    granted: tuple[str, ...] = ()
    session: frozenset[bytes] = frozenset()
    day: frozenset[bytes] = frozenset()
    month: frozenset[bytes] = frozenset()
    shards: tuple[Shard, ...] = ()
    blocked: Scope | None = None

    @property
    def costs(self) -> bool:
        """Tell whether anything is charged."""
        return bool(self.session or self.day)


def decide(
    standing: Standing, caps: Caps, documents: Sequence[str], *, first: int = 0
) -> Plan:
    """Grant, in order, each document for which every scope has room."""
    till = _Till(standing, caps, first)
    granted = tuple(d for d in dict.fromkeys(documents) if till.take(mark(d)))
    return Plan(
        granted,
        frozenset(till.session),
        frozenset(till.day),
        frozenset(till.month),
        tuple(till.shards),
        till.blocked,
    )


def decide_facets(
    seen: frozenset[bytes], cap: int, facets: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, ...], frozenset[bytes]]:
    """Grant, in order, each list that fits whole; give also the marks to remember.

    A list costs one and each of its values one, the first time that day.
    """
    granted: list[str] = []
    new: frozenset[bytes] = frozenset()
    for key, values in facets.items():
        marks = {mark(key), *(mark(key, value) for value in values)} - seen - new
        # A list that does not fit is left out whole; a shorter one after it may still
        # go.
        if len(seen) + len(new) + len(marks) <= cap:
            granted.append(key)
            new |= marks
    return tuple(granted), new


class _Till:
    """The running charge of one page.

    ``shards`` says what each counter of the account takes.
    """

    def __init__(self, standing: Standing, caps: Caps, first: int) -> None:
        self._standing = standing
        self._caps = caps
        self._window = standing.before | standing.today
        self._order = [(first + step) % SHARDS for step in range(SHARDS)]
        self.session: set[bytes] = set()
        self.day: set[bytes] = set()
        self.month: set[bytes] = set()
        self.shards = [Shard()] * SHARDS
        self.blocked: Scope | None = None

    def take(self, document: bytes) -> bool:
        """Charge a document to each scope in which it is new, or note what blocks."""
        to_day = document not in self._standing.today
        to_month = document not in self._window
        shard = self._shard(to_month) if to_day else None
        blocked = self._blocker(document, shard)
        if blocked:
            # The first reason stands: what comes after it may be full of what this very
            # page has taken.
            self.blocked = self.blocked or blocked
            return False
        if self._to_session(document):
            self.session.add(brief(document))
        if shard is not None:
            self.day.add(document)
            self.month |= {document} if to_month else set()
            self.shards[shard] = _added(self.shards[shard], Shard(1, int(to_month)))
        return True

    def _blocker(self, document: bytes, shard: int | None) -> Scope | None:
        """Name the widest spent budget, so that nobody opens sessions in vain."""
        standing, caps = self._standing, self._caps
        to_day = document not in standing.today
        month = len(self._window) + len(self.month)
        if document not in self._window and month >= caps.month:
            return "month"
        if to_day and len(standing.today) + len(self.day) >= caps.day:
            return "day"
        if to_day and shard is None:
            return "account"
        shown = len(standing.shown or ()) + len(self.session)
        full = shown >= caps.session
        return "session" if full and self._to_session(document) else None

    def _to_session(self, document: bytes) -> bool:
        shown = self._standing.shown
        return shown is not None and brief(document) not in shown

    def _shard(self, to_month: bool) -> int | None:
        return next((n for n in self._order if self._has_room(n, to_month)), None)

    def _has_room(self, number: int, to_month: bool) -> bool:
        used = _added(self._standing.shards[number], self.shards[number])
        room = used.day < share(self._caps.account_day, number)
        fresh = used.month < share(self._caps.account_month, number)
        return room and (fresh or not to_month)


def _added(one: Shard, other: Shard) -> Shard:
    return Shard(one.day + other.day, one.month + other.month)

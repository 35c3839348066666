"""Caps that an administrator has raised, of an identity or account, until a moment.

A raise only lifts: what the manifest gives anyway stays. Its end is compared with
``now`` at every search, so it ends by itself, to the second; that it began, or was
taken back early, an environment learns within ``kept.FRESH`` seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Literal

from vitrine.disclosure.budgets import BRIEF, Caps, Identity
from vitrine.store import memory
from vitrine.store.kept import Kept
from vitrine.store.table import ITEM, KEYS, Item, Key, Table, Write, alive, epoch, place

Kind = Literal["identity", "account"]
LIFTED: Mapping[Kind, frozenset[str]] = MappingProxyType(
    {
        "identity": frozenset(
            {"session", "day", "month", "facet_values", "counts", "misses"}
        ),
        "account": frozenset({"account_day", "account_month"}),
    }
)
"""Which caps belong to whom: a colleague's raise is nobody else's."""
MOST: Mapping[str, int] = MappingProxyType(
    {
        # One item holds all that a session has shown. Long before it is full it is
        # dear: each further kB is two write units more of every search.
        "session": (ITEM - KEYS) // BRIEF,
        "day": memory.MOST,
        "facet_values": memory.MOST,
    }
)
"""What the table can remember, where that ends below the caps that may be named. The
other caps compare numbers, which do not grow."""


@dataclass(frozen=True, slots=True)
class Raise:
    """Caps of one identity or account in one source, on whose word and until when.

    ``who`` is the hash that log lines name: the table knows no person.
    """

    source: str
    kind: Kind
    who: str
    caps: Mapping[str, int]
    until: datetime
    by: str
    reason: str


def give(table: Table, tenant: str, raised: Raise, *, now: datetime) -> None:
    """Raise caps; a newer raise of the same identity or account replaces the older."""
    item = {
        "source": raised.source,
        "kind": raised.kind,
        "who": raised.who,
        "caps": dict(raised.caps),
        "by": raised.by,
        "reason": raised.reason,
        "given": epoch(now),
        "expires_at": epoch(raised.until),
    }
    table.write(Write(_key(tenant, raised.source, raised.kind, raised.who), whole=item))


def end(table: Table, tenant: str, source: str, kind: Kind, who: str) -> None:
    """Take a raise back, whether there was one or not."""
    table.delete(_key(tenant, source, kind, who))


def standing(
    table: Table, tenant: str, source: str | None = None, *, now: datetime | None = None
) -> Iterator[Raise]:
    """List what is raised, in one source or in all of a tenant's.

    With ``now``, only what has not ended yet.
    """
    low = place("LIFT", source, "") if source else ""
    high = f"{low}\U0010ffff" if low else "\U0010ffff"
    for item in table.query(place("RAISE", tenant), low, high):
        if now is None or alive(item, now):
            yield _read(item)


def lifted(caps: Caps, raised: Mapping[str, int]) -> Caps:
    """Give the caps with those that are raised above them."""
    # The greater of both: a raise that was given before the catalogue grew must not
    # become a cap below the manifest's.
    higher = {k: max(int(getattr(caps, k)), number) for k, number in raised.items()}
    return replace(caps, **higher)


class Raises:
    """What is raised, as one environment sees it; the clock counts seconds."""

    def __init__(self, table: Table, clock: Callable[[], float]) -> None:
        self._table = table
        # A query for the whole source: raises are few, and a search then waits for
        # one at most every twenty seconds, whoever asks.
        self._kept = Kept(self._look, clock)

    def lifted(self, caps: Caps, who: Identity, *, now: datetime) -> Caps:
        """Give the caps of an identity with what is raised for it or its account."""
        raised = self._kept.get(who.tenant, who.source)
        for kind, name in (("identity", who.identity), ("account", who.company)):
            one = raised.get((kind, name))
            # Compared at each search: what is remembered may be twenty seconds old, and
            # an end is promised to the second.
            if one is not None and one.until > now:
                caps = lifted(caps, one.caps)
        return caps

    def _look(self, tenant: str, source: str) -> Mapping[tuple[str, str], Raise]:
        found = standing(self._table, tenant, source)
        return {(one.kind, one.who): one for one in found}


def _key(tenant: str, source: str, kind: Kind, who: str) -> Key:
    return place("RAISE", tenant), place("LIFT", source, kind, who)


def _read(item: Item) -> Raise:
    return Raise(
        item["source"],
        item["kind"],
        item["who"],
        {key: int(number) for key, number in item["caps"].items()},
        datetime.fromtimestamp(item["expires_at"], UTC),
        item["by"],
        item["reason"],
    )

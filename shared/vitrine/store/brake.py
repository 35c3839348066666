"""The day of a whole tenant, and of a whole client: a fuse above everybody's budgets.

Nobody is shown it. It is there for what no budget foresees: an issuer that signs for
anyone, a client that opens accounts by the thousand.

What is about to be new to an identity is held before the charge and given back where
the charge takes less. Held means counted, by one plain conditional write for each of
the two: within the charge's transaction every search of a tenant would meet every
other. Who dies between the two leaves the day shorter, never longer. A page is held
whole in one counter or not at all: a page cut here would tell what others have seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from vitrine.disclosure.budgets import SHARDS, Caps, Identity, first_shard, share
from vitrine.problems import Busy
from vitrine.store.memory import day_of
from vitrine.store.table import Key, Table, Write, epoch, place

NAMES = ("tenant_day", "client_day")


@dataclass
class Brake:
    """What one charge holds; ``strain`` is the percent of each day that is used.

    The percent is of the counter that took the page, one of a few that fill alike.
    ``asked`` is how many new documents it has tried to hold.
    """

    table: Table
    who: Identity
    caps: Caps
    now: datetime
    strain: dict[str, float] = field(default_factory=dict)
    asked: int = 0
    _held: dict[str, list[tuple[Key, int]]] = field(default_factory=dict, init=False)

    def hold(self, number: int) -> None:
        """Hold so many new documents in all; raise ``Busy`` where there is no room."""
        self.asked = number
        for name in NAMES:
            more = number - sum(held for _, held in self._held.get(name, ()))
            # A lost transaction comes back with another number: what is held already
            # counts.
            if more > 0:
                self._take(name, more)

    def settle(self, number: int) -> None:
        """Keep so many of what is held, and give the rest back."""
        for taken in self._held.values():
            surplus = sum(held for _, held in taken) - number
            for key, held in taken:
                back = min(held, max(0, surplus))
                surplus -= back
                if back:
                    self._give_back(key, back)
        self._held.clear()

    def full(self, number: int) -> bool:
        """Tell whether so many new documents would not go through.

        Asked with what was refused, and not with one: while smaller pages pass, a
        larger one that is refused tells that its search found something.
        """
        return any(self._is_full(name, number) for name in NAMES)

    def _take(self, name: str, number: int) -> None:
        for shard in _shards(self.who):
            key = _key(self.who, name, shard, self.now)
            room = share(int(getattr(self.caps, name)), shard) - number
            # The condition lets anything into an item that is not there yet.
            if room < 0:
                continue
            write = Write(
                key,
                change="ADD #seen :number SET #expires_at = :end",
                condition="attribute_not_exists(#pk) OR #seen <= :room",
                values={
                    ":number": number,
                    ":room": room,
                    ":end": epoch(self.now + timedelta(days=2)),
                },
            )
            # A full counter sends the page to the next one; it is never divided.
            outcome = self.table.write(write)
            if outcome.won:
                self._held.setdefault(name, []).append((key, number))
                self.strain[name] = 100 * outcome.item["seen"] / (room + number)
                return
        self.strain[name] = 100.0
        raise Busy

    def _give_back(self, key: Key, number: int) -> None:
        # Unconditional: the number was taken by this very charge, so that it is there.
        change = "ADD #seen :back"
        self.table.write(Write(key, change=change, values={":back": -number}))

    def _is_full(self, name: str, number: int) -> bool:
        cap = int(getattr(self.caps, name))
        return all(
            self._seen(name, shard) + number > share(cap, shard)
            for shard in _shards(self.who)
        )

    def _seen(self, name: str, shard: int) -> int:
        item = self.table.get(_key(self.who, name, shard, self.now)) or {}
        return int(item.get("seen", 0))


def _shards(who: Identity) -> Iterator[int]:
    # The same start as the account's counters, for the same reason: an identity's own
    # searches meet, those of others seldom do.
    first = first_shard(who)
    return ((first + step) % SHARDS for step in range(SHARDS))


def _key(who: Identity, name: str, shard: int, now: datetime) -> Key:
    whose = who.client if name == "client_day" else ""
    partition = place("BRAKE", who.tenant, who.source, name, whose)
    return partition, f"{day_of(now)}#{shard}"

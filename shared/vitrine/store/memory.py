"""What an identity has seen, exactly: marks of eight bytes in small daily items.

A day's memory is a row of items; only the last, the head, takes marks. A full head
is closed in the same transaction that opens the next, so a reader that saw closed
items and one head has seen the whole day, and a condition on the head alone decides
races. So a write never costs more than one small item, however much was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from vitrine.problems import Unavailable
from vitrine.store.table import Table, Write, epoch

CHUNK = 96
"""Marks of an item, which with its names stays below one kB: one write unit."""
ITEMS = 1_000
"""Items of a day: their numbers have three digits, and are sorted as texts."""
MOST = ITEMS // 2 * CHUNK
"""Marks that a day takes for certain. A head is closed when it and what comes next are
more than an item, so that any two neighbours hold that many, whatever their shares."""
READS = 8


@dataclass(frozen=True, slots=True)
class Memory:
    """A partition's memory of today, and of each day before, oldest first.

    ``fresh`` counts today's marks that no day before knew.
    """

    partition: str
    day: str
    past: tuple[frozenset[bytes], ...] = ()
    closed: frozenset[bytes] = frozenset()
    head: frozenset[bytes] = frozenset()
    number: int = 0
    fresh: int = 0

    @property
    def today(self) -> frozenset[bytes]:
        """Give all of today's marks."""
        return self.closed | self.head


@dataclass(frozen=True, slots=True)
class Addition:
    """Marks to add, how many of them are fresh, and what may be reached by it.

    ``distinct`` refuses a mark that another request added since the memory was read;
    ``through`` is the mark of the client by which they are learnt.
    """

    marks: frozenset[bytes]
    cap: int
    fresh: int = 0
    fresh_cap: int = 2**31
    distinct: bool = True
    through: bytes | None = None

    @property
    def clients(self) -> frozenset[bytes]:
        """Give the client, if one is named, as a set to add."""
        return frozenset() if self.through is None else frozenset({self.through})


def read(table: Table, partition: str, *, now: datetime, days: int = 1) -> Memory:
    """Read today and the ``days - 1`` before it."""
    first, today = day_of(now - timedelta(days=days - 1)), day_of(now)
    for _ in range(READS):
        items = list(table.query(partition, first, f"{today}#\U0010ffff"))
        ours = [item for item in items if item["sk"].startswith(today)]
        # A head that was closed between two pages or items hides what came since.
        if all(item.get("closed") for item in ours[:-1]):
            past = [item for item in items if not item["sk"].startswith(today)]
            return _memory(partition, today, ours, _by_day(past, now, days))
    raise Unavailable("The store is busy.", retry_after=1)


def unseen(marks: Iterable[bytes]) -> tuple[str, dict[str, bytes]]:
    """Say in a condition that none of these marks is there, with its values."""
    named = {f":m{n}": m for n, m in enumerate(sorted(marks))}
    return "".join(f" AND NOT contains(#marks, {name})" for name in named), named


def additions(
    memory: Memory, add: Addition, *, now: datetime, days: int = 1
) -> Iterator[Write]:
    """Make the writes that add marks, to be kept for ``days``: one, or two when the
    head is full.
    """
    end = epoch(now + timedelta(days=days + 1))
    # Only a head that holds something is closed: a page larger than an item lies in one
    # whole.
    if memory.head and len(memory.head) + len(add.marks) > CHUNK:
        # Both or none: a head that is closed without a successor takes no mark, and
        # every charge of that day would lose to it.
        yield _closing(memory)
        yield _opening(memory, add, end)
        return
    yield _adding(memory, add, end)


def _adding(memory: Memory, add: Addition, end: int) -> Write:
    values: dict[str, Any] = {
        ":marks": add.marks,
        ":fresh": add.fresh,
        ":end": end,
        # What is closed never changes, so that the cap on the day becomes one on the
        # head.
        ":room": min(add.cap - len(memory.closed), CHUNK) - len(add.marks),
    }
    room = "attribute_not_exists(#closed) AND size(#marks) <= :room"
    if add.fresh:
        room += " AND #fresh <= :fresh_room"
        values[":fresh_room"] = add.fresh_cap - add.fresh
    # A mark that another request added in between is free; charging it would leave the
    # counters beside this set one too high.
    if add.distinct:
        clause, named = unseen(add.marks)
        room, values = room + clause, values | named
    change = "ADD #marks :marks, #fresh :fresh SET #expires_at = :end"
    if add.clients:
        change = f"ADD #clients :clients, {change.removeprefix('ADD ')}"
        values[":clients"] = add.clients
    return Write(
        _key(memory, memory.number),
        change=change,
        condition=f"attribute_not_exists(#pk) OR ({room})",
        values=values,
    )


def _closing(memory: Memory) -> Write:
    return Write(
        _key(memory, memory.number),
        change="SET #closed = :yes",
        # The size is enough: marks are only ever added, so that equal sizes are equal
        # sets.
        condition="attribute_not_exists(#closed) AND size(#marks) = :seen",
        values={":yes": True, ":seen": len(memory.head)},
    )


def _opening(memory: Memory, add: Addition, end: int) -> Write:
    # The count runs on from head to head: a reader takes the last one's alone.
    item = {"marks": add.marks, "fresh": memory.fresh + add.fresh, "expires_at": end}
    if add.clients:
        item["clients"] = add.clients
    key = _key(memory, memory.number + 1)
    return Write(key, whole=item, condition="attribute_not_exists(#pk)")


def _memory(
    partition: str,
    day: str,
    items: list[dict[str, Any]],
    past: tuple[frozenset[bytes], ...],
) -> Memory:
    if not items:
        return Memory(partition, day, past)
    *full, head = items
    return Memory(
        partition,
        day,
        past,
        closed=frozenset().union(*(item["marks"] for item in full)),
        head=head["marks"],
        number=len(full),
        fresh=head["fresh"],
    )


def _by_day(
    items: list[dict[str, Any]], now: datetime, days: int
) -> tuple[frozenset[bytes], ...]:
    seen: dict[str, frozenset[bytes]] = {}
    for item in items:
        day = item["sk"].partition("#")[0]
        seen[day] = seen.get(day, frozenset()) | item["marks"]
    before = (day_of(now - timedelta(days=back)) for back in range(days - 1, 0, -1))
    return tuple(seen.get(day, frozenset()) for day in before)


def _key(memory: Memory, number: int) -> tuple[str, str]:
    return memory.partition, f"{memory.day}#{number:03}"


def day_of(moment: datetime) -> str:
    """Name a moment's UTC day."""
    return moment.astimezone(UTC).date().isoformat()

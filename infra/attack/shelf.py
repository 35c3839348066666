"""The store's table in memory: the same decisions, without ten milliseconds a call.

Everything above ``Table`` runs as it is, conditions included; only the server behind
it is a dict. A test charges it and moto alike and compares every item.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Any

from infra.attack.expressions import changed, holds
from vitrine.store.table import Item, Key, Outcome, Table, Write


class Shelf(Table):
    """A table that one process holds."""

    __slots__ = ("_items", "_order")

    def __init__(self) -> None:
        """Begin empty; there is no client, and nothing to wait for."""
        absent: Any = None
        super().__init__(absent, "shelf", pause=lambda _: None)
        object.__setattr__(self, "_items", {})
        object.__setattr__(self, "_order", {})

    @property
    def items(self) -> dict[Key, dict[str, Any]]:
        """Give every item by its key."""
        held: dict[Key, dict[str, Any]] = self._items  # type: ignore[attr-defined] # set past the frozen parent
        return held

    def get(self, key: Key) -> dict[str, Any] | None:
        """Read one item."""
        item = self.items.get(key)
        return None if item is None else dict(item)

    def query(
        self, partition: str, low: str = "", high: str = "\U0010ffff"
    ) -> Iterator[dict[str, Any]]:
        """Read a partition's items between two sort keys, both included, in order."""
        keys = self._keys(partition)
        first, last = bisect_left(keys, low), bisect_right(keys, high)
        for sk in keys[first:last]:
            yield dict(self.items[partition, sk])

    def write(self, *writes: Write) -> Outcome:
        """Do one write, or several together or none."""
        before = [self.items.get(w.key) for w in writes]
        stood = [
            None if holds(w.condition, item, w.values or {}) else w
            for w, item in zip(writes, before, strict=True)
        ]
        if any(stood):
            pairs = zip(stood, before, strict=True)
            shown = tuple(dict(i) if w and i else None for w, i in pairs)
            return Outcome(won=False, items=shown)
        after = tuple(map(self._put, writes, before))
        return Outcome(won=True, items=after if len(writes) == 1 else ())

    def delete(self, key: Key) -> bool:
        """Remove an item, there or not; tell whether it was."""
        there = self.items.pop(key, None) is not None
        if there:
            self._keys(key[0]).remove(key[1])
        return there

    def _keys(self, partition: str) -> list[str]:
        order: dict[str, list[str]] = self._order  # type: ignore[attr-defined] # as above
        return order.setdefault(partition, [])

    def _put(self, write: Write, before: Item | None) -> dict[str, Any]:
        named = {"pk": write.key[0], "sk": write.key[1]}
        new = (
            changed(write.change, before, write.values or {})
            if write.whole is None
            else dict(write.whole)
        )
        if before is None:
            insort(self._keys(write.key[0]), write.key[1])
        self.items[write.key] = new | named
        return dict(new) if write.whole is not None else dict(new | named)

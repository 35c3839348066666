"""Every published source of every tenant, and when its values were last sampled.

A schedule has no tenant of its own to begin with, and a scan would read the whole
table. The list is one small partition that a publish adds to.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from vitrine.store.table import Key, Table, Write, epoch, place


@dataclass(frozen=True, slots=True)
class Listed:
    """A source, and the second in which its values were last sampled; 0 for never."""

    tenant: str
    source: str
    sampled_at: int = 0


def enlist(table: Table, tenant: str, source: str) -> None:
    """Put a source on the list; one that stands there keeps what is known of it."""
    change = "SET #tenant = :tenant, #source = :source"
    values = {":tenant": tenant, ":source": source}
    table.write(Write(_place(tenant, source), change=change, values=values))


def longest_unsampled(table: Table) -> list[Listed]:
    """List every source, the one first that was sampled the longest time ago.

    Where a tick has no time for all, those that it left come first in the next.
    """
    found = [
        Listed(item["tenant"], item["source"], item.get("sampled_at", 0))
        for item in table.query(place("SOURCES"))
    ]
    return sorted(found, key=lambda one: (one.sampled_at, one.tenant, one.source))


def note_sampled(table: Table, tenant: str, source: str, *, now: datetime) -> None:
    """Note that a source was looked at, whether that went well or not.

    A source that fails each time would otherwise stand first for ever.
    """
    change = "SET #sampled_at = :now"
    # An update would create what no publish has listed.
    condition = "attribute_exists(#pk)"
    write = Write(
        _place(tenant, source),
        change=change,
        condition=condition,
        values={":now": epoch(now)},
    )
    table.write(write)


def _place(tenant: str, source: str) -> Key:
    return place("SOURCES"), place("SOURCE", tenant, source)

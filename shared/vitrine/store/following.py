"""Up to which second a source's changes are followed."""

from __future__ import annotations

from vitrine.store.table import Key, Table, Write, place


def followed(table: Table, tenant: str, source: str) -> int:
    """Give the second from which changes are still to be looked for; 0 at first."""
    item = table.get(_place(tenant, source)) or {}
    return int(item.get("since", 0))


def follow(table: Table, tenant: str, source: str, since: int) -> bool:
    """Move on; an older second than the kept one changes nothing."""
    write = Write(
        _place(tenant, source),
        change="SET #since = :since",
        # The run that ends last need not be the one that got farthest.
        condition="attribute_not_exists(#pk) OR #since < :since",
        values={":since": since},
    )
    return table.write(write).won


def _place(tenant: str, source: str) -> Key:
    return place("FOLLOW", tenant), source

"""What models cost, in millionths of a dollar per UTC day and tenant.

The day's total is the sum of its tenants: one counter for all would be the one item
that every paid call of every tenant writes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from vitrine.store.table import Table, Write, epoch, place

KEPT = timedelta(days=400)


def add(table: Table, tenant: str, micros: int, *, now: datetime) -> int:
    """Add a cost as the provider reported it; give the tenant's day so far."""
    outcome = table.write(
        Write(
            (_day(now), tenant),
            change="ADD #micros :cost SET #expires_at = :end",
            values={":cost": micros, ":end": epoch(now + KEPT)},
        )
    )
    return int(outcome.item["micros"])


def spent(table: Table, tenant: str, *, now: datetime) -> int:
    """Give what a tenant spent today."""
    item = table.get((_day(now), tenant)) or {}
    return int(item.get("micros", 0))


def total(table: Table, *, now: datetime) -> int:
    """Give what all tenants spent today."""
    # A query and not a counter: the monitor asks now and then, calls are paid all day.
    return sum(int(item["micros"]) for item in table.query(_day(now)))


def _day(now: datetime) -> str:
    return place("SPEND", f"{now.astimezone(UTC):%Y-%m-%d}")

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.integration.store.race import race
from vitrine.problems import Conflict
from vitrine.store import audit, spend
from vitrine.store.audit import Entry

if TYPE_CHECKING:
    from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 23, 59, tzinfo=UTC)
MIDNIGHT = NOW + timedelta(minutes=1)


def test_costs_add_up_by_tenant_and_day(table: Table) -> None:
    assert spend.add(table, "demo", 1_500, now=NOW) == 1_500
    assert spend.add(table, "demo", 500, now=NOW) == 2_000
    spend.add(table, "second", 7, now=NOW)
    spend.add(table, "demo", 11, now=MIDNIGHT)

    assert spend.spent(table, "demo", now=NOW) == 2_000
    assert spend.spent(table, "third", now=NOW) == 0
    assert spend.total(table, now=NOW) == 2_007
    assert spend.total(table, now=MIDNIGHT) == 11


def test_no_cost_is_lost_among_fifty(table: Table) -> None:
    race(lambda n: spend.add(table, "demo", n, now=NOW))

    assert spend.total(table, now=NOW) == sum(range(50))


def test_audit_rows_are_read_in_order_of_time(table: Table) -> None:
    entries = [
        Entry(NOW + timedelta(seconds=n), "ops", "raise-cap", "ada", "fair", {"to": n})
        for n in (2, 0, 1)
    ]
    for number, entry in enumerate(entries):
        audit.append(table, "demo", entry, number=str(number))
    audit.append(table, "second", entries[0], number="0")

    later = NOW + timedelta(seconds=2)
    assert list(audit.entries(table, "demo", since=NOW, until=later)) == [
        entries[1],
        entries[2],
    ]


def test_an_audit_row_is_never_written_over(table: Table) -> None:
    audit.append(table, "demo", Entry(NOW, "ops", "first"), number="0")

    with pytest.raises(Conflict):
        audit.append(table, "demo", Entry(NOW, "ops", "second"), number="0")

    (row,) = audit.entries(table, "demo", since=NOW, until=MIDNIGHT)
    assert row.action == "first"

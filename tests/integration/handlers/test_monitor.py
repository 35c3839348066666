from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from infra.local.stack import Stack
from vitrine.store import spend, switch
from vitrine.store.table import Table

CAP = 5_000_000


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture(autouse=True)
def _reset(table: Table) -> Iterator[None]:
    """Leave neither a switch nor a debt behind."""
    yield
    switch.clear(table, reason="test", by="test", now=now())
    spend.add(table, "monitor", -spend.spent(table, "monitor", now=now()), now=now())


def metrics(stack: Stack) -> dict[str, Any]:
    lines = [
        json.loads(x) for x in stack.logs("CostMonitor").splitlines() if "_aws" in x
    ]
    return {k: v for line in lines for k, v in line.items()}


def test_below_the_cap_the_switch_stays_off(seeded: Stack, table: Table) -> None:
    spend.add(table, "monitor", CAP // 2, now=now())

    told = seeded.invoke("CostMonitor")

    assert (told["tripped"], told["on"]) == (False, False)
    assert told["spent"] >= CAP // 2
    assert {"SpendShare", "KillSwitchOn", "Latency"} <= set(metrics(seeded))


def test_at_the_cap_it_is_tripped_once_and_stays_on(
    seeded: Stack, table: Table
) -> None:
    spend.add(table, "monitor", CAP, now=now())

    first, second = seeded.invoke("CostMonitor"), seeded.invoke("CostMonitor")

    assert [(t["tripped"], t["on"]) for t in (first, second)] == [
        (True, True),
        (False, True),
    ]
    assert switch.read(table).by == "cost_monitor"

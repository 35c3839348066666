"""The audit row of an administrator's order: one form for whatever is ordered.

The row is written before the order takes effect: an order without its row would be
worse than a row whose order failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vitrine.caller import Caller
from vitrine.edge.wiring import Wiring
from vitrine.store import audit
from vitrine.store.audit import Entry

ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Order:
    """What is ordered, of whom or what, why, and its particulars as JSON."""

    action: str
    subject: str
    reason: str
    detail: Mapping[str, Any]


def audited(wiring: Wiring, caller: Caller, order: Order) -> None:
    """Add an order's row to the log of the organisation whose administrator asks."""
    entry = Entry(
        wiring.now(),
        caller.subject,
        order.action,
        order.subject,
        order.reason,
        order.detail,
    )
    audit.append(wiring.table, caller.tenant, entry, number=wiring.number())

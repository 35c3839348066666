"""The cost monitor's decision: from the day's spend to the kill switch.

Writing the switch is conditional, so a repeated or late tick does no harm. It stays
on for a day: a person clears it, with a reason, or the next day's budget does.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from vitrine.edge.settings import Money
from vitrine.edge.telemetry import logger, metrics
from vitrine.edge.wiring import Wiring
from vitrine.store import spend, switch

HOLD = timedelta(days=1)
BY = "cost_monitor"


def watch(wiring: Wiring) -> dict[str, Any]:
    """Compare the day's spend with the cap; trip the switch where it is reached."""
    now, cap = wiring.now(), wiring.read(Money).daily_cap
    spent = spend.total(wiring.table, now=now)
    tripped = False
    if spent >= cap:
        reason = f"{spent} of {cap} micro-dollars are spent today"
        state = switch.State(now + HOLD, reason, BY)
        tripped = switch.trip(wiring.table, state, now=now)
    _told(spent, cap, tripped=tripped)
    # Read back and not concluded: a person may have tripped or cleared it by hand.
    on = switch.read(wiring.table).on(now)
    metrics.add_metric("KillSwitchOn", MetricUnit.Count, int(on))
    return {"spent": spent, "cap": cap, "tripped": tripped, "on": on}


def share(spent: int, cap: int) -> float:
    """Give the spent part of the cap in percent; a cap of nothing is all spent."""
    return 100 * spent / cap if cap else 100.0


def _told(spent: int, cap: int, *, tripped: bool) -> None:
    metrics.add_metric("SpendShare", MetricUnit.Percent, share(spent, cap))
    metrics.add_metric("SpendMicros", MetricUnit.Count, spent)
    if tripped:
        logger.warning("kill switch tripped", spent=spent, cap=cap)

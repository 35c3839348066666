"""Every five minutes: compare what models cost today with the cap, trip the switch.

The spend counters are exact at once; a failed read raises, so that the retry and the
alarm on silence speak.
"""

from __future__ import annotations

from typing import Any

from vitrine.edge.money import watch
from vitrine.edge.telemetry import observed
from vitrine.edge.wiring import wiring


@observed
def lambda_handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Answer one tick of the schedule."""
    return watch(wiring)

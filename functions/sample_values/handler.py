"""Keep fresh what prompts quote and what ranking counts: samples, words, statistics.

The schedule refreshes every source, the longest unsampled first; invoke it with
``{"tenant", "source"}`` for one at once.
"""

from __future__ import annotations

from typing import Any

from vitrine.edge.sampling import refreshed
from vitrine.edge.telemetry import observed
from vitrine.edge.wiring import wiring


@observed
def lambda_handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Answer one call, or one tick of the schedule."""
    return refreshed(wiring, event)

"""Bring changes into the public collections: sent ones, or those the schedule finds.

Invoke it with ``{"tenant", "source", "upsert": [records], "delete": [ids]}``; it
answers how many were written and taken out, and which records do not fit and why.
"""

from __future__ import annotations

from typing import Any

from vitrine.edge.publishing import published
from vitrine.edge.telemetry import observed
from vitrine.edge.wiring import wiring


@observed
def lambda_handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Answer one call, or one tick of the schedule."""
    return published(wiring, event)

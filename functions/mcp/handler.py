"""MCP for agents: the same search behind tools, and the RFC 9728 documents."""

from __future__ import annotations

from functools import cache
from typing import Any

from mangum import Mangum

from vitrine.edge.agents import admission
from vitrine.edge.endpoint import TEXTS, Endpoint
from vitrine.edge.settings import Front, Trust
from vitrine.edge.telemetry import observed
from vitrine.edge.wiring import wiring


@cache
def bridge() -> Mangum:
    """Build the application once for the environment."""
    endpoint = Endpoint(admission(wiring), wiring.read(Trust), wiring.read(Front))
    return Mangum(endpoint, lifespan="off", text_mime_types=TEXTS)


@observed
def lambda_handler(event: dict[str, Any], context: Any) -> Any:
    """Answer one request."""
    return bridge()(event, context)

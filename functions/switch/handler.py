"""The kill switch of all, in the hands of who operates the deployment."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.edge import http
from vitrine.edge.switching import (
    Clearing,
    Standing,
    Tripping,
    cleared,
    shown,
    tripped,
)
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)
SWITCH = "/v1/admin/switch"


@app.get(SWITCH, responses=http.responses(Standing))
def read(caller: http.Asker) -> Standing:
    """Tell whether the kill switch is on, until when, by whom and why."""
    return shown(wiring, caller)


@app.post(SWITCH, responses=http.responses(Standing))
def trip(body: Tripping, caller: http.Asker) -> Standing:
    """Turn it on until a moment; with dry_run, tell what would stand."""
    return tripped(wiring, caller, body)


@app.post(f"{SWITCH}/clear", responses=http.responses(Standing))
def clear(body: Clearing, caller: http.Asker) -> Standing:
    """Turn it off; with dry_run, tell what would stand."""
    return cleared(wiring, caller, body)


lambda_handler = http.served(app)

"""What an organisation decides for itself: who may write, whose caps are raised."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.edge import http
from vitrine.edge.administration import Ending, Giving, Granted, ended, given, listed
from vitrine.edge.raising import Lowering, Raised, Raising, lowered, raised, shown
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)
GRANTS = "/v1/admin/grants"
CAPS = "/v1/admin/caps"


@app.get(GRANTS, responses=http.responses(Granted))
def read(caller: http.Asker) -> Granted:
    """List what the organisation allows its clients beyond reading."""
    return listed(wiring, caller)


@app.post(GRANTS, responses=http.responses(Granted))
def give(body: Giving, caller: http.Asker) -> Granted:
    """Allow a client a scope; with dry_run, tell what would be allowed."""
    return given(wiring, caller, body)


@app.post(f"{GRANTS}/end", responses=http.responses(Granted))
def end(body: Ending, caller: http.Asker) -> Granted:
    """Allow it no longer; with dry_run, tell what would be left."""
    return ended(wiring, caller, body)


@app.get(CAPS, responses=http.responses(Raised))
def see(caller: http.Asker) -> Raised:
    """List whose caps are raised, and until when."""
    return shown(wiring, caller)


@app.post(CAPS, responses=http.responses(Raised))
def lift(body: Raising, caller: http.Asker) -> Raised:
    """Raise caps of one identity or account; with dry_run, tell what would stand."""
    return raised(wiring, caller, body)


@app.post(f"{CAPS}/end", responses=http.responses(Raised))
def lower(body: Lowering, caller: http.Asker) -> Raised:
    """Take a raise back before its end; with dry_run, tell what would be left."""
    return lowered(wiring, caller, body)


lambda_handler = http.served(app)

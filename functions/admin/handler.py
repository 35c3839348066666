"""What an organisation decides for itself: which clients may write, and who said so."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.edge import http
from vitrine.edge.administration import Ending, Giving, Granted, ended, given, listed
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)
GRANTS = "/v1/admin/grants"


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


lambda_handler = http.served(app)

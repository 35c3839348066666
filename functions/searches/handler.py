"""Saved searches of a person, and links by which colleagues open them."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.edge import http, saving
from vitrine.edge.editing import Gone
from vitrine.edge.wiring import wiring
from vitrine.problems import TooFast

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)
ALL = "/v1/searches"
ONE = f"{ALL}/<search>"


@app.post(ALL, responses=http.responses(saving.Found, TooFast))
def save(body: saving.Saving, caller: http.Asker) -> saving.Found:
    """Save a session's tree, or a tree, under a name."""
    return saving.kept(wiring, caller, body)


@app.get(ALL, responses=http.responses(saving.Listed, TooFast))
def listed(caller: http.Asker) -> saving.Listed:
    """List one's own saved searches."""
    return saving.listed(wiring, caller)


@app.post(f"{ALL}/open", responses=http.responses(saving.Found, TooFast))
def opened(body: saving.Opening, caller: http.Asker) -> saving.Found:
    """Open a colleague's search by a link."""
    return saving.opened(wiring, caller, body)


@app.get(ONE, responses=http.responses(saving.Found, TooFast))
def see(search: str, caller: http.Asker) -> saving.Found:
    """Read a saved search of one's own."""
    return saving.told(wiring, caller, search)


@app.delete(ONE, responses=http.responses(Gone, TooFast))
def delete(search: str, caller: http.Asker) -> Gone:
    """Delete a saved search of one's own, and every link to it."""
    return saving.deleted(wiring, caller, search)


@app.post(f"{ONE}/share", responses=http.responses(saving.Shared, TooFast))
def share(search: str, body: saving.Sharing, caller: http.Asker) -> saving.Shared:
    """Make a link to a saved search of one's own."""
    return saving.shared(wiring, caller, search, body)


lambda_handler = http.served(app)

"""A filter editor's session: the chat's own tree, read, begun, edited, forgotten."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.edge import http
from vitrine.edge.editing import (
    Beginning,
    Editing,
    Gone,
    Held,
    begun,
    edited,
    forgotten,
    read,
)
from vitrine.edge.wiring import wiring
from vitrine.problems import TooFast

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)
ALL = "/v1/sessions"
ONE = f"{ALL}/<session>"


@app.post(ALL, responses=http.responses(Held, TooFast))
def begin(body: Beginning, caller: http.Asker) -> Held:
    """Begin a session with a tree; search nothing."""
    return begun(wiring, caller, body)


@app.get(ONE, responses=http.responses(Held, TooFast))
def see(session: str, caller: http.Asker) -> Held:
    """Read a session: its tree, its version, and what was said."""
    return read(wiring, caller, session)


@app.put(ONE, responses=http.responses(Held, TooFast, *http.MOVED))
def edit(session: str, body: Editing, caller: http.Asker) -> Held:
    """Put a tree in the session's place, over the version that was seen."""
    return edited(wiring, caller, session, body)


@app.delete(ONE, responses=http.responses(Gone, TooFast))
def forget(session: str, caller: http.Asker) -> Gone:
    """Forget a session."""
    return forgotten(wiring, caller, session)


lambda_handler = http.served(app)

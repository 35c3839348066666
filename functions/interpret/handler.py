"""Read one message of a conversation: it changes the session's tree, and no more."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from pydantic import StringConstraints

from vitrine.caller import Surface
from vitrine.edge import http
from vitrine.edge.conversation import Said, converse
from vitrine.edge.replies import Interpreted, interpreted
from vitrine.edge.wiring import wiring
from vitrine.problems import TooFast

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)


class InterpretBody(http.Body):
    """A message, in a session or at the beginning of one."""

    source: http.Source
    session: http.Token | None = None
    message: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    language: http.Tag | None = None


@app.post("/v1/interpret", responses=http.responses(Interpreted, TooFast, *http.MOVED))
def interpret(body: InterpretBody, caller: http.Asker) -> Interpreted:
    """Turn a sentence into a change of the session's rule tree; search nothing."""
    asker = caller.speaking(body.language, Surface.CHAT_PREVIEW)
    said = Said(body.source, body.message, body.session)
    return interpreted(converse(wiring, asker, said))


lambda_handler = http.served(app)

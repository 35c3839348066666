"""Run a session's search, or a tree's: one page, its facets, and what really ran."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from pydantic import Field

from vitrine.edge import http
from vitrine.edge.replies import Answered, Tree
from vitrine.edge.searching import Wanted, search
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)


class ExecuteBody(http.Body):
    """A session at a version, or a tree; never both."""

    source: http.Source
    session: http.Token | None = None
    version: int | None = None
    tree: Tree | None = None
    cursor: http.Token | None = None
    limit: Annotated[int, Field(ge=0)] | None = None
    sort: Annotated[str, Field(min_length=1, max_length=130)] | None = None
    surface: http.Claimed = "api"
    language: http.Tag | None = None


@app.post("/v1/execute", responses=http.responses(Answered, *http.LIMITS, *http.MOVED))
def execute(body: ExecuteBody, caller: http.Asker) -> Response[str]:
    """Search; a page is cut to what the caller's budgets still hold."""
    wanted = Wanted(**body.model_dump(exclude={"surface", "language"}))
    answer = search(wiring, http.speaking(caller, body), wanted)
    return http.sent(Answered.of(answer))


lambda_handler = http.served(app)

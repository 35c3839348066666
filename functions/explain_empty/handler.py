"""Tell why a search finds nothing, filter by filter, and what would find something."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.edge import http
from vitrine.edge.replies import Explained, Tree
from vitrine.edge.searching import Wanted, explained
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)


class ExplainBody(http.Body):
    """A session at a version, or a tree; never both."""

    source: http.Source
    session: http.Token | None = None
    version: int | None = None
    tree: Tree | None = None
    surface: http.Claimed = "api"
    language: http.Tag | None = None


@app.post(
    "/v1/explain-empty", responses=http.responses(Explained, *http.LIMITS, *http.MOVED)
)
def explain_empty(body: ExplainBody, caller: http.Asker) -> Explained:
    """Count an empty search's filters alone and left out, in one round trip."""
    wanted = Wanted(**body.model_dump(exclude={"surface", "language"}))
    return Explained.of(explained(wiring, http.speaking(caller, body), wanted))


lambda_handler = http.served(app)

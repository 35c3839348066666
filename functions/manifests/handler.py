"""What an organisation has published, as its administrators may read it."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.edge import http
from vitrine.edge.manifests import Sources, WholeSource, listed, told
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)
ALL = "/v1/admin/manifests"


@app.get(ALL, responses=http.responses(Sources))
def sources(caller: http.Asker) -> Sources:
    """List what is published of each source, since when and by whom."""
    return listed(wiring, caller)


@app.get(f"{ALL}/<source>", responses=http.responses(WholeSource))
def manifest(source: str, caller: http.Asker) -> WholeSource:
    """Tell a source's profiles: the fields of each list, budgets and caps."""
    return told(wiring, caller, source)


lambda_handler = http.served(app)

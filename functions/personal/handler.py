"""What is kept of a person: told, or taken away, on an administrator's word."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.edge import http
from vitrine.edge.personal import Erased, Erasing, Exported, Exporting, erased, exported
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)


@app.post("/v1/admin/export", responses=http.responses(Exported))
def export(body: Exporting, caller: http.Asker) -> Exported:
    """Tell all that is kept of a person, by pages; with dry_run, how much there is."""
    return exported(wiring, caller, body)


@app.post("/v1/admin/erasure", responses=http.responses(Erased))
def erase(body: Erasing, caller: http.Asker) -> Erased:
    """Take away what is personal; with dry_run, tell how much would go and stay."""
    return erased(wiring, caller, body)


lambda_handler = http.served(app)

"""Judge a rule tree: its normal form, or every fault with its remedy."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from vitrine.caller import Surface
from vitrine.edge import http
from vitrine.edge.replies import Checked, Tree
from vitrine.edge.rules import judged
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True,
    response_validation_error_http_code=500,
    serializer=http.compact,
)
app.include_router(http.router)


class ValidateBody(http.Body):
    """A tree for a source."""

    source: http.Source
    tree: Tree
    language: http.Tag | None = None


@app.post("/v1/validate", responses=http.responses(Checked))
def validate(body: ValidateBody, caller: http.Asker) -> Checked:
    """Check a rule tree against a source's registry, and give its normal form."""
    return judged(wiring, caller.speaking(body.language, Surface.API), body)


lambda_handler = http.served(app)

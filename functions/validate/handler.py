"""Judge a rule tree: its normal form, or every fault with its remedy."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Request
from aws_lambda_powertools.event_handler.depends import Depends

from vitrine.caller import Caller, Surface
from vitrine.edge import http
from vitrine.edge.replies import Checked, Tree
from vitrine.edge.rules import judged
from vitrine.edge.telemetry import observed
from vitrine.edge.wiring import wiring

app = APIGatewayHttpResolver(
    enable_validation=True, response_validation_error_http_code=500
)
app.include_router(http.router)


class Ask(http.Body):
    """A tree for a source."""

    source: http.Source
    tree: Tree
    language: http.Tag | None = None


def asker(request: Request) -> Caller:
    """Verify who asks."""
    return http.verified(request, wiring)


@app.post("/v1/validate", responses=http.responses())
def validate(ask: Ask, caller: Annotated[Caller, Depends(asker)]) -> Checked:
    """Check a rule tree against a source's registry, and give its normal form."""
    return judged(wiring, caller.speaking(ask.language, Surface.API), ask)


@observed
def lambda_handler(event: dict[str, Any], context: Any) -> Any:
    """Answer one request."""
    return app.resolve(event, context)

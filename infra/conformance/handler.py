"""The suite's fixture server: its fixtures, behind the endpoint that the product has.

Hosts, origins, bodies, eras and the bridge are the product's; what answers behind
them is the suite's. Its client can send no token, so that anybody is let in here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from mangum import Mangum
from mcp.server.lowlevel import Server
from mcp_types import EmptyResult, SetLevelRequestParams

from infra.conformance import reading, tools
from vitrine.edge.endpoint import TEXTS, Endpoint
from vitrine.edge.exchange import Agent, Asked, Told
from vitrine.edge.serving import HOUR
from vitrine.edge.settings import Front, Trust
from vitrine.edge.telemetry import observed
from vitrine.edge.tools import Tool
from vitrine.edge.wiring import wiring

NOBODY = Trust(issuer="https://nobody.example", audience="https://nobody.example/mcp")


@dataclass(frozen=True, slots=True)
class Anybody:
    """A caller without a token and without a tool of the product's."""

    tools: tuple[Tool, ...] = ()
    withheld: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def mark(self) -> str:
        """Draw no mark: nothing is stored here."""
        return ""

    def call(self, asked: Asked) -> Told:
        """Answer nothing: the fixtures answer."""
        raise NotImplementedError(asked.name)


def serving(_: Agent) -> Server[Any]:
    """Make the server of the suite's fixtures."""
    server: Server[Any] = Server(
        "conformance",
        version="1",
        on_list_tools=tools.listed,
        on_call_tool=tools.called,
        get_tool_input_schema=tools.schema,
        on_list_resources=reading.resources,
        on_list_resource_templates=reading.templates,
        on_read_resource=reading.read,
        on_subscribe_resource=reading.subscribed,
        on_unsubscribe_resource=reading.subscribed,
        on_list_prompts=reading.prompts,
        on_get_prompt=reading.prompt,
        on_completion=reading.completed,
        cache_hints=dict.fromkeys(
            (
                "tools/list",
                "server/discover",
                "resources/list",
                "resources/templates/list",
                "resources/read",
                "prompts/list",
            ),
            HOUR,
        ),
    )
    # Not as an argument: the newer era has given levels up, and the SDK warns.
    server.add_request_handler("logging/setLevel", SetLevelRequestParams, _levelled)
    return server


async def _levelled(_: Any, __: SetLevelRequestParams) -> EmptyResult:
    return EmptyResult()


@cache
def bridge() -> Mangum:
    """Build the application once for the environment."""
    front = wiring.read(Front)
    endpoint = Endpoint(lambda _: Anybody(), NOBODY, front, serving)
    return Mangum(endpoint, lifespan="off", text_mime_types=TEXTS)


@observed
def lambda_handler(event: dict[str, Any], context: Any) -> Any:
    """Answer one request."""
    return bridge()(event, context)

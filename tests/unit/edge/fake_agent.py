"""A scripted agent and the HTTP API events that reach it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mangum import Mangum

from vitrine.edge.endpoint import TEXTS, Endpoint
from vitrine.edge.exchange import Asked
from vitrine.edge.settings import Front, Trust
from vitrine.edge.tools import Tool
from vitrine.problems import Forbidden, Unauthenticated

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}
TRUST = Trust(issuer="https://id.example", audience="https://api.example/mcp")
FRONT = Front(
    allowed_hosts=("api.example",),
    allowed_origins=("https://app.example",),
    scopes=("shop:read", "library:read"),
)
ERAS = ("2025-11-25", "2026-07-28")


@dataclass
class Scripted:
    """Answer every call with one result, or raise it."""

    result: Any = ({"note": "one found"}, "one found")
    names: tuple[str, ...] = ("search_shop", "describe_source")
    calls: list[Asked] = field(default_factory=list)
    withheld: Mapping[str, str] = field(default_factory=dict)

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(
            Tool(n, n, f"Use {n}.", SCHEMA, {"type": "object"}) for n in self.names
        )

    def mark(self) -> str:
        return "7f3a"

    def call(self, asked: Asked) -> Any:
        self.calls.append(asked)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


Handler = Callable[[dict[str, Any], None], dict[str, Any]]


def served(agent: Scripted) -> Handler:
    def admit(headers: Mapping[str, str]) -> Scripted:
        if headers.get("authorization") == "Bearer narrow":
            raise Forbidden("No source is covered.")
        if headers.get("authorization") != "Bearer good":
            raise Unauthenticated
        return agent

    endpoint = Endpoint(admit, TRUST, FRONT)
    bridge: Any = Mangum(endpoint, lifespan="off", text_mime_types=TEXTS)
    return bridge  # type: ignore[no-any-return] # a Lambda context is not needed


def event(
    method: str = "POST", path: str = "/mcp", body: Any = None, **headers: str
) -> dict[str, Any]:
    sent = {"host": "api.example", "content-type": "application/json"}
    sent["accept"] = "application/json, text/event-stream"
    sent |= {k.replace("_", "-"): v for k, v in headers.items()}
    http = {"method": method, "path": path, "sourceIp": "127.0.0.1"}
    return {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": sent,
        "requestContext": {"http": http, "stage": "$default", "requestId": "r-1"},
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }


def rpc(era: str, method: str, **params: Any) -> dict[str, Any]:
    """Make the event of one request in the manner of a protocol era."""
    headers = {"authorization": "Bearer good", "mcp_protocol_version": era}
    if era == "2026-07-28":
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers["mcp_method"] = method
        if "name" in params:
            headers["mcp_name"] = params["name"]
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return event(body=body, **headers)

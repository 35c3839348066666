"""What the protocol costs: a trivial tool over the bare SDK, a search over HTTP's.

``python -m infra.bench mcp [--rounds N]``; both pairs are measured in turns, so that
the machine's load falls on both alike, and told as the ratio of medians. The bare
pattern is the SDK's own: a fresh manager a request, the low-level server, Mangum, and
the same token verified with the same key, since no server may leave that out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import cycle
from statistics import median
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from mangum import Mangum
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool
from starlette.datastructures import Headers

from infra.local.seed import VISITOR, seed
from infra.local.stack import Stack
from vitrine.caller import Caller, from_claims
from vitrine.edge import tools
from vitrine.edge.endpoint import TEXTS, Endpoint
from vitrine.edge.exchange import Asked, Told
from vitrine.edge.settings import Front, Trust
from vitrine.edge.tokens import Keys, Verifier

ERA = "2026-07-28"
HOST = "api.example"
TRUST = Trust(issuer="https://id.example", audience=f"https://{HOST}/mcp")
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
META = {
    "io.modelcontextprotocol/protocolVersion": ERA,
    "io.modelcontextprotocol/clientCapabilities": {},
}
SOURCE = "events"
RULE = {"field": "kind", "operator": "equals", "value": "call"}
Act = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Echo:
    """A desk with one tool that says what it hears."""

    caller: Caller
    withheld: Mapping[str, str]

    @property
    def tools(self) -> tuple[tools.Tool, ...]:
        """List the tool."""
        return (tools.Tool("echo", "Echo", "Use it.", SCHEMA, {"type": "object"}),)

    def mark(self) -> str:
        """Draw no mark: nothing is stored here."""
        return ""

    def call(self, asked: Asked) -> Told:
        """Say it again."""
        said = str(asked.arguments["text"])
        return {"note": said}, said


class Judge:
    """An issuer with one key, and the token that both sides verify."""

    def __init__(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        public = json.loads(ECAlgorithm.to_jwk(key.public_key()))
        self.keys = {"keys": [public | {"kid": "k", "use": "sig"}]}
        claims: dict[str, Any] = {
            "iss": TRUST.issuer,
            "aud": TRUST.audience,
            "sub": "s",
        }
        claims |= {"tenant": "t", "client_id": "c", "exp": int(time.time()) + 3600}
        self.token = jwt.encode(claims, key, "ES256", headers={"kid": "k"})
        self.public = jwt.PyJWK.from_dict(public, "ES256")

    def fetch(self, url: str) -> bytes:
        """Give the documents of the issuer."""
        if url.endswith("openid-configuration"):
            found = {"issuer": TRUST.issuer, "jwks_uri": f"{TRUST.issuer}/keys"}
            return json.dumps(found).encode()
        return json.dumps(self.keys).encode()


def ours(judge: Judge) -> Mangum:
    """Build this product's endpoint around the trivial tool."""
    verifier = Verifier(TRUST, Keys(TRUST, judge.fetch), time.time)

    def admit(headers: Mapping[str, str]) -> Echo:
        return Echo(from_claims(verifier.claims(headers.get("authorization"))), {})

    front = Front(allowed_hosts=(HOST,))
    return Mangum(Endpoint(admit, TRUST, front), lifespan="off", text_mime_types=TEXTS)


def bare(judge: Judge) -> Mangum:
    """Build the SDK's own pattern around the same tool."""
    listed = Tool(name="echo", description="Use it.", input_schema=SCHEMA)
    security = TransportSecuritySettings(allowed_hosts=[HOST])

    async def list_tools(_: Any, __: Any) -> ListToolsResult:
        return ListToolsResult(tools=[listed])

    async def call_tool(_: Any, asked: Any) -> CallToolResult:
        said = asked.arguments["text"]
        text = TextContent(type="text", text=said)
        return CallToolResult(content=[text], structured_content={"note": said})

    server: Server[Any] = Server(
        "bare",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda _: SCHEMA,
    )

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        token = Headers(scope=scope)["authorization"].removeprefix("Bearer ")
        audience = [TRUST.audience, TRUST.audience + "/"]
        jwt.decode(
            token, judge.public, ["ES256"], audience=audience, issuer=TRUST.issuer
        )
        manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, security_settings=security
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return Mangum(answer, lifespan="off", text_mime_types=TEXTS)


def event(token: str) -> dict[str, Any]:
    """Make the event of one call of the trivial tool."""
    params = {"name": "echo", "arguments": {"text": "hello"}, "_meta": META}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return {
        "version": "2.0",
        "rawPath": "/mcp",
        "rawQueryString": "",
        "headers": {
            "host": HOST,
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "authorization": f"Bearer {token}",
            **_protocol("echo"),
        },
        "requestContext": {
            "http": {"method": "POST", "path": "/mcp", "sourceIp": "127.0.0.1"},
            "stage": "$default",
            "requestId": "r",
        },
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }


def _protocol(name: str) -> dict[str, str]:
    return {
        "mcp-protocol-version": ERA,
        "mcp-method": "tools/call",
        "mcp-name": name,
    }


def timed(one: Act, other: Act, rounds: int) -> tuple[float, float]:
    """Run two acts in turns; give the medians in milliseconds."""
    spent: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + rounds // 10):
        for act, times in ((one, spent[0]), (other, spent[1])):
            start = time.perf_counter()
            act()
            if number >= rounds // 10:  # the first ones warm up
                times.append((time.perf_counter() - start) * 1000)
    return median(spent[0]), median(spent[1])


def trivial(rounds: int) -> tuple[float, float]:
    """Measure the trivial tool: ours, then the bare pattern."""
    judge = Judge()
    asked = event(judge.token)
    sides = [(build(judge), asked) for build in (ours, bare)]

    def act(bridge: Mangum) -> Act:
        def run() -> None:
            answer = bridge(asked, None)  # type: ignore[arg-type] # no context is read
            if answer["statusCode"] != 200 or "hello" not in answer["body"]:
                raise RuntimeError(answer)

        return run

    return timed(act(sides[0][0]), act(sides[1][0]), rounds)


def searching(rounds: int) -> tuple[float, float]:
    """Measure one search through the gateway: by the tool, then over HTTP."""
    with Stack() as stack:
        seed(stack)
        # An agent's pace is ten calls in ten seconds, and its first call of ten minutes
        # makes one write more: readers take turns, so that most calls are neither.
        tokens = cycle([_reader(stack, n) for n in range(max(rounds // 5, 1))])
        name = f"search_{SOURCE}"
        given = {"filters": [RULE], "limit": 10}
        params = {"name": name, "arguments": given, "_meta": META}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        tree = {"type": "group", "operator": "and", "rules": [RULE]}
        body = {"source": SOURCE, "tree": tree, "limit": 10}
        accept = {"accept": "application/json, text/event-stream"}

        token = _reader(stack, 0)

        def by_tool() -> None:
            headers = _protocol(name) | accept
            answer = stack.call("POST", "/mcp", call, next(tokens), headers=headers)
            if not answer.json["result"]["structuredContent"]["hits"]:
                raise RuntimeError(answer.body)

        def by_http() -> None:
            answer = stack.call("POST", "/v1/execute", body, token)
            if not answer.json["hits"]:
                raise RuntimeError(answer.body)

        return timed(by_tool, by_http, rounds)


def _reader(stack: Stack, number: int) -> str:
    return stack.token(**{**VISITOR, "user": f"reader-{number}"})


def main(arguments: list[str]) -> int:
    """Measure both; the last line is JSON."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench mcp")
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args(arguments).rounds
    mine, sdk = trivial(rounds)
    print(f"trivial tool   {mine:.3f} ms, bare SDK {sdk:.3f} ms")
    tool, http = searching(rounds)
    print(f"search by tool {tool:.1f} ms, by HTTP  {http:.1f} ms")
    ratios = {
        "trivial_ratio": round(mine / sdk, 3),
        "search_ratio": round(tool / http, 3),
    }
    print(json.dumps(ratios))
    return 0

"""MCP over HTTP in a function: one fresh server and session manager per request.

The SDK's manager runs once and then no more, so a warm function needs a new one each
time. Answers are JSON, never an event stream, which would idle until the timeout:
GET and DELETE are 405. Both protocol eras are served by the one manager.
The token is judged here, because only this function can name the RFC 9728 document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from vitrine.edge.exchange import Agent
from vitrine.edge.http import PROBLEM_JSON
from vitrine.edge.serving import serving
from vitrine.edge.settings import Front, Trust, loopback
from vitrine.edge.telemetry import failed, traced, unforeseen
from vitrine.problems import Forbidden, Problem, Unauthenticated

WELL_KNOWN = "/.well-known/oauth-protected-resource"
LARGEST_BODY = 256 * 1024
TEXTS = ["text/", "application/json", PROBLEM_JSON]
"""Media types that the bridge does not encode in base 64."""
LLMS = "/llms.txt"
LLMS_TEXT = """\
# Vitrine

> Search tools for agents over an organisation's own sources. Answers are pages of
> public facts with refs; budgets bound what one caller may carry away.

- Connect: MCP over streamable HTTP, POST {resource}
- Enter: an OAuth 2.1 access token of {issuer}, for the resource above
- Metadata: {metadata}
- Scopes: {scopes}

Call describe_source first, then search_<source>; send an answer's session back to
refine it. Without a token there is nothing to see here.
"""


Admit = Callable[[Mapping[str, str]], Agent]
"""Judge a request's headers; raise a ``Problem`` to turn it away."""
Serve = Callable[[Agent], Server[Any]]
"""Make the server of one caller."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The ASGI application behind ``/mcp`` and its documents.

    ``serve`` makes the server that answers; another one may stand behind the same
    door, as the conformance suite's does.
    """

    admit: Admit
    trust: Trust
    front: Front
    serve: Serve = serving
    security: TransportSecuritySettings = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "security", self._hosts())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        answer = self._plainly(scope)
        if answer is not None:
            await answer(scope, receive, send)
            return
        try:
            agent = self.admit(Headers(scope=scope))
            receive = await self._stepped_up(agent, receive)
        except Exception as error:  # noqa: BLE001 - the last resort
            silent = "authorization" not in Headers(scope=scope)
            answer = self._turned_away(_problem(error), silent=silent)
            await answer(scope, receive, send)
            return
        manager = StreamableHTTPSessionManager(
            self.serve(agent),
            json_response=True,
            stateless=True,
            security_settings=self.security,
            max_request_body_size=LARGEST_BODY,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    async def _stepped_up(self, agent: Agent, receive: Receive) -> Receive:
        """Read the body once; refuse a tool that needs a wider token than this one.

        The protocol has no answer for that: a client asks for scopes on 403 alone.
        """
        message = await receive()
        call = _called(message.get("body", b""))
        # Before the SDK's own first line: a trace is on every line or on none.
        traced(call.traceparent)
        name = call.name
        # Only what another scope would open: for a tool that nobody has, the protocol's
        # own answer is right.
        scope = agent.withheld.get(name)
        if scope is not None:
            raise Forbidden(f"{name} needs the scope {scope!r}.", scope=scope)
        # The body was taken off the wire; the SDK must find it there again.
        first: list[Message] = [message]

        async def again() -> Message:
            return first.pop() if first else await receive()

        return again

    def _plainly(self, scope: Scope) -> Response | None:
        """Answer what needs neither token nor protocol."""
        path, method = scope["path"], scope["method"]
        if path.startswith(WELL_KNOWN) and method == "GET":
            return JSONResponse(self.metadata())
        if path == LLMS and method == "GET":
            return PlainTextResponse(self.llms())
        return None if method == "POST" else Response(None, 405, {"Allow": "POST"})

    def llms(self) -> str:
        """Say, for a model that finds the address, what is here and how to enter."""
        return LLMS_TEXT.format(
            resource=self.trust.audience,
            issuer=self.trust.issuer,
            metadata=self._described_at(),
            scopes=" ".join(self.front.scopes) or "<source>:read",
        )

    def metadata(self) -> dict[str, Any]:
        """Give the RFC 9728 document, every URL exactly as it was configured."""
        return {
            "resource": self.trust.audience,
            "authorization_servers": [self.trust.issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": list(self.front.scopes),
        }

    def _turned_away(self, problem: Problem, *, silent: bool) -> Response:
        headers = problem.headers()
        if isinstance(problem, Unauthenticated | Forbidden):
            headers["WWW-Authenticate"] = self._challenge(problem, silent=silent)
        body = json.dumps(problem.body(), default=str)
        return Response(body, problem.status, headers, PROBLEM_JSON)

    def _challenge(self, problem: Problem, *, silent: bool) -> str:
        """Name an error only to who sent something (RFC 6750, 3.1)."""
        short = isinstance(problem, Forbidden)
        error = "insufficient_scope" if short else "invalid_token"
        facts = {
            "error": "" if silent else error,
            "scope": " ".join(self._scopes(problem)),
            "resource_metadata": self._described_at(),
        }
        return "Bearer " + ", ".join(f'{k}="{v}"' for k, v in facts.items() if v)

    def _scopes(self, problem: Problem) -> list[str]:
        """List every scope to ask for at once, the missing one included."""
        rare = problem.members.get("scope")
        known = [*self.front.scopes]
        return known if rare is None or rare in known else [*known, str(rare)]

    def _described_at(self) -> str:
        """Insert the well-known path before the resource's own (RFC 9728, 3.1)."""
        place = urlsplit(self.trust.audience)
        return f"{place.scheme}://{place.netloc}{WELL_KNOWN}{place.path.rstrip('/')}"

    def _hosts(self) -> TransportSecuritySettings:
        hosts = [f"{h}{port}" for h in self.front.allowed_hosts for port in ("", ":*")]
        own = [f"{_scheme(h)}://{h}" for h in hosts]
        origins = [*own, *self.front.allowed_origins]
        return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _problem(error: Exception) -> Problem:
    """Give what is told of a failed admission; log what is our fault.

    Left to the bridge, it would be a bare text, and a log line with its words.
    """
    if not isinstance(error, Problem):
        unforeseen(error)
        return Problem()
    if error.status >= Problem.status:
        failed(error.detail, error)
    return error


def _scheme(host: str) -> str:
    return "http" if loopback(host.partition(":")[0]) else "https"


@dataclass(frozen=True, slots=True)
class _Call:
    """What is read of a call before the protocol judges it."""

    name: str = ""
    traceparent: Any = None


def _called(body: bytes) -> _Call:
    """Read which tool a request calls, if it calls one, and under which trace."""
    # Looked for before anything is parsed: what opens and lists calls no tool.
    if b"tools/call" not in body or len(body) > LARGEST_BODY:
        return _Call()
    try:
        params = json.loads(body)["params"]
        name, meta = params["name"], params.get("_meta") or {}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _Call()
    trace = meta.get("traceparent") if isinstance(meta, Mapping) else None
    return _Call(name, trace) if isinstance(name, str) else _Call()

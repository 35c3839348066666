"""The HTTP API: finds a request's route, and carries it to the function and back."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.requests import Request

from infra.local import events
from infra.local.cors import Sharing
from infra.local.runtime import Environment, FunctionError
from infra.local.template import Route

if TYPE_CHECKING:
    from collections.abc import Iterable

    from infra.local.host import Receive, Scope, Send

ANY = "ANY"


class Gateway:
    """The routes of every function, as one ASGI application."""

    def __init__(
        self, environments: Iterable[Environment], sharing: Sharing | None = None
    ) -> None:
        """Take the routes from the functions, the most exact ones first."""
        self._sharing = sharing or Sharing()
        pairs = [(route, one) for one in environments for route in one.function.routes]
        self._routes = sorted(pairs, key=lambda pair: _rank(pair[0]))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        incoming = await _incoming(Request(scope, receive))
        # Before any function: a preflight carries no token that one could judge.
        reply = self._sharing.preflight(incoming)
        if reply is None:
            reply = await self.answer(incoming, scope["raw_path"].decode("latin-1"))
            reply = self._sharing.shared(incoming, reply)
        headers = [(k.encode(), v.encode("latin-1")) for k, v in reply.headers]
        headers.append((b"content-length", str(len(reply.body)).encode()))
        await send(
            {"type": "http.response.start", "status": reply.status, "headers": headers}
        )
        await send({"type": "http.response.body", "body": reply.body})

    async def answer(self, incoming: events.Incoming, raw: str) -> events.Reply:
        """Carry one request to its function, or say that there is none."""
        matches = [
            (route, environment, parts)
            for route, environment in self._routes
            if (parts := match(route.path, raw)) is not None
        ]
        if not matches:
            return events.message(404, "Not Found")
        for route, environment, parts in matches:
            if route.method in {incoming.method, ANY}:
                event = events.build(incoming, route, parts)
                return await _carried(environment, event)
        allowed = ", ".join(sorted({route.method for route, _, _ in matches}))
        return events.message(405, "Method Not Allowed", allow=allowed)


async def _carried(environment: Environment, event: dict[str, object]) -> events.Reply:
    """Return the function's reply, or the gateway's word for its failure."""
    try:
        returned = await environment.invoke(event)
    except FunctionError as error:
        return events.message(error.status, str(error))
    try:
        return events.reply(returned)
    except (TypeError, ValueError, AttributeError) as error:
        return events.message(500, f"the function gave no HTTP answer: {error}")


async def _incoming(request: Request) -> events.Incoming:
    pairs = [
        (name.decode("latin-1").lower(), value.decode("latin-1"))
        for name, value in request.scope["headers"]
    ]
    return events.Incoming(
        method=request.method,
        path=request.scope["path"],
        query=request.scope["query_string"].decode("latin-1"),
        headers=pairs,
        body=await request.body(),
        source=request.client.host if request.client else "",
        protocol=f"HTTP/{request.scope['http_version']}",
    )


def match(pattern: str, raw: str) -> dict[str, str] | None:
    """Return the path parameters of a raw path that fits a pattern, else None."""
    wanted, given = pattern.split("/"), raw.split("/")
    parts: dict[str, str] = {}
    for index, segment in enumerate(wanted):
        if segment.endswith("+}"):
            rest = "/".join(given[index:])
            return {**parts, segment[1:-2]: unquote(rest)} if rest else None
        if index >= len(given):
            return None
        if segment.startswith("{") and given[index]:
            parts[segment[1:-1]] = unquote(given[index])
        elif segment != given[index]:
            return None
    return parts if len(wanted) == len(given) else None


def _rank(route: Route) -> tuple[bool, int, bool]:
    """Put exact paths before parameters, those before greedy ones, `ANY` last."""
    return "+}" in route.path, route.path.count("{"), route.method == ANY

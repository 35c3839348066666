"""What pages of other origins may do, as the HTTP API's own configuration says it.

The API answers preflights itself and writes its headers over a function's: see
"Configure CORS for HTTP APIs", API Gateway developer guide. Without origins it does
neither, and a browser keeps every answer from the page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from infra.local.events import Incoming, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ANYONE = "*"
PREFIX = "access-control-"
OPTIONS = "OPTIONS"


@dataclass(frozen=True, slots=True)
class Sharing:
    """Who may ask from a browser, with what, and which answer headers a page sees."""

    origins: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    seconds: int = 0

    @classmethod
    def of(cls, configuration: Mapping[str, Any]) -> Self:
        """Read a resolved ``CorsConfiguration``; absent members share nothing."""

        def listed(name: str) -> tuple[str, ...]:
            return tuple(configuration.get(name, ()))

        return cls(
            listed("AllowOrigins"),
            listed("AllowMethods"),
            listed("AllowHeaders"),
            listed("ExposeHeaders"),
            int(configuration.get("MaxAge", 0)),
        )

    def preflight(self, incoming: Incoming) -> Reply | None:
        """Answer a browser that asks first, or None where nobody does.

        A stranger is answered, too: what its browser misses are the headers.
        """
        sent = dict(incoming.headers)
        if not self.origins or incoming.method != OPTIONS or "origin" not in sent:
            return None
        allowed = {
            "methods": ",".join(self.methods),
            "headers": ",".join(self.takes),
        }
        told = [(f"{PREFIX}allow-{name}", text) for name, text in allowed.items()]
        told.append((f"{PREFIX}max-age", str(self.seconds)))
        origin = self._allowed(incoming)
        return Reply(204, headers=[*self._named(origin), *told] if origin else ())

    def shared(self, incoming: Incoming, reply: Reply) -> Reply:
        """Let a page of an allowed origin read an answer."""
        if not self.origins:
            return reply
        own = [(k, v) for k, v in reply.headers if not k.startswith(PREFIX)]
        origin = self._allowed(incoming)
        if origin and self.shows:
            own.append((f"{PREFIX}expose-headers", ",".join(self.shows)))
        return replace(reply, headers=[*own, *self._named(origin)])

    def _allowed(self, incoming: Incoming) -> str | None:
        origin = dict(incoming.headers).get("origin")
        if ANYONE in self.origins:
            return origin and ANYONE
        return origin if origin in self.origins else None

    @staticmethod
    def _named(origin: str | None) -> Iterator[tuple[str, str]]:
        if origin:
            yield f"{PREFIX}allow-origin", origin

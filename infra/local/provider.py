"""A model provider on the loopback: it says what it is told and misbehaves on demand.

It speaks the OpenAI chat-completions protocol and reports usage and cost, so a turn,
its costs and the kill switch can be shown and tested without a provider's account.
A queue of behaviours is used up first; then ``rule`` answers each request.

    with serve(rule=says({"intent": "reset", ...}, cost=0.02)) as provider:
        OpenRouter(key="any", base=provider.url)
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

HOST = "127.0.0.1"
PATHS = ("/v1/chat/completions", "/v1/embeddings")
COST = 0.0004
"""Dollars that a reply reports where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How one request is answered.

    ``body`` replaces the whole answer; ``cut`` closes the connection half-way;
    ``wait`` are seconds before the answer, ``drip`` seconds between its bytes.
    ``schemas`` False refuses a request that carries a JSON schema, as some do.
    """

    text: str = ""
    status: int = 200
    cost: float | None = COST
    wait: float = 0.0
    drip: float = 0.0
    cut: bool = False
    body: bytes | None = None
    schemas: bool = True


def says(reply: Any, *, cost: float | None = COST) -> Behaviour:
    """Answer with a text, or with a value as JSON."""
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    return Behaviour(text, cost=cost)


def fails(status: int) -> Behaviour:
    """Answer with an error status."""
    return Behaviour(status=status)


EMPTY = Behaviour("")
PROSE = Behaviour("Certainly! Here are some lovely results for you.")
CUT = Behaviour("{}", cut=True)
GARBAGE = Behaviour(body=b"<html>Bad gateway</html>")
BUSY = fails(429)
DOWN = fails(500)

Rule = Callable[[dict[str, Any]], Behaviour]


@dataclass(slots=True)
class Provider:
    """A running provider: its address, its script, and what it was asked.

    ``requests`` are the bodies, without headers: no key is kept.
    """

    url: str = ""
    rule: Rule | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    spent: float = 0.0
    _script: deque[Behaviour] = field(default_factory=deque)
    _stopping: Event = field(default_factory=Event)

    def script(self, *behaviours: Behaviour) -> None:
        """Queue how the next requests are answered."""
        self._script.extend(behaviours)

    def answer(self, body: dict[str, Any]) -> Behaviour:
        """Record a request and choose its behaviour."""
        self.requests.append(body)
        chosen = self._script.popleft() if self._script else self._ruled(body)
        if not chosen.schemas and _schema_asked(body):
            return replace(chosen, status=400, body=_REFUSED)
        if chosen.status == 200 and chosen.cost:
            self.spent += chosen.cost
        return chosen

    def rest(self, seconds: float) -> None:
        """Wait, but not past the end of the server."""
        self._stopping.wait(seconds)

    def stop(self) -> None:
        """Wake every answer that still waits."""
        self._stopping.set()

    def _ruled(self, body: dict[str, Any]) -> Behaviour:
        return self.rule(body) if self.rule else DOWN


_REFUSED = json.dumps(
    {
        "error": {"message": "response_format json_schema is not supported"},
        "message": "outputConfig is not supported by this model",
    }
).encode()


@contextmanager
def serve(*, rule: Rule | Behaviour | None = None, port: int = 0) -> Iterator[Provider]:
    """Run a provider until the block ends; port 0 takes a free one."""
    with answering(_handler, rule, port=port) as provider:
        provider.url += "/v1"
        yield provider


@contextmanager
def answering(
    handler: Callable[[Provider], type[BaseHTTPRequestHandler]],
    rule: Rule | Behaviour | None,
    *,
    port: int = 0,
) -> Iterator[Provider]:
    """Run a provider of any protocol until the block ends."""
    always = (lambda _: rule) if isinstance(rule, Behaviour) else rule
    provider = Provider(rule=always)
    server = ThreadingHTTPServer((HOST, port), handler(provider))
    server.daemon_threads = True
    provider.url = f"http://{HOST}:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.stop()
        server.shutdown()
        server.server_close()
        thread.join()


class Speaker(BaseHTTPRequestHandler):
    """Writes an answer as its behaviour says: whole, cut, or byte by byte."""

    protocol_version = "HTTP/1.1"
    provider: Provider

    def send(self, chosen: Behaviour, body: bytes) -> None:
        """Send an answer, to whoever is still there."""
        try:
            self._write(chosen, body)
        except OSError:
            self.close_connection = True  # the caller hung up: its deadline

    def more(self, _: Behaviour) -> dict[str, str]:
        """Give headers of a protocol's own."""
        return {}

    def _write(self, chosen: Behaviour, body: bytes) -> None:
        self.send_response(chosen.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in self.more(chosen).items():
            self.send_header(name, value)
        self.end_headers()
        if chosen.cut:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        for piece in _pieces(body, chosen.drip):
            self.wfile.write(piece)
            self.wfile.flush()
            self.provider.rest(chosen.drip)

    def log_message(self, *_: Any) -> None:
        """Keep the demo's screen clean."""


def _handler(running: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(Speaker):
        provider = running

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path not in PATHS:
                self.send(Behaviour(status=404, body=b"{}"), b"{}")
                return
            if not self.headers.get("Authorization", "").startswith("Bearer "):
                self.send(Behaviour(status=401, body=b"{}"), b"{}")
                return
            asked = json.loads(raw)
            chosen = running.answer(asked)
            running.rest(chosen.wait)
            self.send(chosen, chosen.body or _document(chosen, asked))

    return Handler


def _pieces(body: bytes, drip: float) -> list[bytes]:
    return [bytes([b]) for b in body] if drip else [body]


def _schema_asked(body: dict[str, Any]) -> bool:
    named = body.get("response_format", {}).get("type") == "json_schema"
    return bool(named or "outputConfig" in body)


def _document(chosen: Behaviour, asked: dict[str, Any]) -> bytes:
    if chosen.status != 200:
        return json.dumps({"error": {"code": chosen.status}}).encode()
    told = len(json.dumps(asked.get("messages", []))) // 4
    usage = {"prompt_tokens": told, "completion_tokens": len(chosen.text) // 4 + 1}
    usage["total_tokens"] = sum(usage.values())
    document = {
        "id": f"chatcmpl-{time.monotonic_ns()}",
        "object": "chat.completion",
        "model": asked.get("model", "scripted"),
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": chosen.text},
            }
        ],
        "usage": usage if chosen.cost is None else usage | {"cost": chosen.cost},
    }
    return json.dumps(document, ensure_ascii=False).encode()

"""The search engine's own connection: what carries a search, and nothing around it.

The official client takes an httpx client. httpx's way through its own layers costs a
search a millisecond of computing, more than half of all that the client does, for what
one POST to one known server has no use of: cookies, redirects, proxies, sign-ins. This
one sends such a POST over a kept connection, and leaves everything else to httpx.
"""

from __future__ import annotations

import select
from collections import deque
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

import httpx


class Line(httpx.Client):
    """An httpx client whose POSTs go straight to one server.

    A connection serves one request at a time, whichever thread asks; the errors are
    httpx's, so that the official client retries and judges as it always does.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        trust = httpx.create_ssl_context()
        super().__init__(timeout=timeout, verify=trust)
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port
        self._seconds = timeout
        self._trust = trust if parts.scheme == "https" else None
        # Taking and putting at an end of a deque is atomic: no lock is needed.
        self._idle: deque[HTTPConnection] = deque()

    def request(self, method: str, url: Any, **asked: Any) -> httpx.Response:
        """Send a POST over a kept connection; anything else as httpx does.

        Raises ``httpx.TransportError`` where the server does not answer.
        """
        if method != "POST" or asked.get("params"):
            return super().request(method, url, **asked)
        body, headers = asked.get("content") or b"", asked.get("headers") or {}
        line = self._taken()
        try:
            line.request(method, urlsplit(url).path, _bytes(body), headers)
            answer = line.getresponse()
            content = answer.read()
        except TimeoutError as error:
            line.close()
            raise httpx.ReadTimeout(url) from error
        except (OSError, HTTPException) as error:
            line.close()
            raise httpx.ConnectError(url) from error
        self._idle.append(line)
        return httpx.Response(
            answer.status, headers=answer.getheaders(), content=content
        )

    def close(self) -> None:
        """End all connections that nobody uses."""
        while self._idle:
            self._idle.pop().close()
        super().close()

    def _taken(self) -> HTTPConnection:
        """Give the connection that was used last, if its server still holds it."""
        while self._idle:
            line = self._idle.pop()
            # What can be read before anything was asked is the end: the server, or
            # something on the way, closed while this environment was frozen.
            if not _is_readable(line):
                return line
            line.close()
        if self._trust is None:
            return HTTPConnection(self._host, self._port, timeout=self._seconds)
        return HTTPSConnection(
            self._host, self._port, timeout=self._seconds, context=self._trust
        )


def _is_readable(line: HTTPConnection) -> bool:
    if line.sock is None:
        return False
    looking = select.poll()
    looking.register(line.sock, select.POLLIN)
    return bool(looking.poll(0))


def _bytes(body: str | bytes) -> bytes:
    # Left as a text, it would be written in Latin 1.
    return body.encode() if isinstance(body, str) else body

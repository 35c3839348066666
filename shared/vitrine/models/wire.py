"""One JSON request to a provider, and every way it fails as a ``ModelFailure``.

A call ends within its seconds of wall clock, whatever the provider drips. The key
travels in one header and stands in no message.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Timer
from typing import TYPE_CHECKING, Any

import urllib3
from urllib3.exceptions import HTTPError

from vitrine.models.chat import ModelFailure

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

CONNECT = 3.0
"""Seconds to reach the provider, half of a shorter call: the rest is the model's."""
MAX_BODY = 4 * 1024 * 1024
"""Bytes of a reply that are read: a cut one is no JSON, and so a broken reply."""
TOO_MANY = 429
SERVER = 500


@dataclass(frozen=True, slots=True)
class Line:
    """A provider's address, and the key that opens it."""

    key: str = field(repr=False)
    base: str
    http: urllib3.PoolManager = field(repr=False)

    def post(
        self, path: str, asked: Mapping[str, Any], *, seconds: float
    ) -> tuple[int, bytes]:
        """Give the status and the body within ``seconds``, retrying nothing."""
        ends = time.monotonic() + seconds
        try:
            response = self.http.request(
                "POST",
                self.base.rstrip("/") + path,
                # A lone surrogate in a person's text has no bytes of its own.
                body=json.dumps(asked, ensure_ascii=False).encode(errors="replace"),
                headers={
                    "Authorization": f"Bearer {self.key}",
                    "Content-Type": "application/json",
                },
                timeout=urllib3.Timeout(
                    connect=min(CONNECT, seconds / 2), total=seconds
                ),
                retries=False,
                preload_content=False,
            )
            with _ending(response, ends):
                body = response.read(MAX_BODY)
        except HTTPError as error:
            raise ModelFailure("transport", type(error).__name__) from error
        # A body that was cut may still read as a whole one: the clock decides.
        if time.monotonic() >= ends:
            raise ModelFailure("transport", "The reply took too long.")
        return response.status, body


def check(status: int) -> None:
    """Raise what a status tells, unless it tells of success."""
    if status == TOO_MANY:
        raise ModelFailure("busy", "The provider is busy.")
    if status >= SERVER:
        raise ModelFailure("transport", f"The provider answered {status}.")
    if status != 200:  # noqa: PLR2004 - HTTP's own number
        raise ModelFailure("refused", f"The provider answered {status}.")


def decoded(body: bytes) -> Mapping[str, Any]:
    """Read a reply's JSON object."""
    try:
        document = json.loads(body)
    except ValueError as error:
        raise ModelFailure("broken", "The reply is no JSON.") from error
    if not isinstance(document, Mapping):
        raise ModelFailure("broken", "The reply is no object.")
    return document


def whole(value: object) -> int:
    """Read a count of tokens; what is none counts as zero."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


@contextmanager
def _ending(response: BaseHTTPResponse, ends: float) -> Iterator[None]:
    """End a body that drips: a socket's own timeout starts anew with each byte."""
    watch = Timer(max(0.0, ends - time.monotonic()), _cut, (response,))
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()
        response.release_conn()


def _cut(response: BaseHTTPResponse) -> None:
    # the response may have ended between the timer's start and now
    with suppress(ValueError, RuntimeError, OSError):
        response.shutdown()

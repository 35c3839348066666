"""How a command reaches a running stack: a run file, and a port that asks for its key.

`run` writes the file into the user's private folder; `token` and `invoke` read it.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from infra.local import folders
from infra.local.runtime import FunctionError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from pathlib import Path

    from infra.local.host import Receive, Scope, Send
    from infra.local.issuer import Issuer

PATTERN = "stack-*.json"
CALL_SECONDS = 60


class NoStack(RuntimeError):  # noqa: N818 - reads as the sentence it is
    """No stack of this user is running."""


class OrderRefused(RuntimeError):  # noqa: N818 - reads as the sentence it is
    """The running stack could not do what it was told."""


@dataclass(frozen=True, slots=True)
class RunFile:
    """What a command needs to know of a running stack."""

    pid: int
    url: str
    issuer: str
    control: str
    key: str

    def ask(self, path: str, body: Any) -> Any:
        """Send an order to the stack and return its answer."""
        request = urllib.request.Request(  # noqa: S310 - our own loopback URL
            f"{self.control}{path}",
            json.dumps(body).encode(),
            {"authorization": f"Bearer {self.key}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=CALL_SECONDS) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise OrderRefused(error.read().decode(errors="replace")) from error


class Control:
    """The orders that a running stack takes from its own user."""

    def __init__(
        self,
        issuer: Issuer,
        invoke: Callable[[str, Any], Awaitable[Any]],
        link: Callable[..., str],
        desk: Callable[[], Mapping[str, str]],
    ) -> None:
        """Mint by the issuer, invoke by `invoke`, make consent's links by `link`.

        `desk` gives the environment of who publishes from this machine.
        """
        self.key = secrets.token_urlsafe(24)
        self.visitor: Mapping[str, Any] = {}
        self._issuer = issuer
        self._invoke = invoke
        self._link = link
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry out one order."""
        request = Request(scope, receive)
        given = request.headers.get("authorization", "")
        if hmac.compare_digest(given, f"Bearer {self.key}"):
            answer = await self._obey(request.url.path, await request.json())
        else:
            answer = Response("the run file's key is needed", 401)
        await answer(scope, receive, send)

    async def _obey(self, path: str, body: Any) -> Response:
        _, order, *rest = path.split("/")
        if order == "token":
            return JSONResponse(self._issuer.token(**(body or self.visitor)))
        if order == "consent":
            return JSONResponse(self._link(**body))
        if order == "desk":
            return JSONResponse(dict(self._desk()))
        if order != "invoke" or not rest:
            return Response(f"no such order: {path}", 404)
        try:
            return JSONResponse(await self._invoke(rest[0], body))
        except FunctionError as error:
            return Response(str(error), error.status)


@contextlib.contextmanager
def announced(run: RunFile) -> Iterator[Path]:
    """Keep the run file, readable by its user alone, while the stack runs."""
    path = folders.private() / f"stack-{run.pid}.json"
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as target:
        json.dump(asdict(run), target)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # another stack's file is in it
            path.parent.rmdir()


def newest() -> RunFile:
    """Return the youngest running stack; drop the files of those that were killed."""
    paths = folders.private().glob(PATTERN)
    for path in sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True):
        run = RunFile(**json.loads(path.read_text()))
        if _alive(run.pid):
            return run
        path.unlink(missing_ok=True)
    raise NoStack("no stack is running; start one with `make run`")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

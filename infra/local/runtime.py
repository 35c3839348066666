"""A function's environment: one process under AWS's own runtime client.

The process polls us for its next event, as in the cloud, and posts its answer.
Everything here runs on the host's loop, so no state needs a lock.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
import uuid
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from infra.local.aws import ACCOUNT, REGION
from infra.local.child import Child

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from infra.local.host import Receive, Scope, Send
    from infra.local.template import Function

API = "/2018-06-01/runtime"
# Lambda allows ten; two shared cores may start six functions at once.
INIT_SECONDS = 30.0
ACCEPTED = 202
GONE = 410


class FunctionError(Exception):
    """A function gave no answer; `status` is what the gateway says of it."""

    def __init__(self, status: int, reason: str) -> None:
        """Keep the status for HTTP and the reason for people."""
        super().__init__(reason)
        self.status = status


@dataclass(eq=False, slots=True)
class _Call:
    """One event on its way to the function and back."""

    payload: bytes
    answer: asyncio.Future[Any]
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def settle(self, answer: Any) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)

    def fail(self, status: int, reason: str) -> None:
        if not self.answer.done():
            self.answer.set_exception(FunctionError(status, reason))


class Environment:
    """The one process of a function, started on its first event."""

    def __init__(
        self,
        function: Function,
        log: Path,
        environ: Callable[[Function, Environment], dict[str, str]],
    ) -> None:
        """Prepare; `environ` is asked at each start of the process."""
        self.function = function
        self.log = log
        self.port = 0
        self._environ = environ
        self._waiting: deque[_Call] = deque()
        self._current: _Call | None = None
        self._poll: asyncio.Future[_Call] | None = None
        self._child: Child | None = None
        self._minder: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._ending = False
        self._closed = False
        self._threads = ThreadPoolExecutor(1, thread_name_prefix=function.name)

    async def invoke(self, event: Any) -> Any:
        """Return the function's answer to an event, or raise FunctionError."""
        if self._closed:
            raise FunctionError(503, "the stack is stopping")
        loop = asyncio.get_running_loop()
        call = _Call(json.dumps(event).encode(), loop.create_future())
        self._waiting.append(call)
        self._advance()
        return await call.answer

    async def close(self) -> None:
        """Answer everybody who waits, and end the process."""
        self._closed = True
        self._fail(503, "the stack is stopping")
        if self._poll and not self._poll.done():
            self._poll.cancel()
        if self._child:
            self._child.release()
        if self._minder:
            await self._minder
        self._threads.shutdown()

    async def retire(self) -> None:
        """End the idle process, so that the next event meets a fresh one."""
        if self._child is None:
            return
        self._ending = True
        self._child.release()
        if self._minder:
            await self._minder

    def _advance(self) -> None:
        """Start the process or hand it the next event, whatever is due."""
        if self._closed or self._ending or not self._waiting:
            return
        if self._child is None:
            self._start()
        elif self._poll and not self._poll.done() and self._current is None:
            self._current = self._waiting.popleft()
            self._poll.set_result(self._current)
            self._set_timer(self.function.timeout, "Task timed out")

    def _start(self) -> None:
        try:
            self._child = self._spawn()
        except OSError as error:
            self._fail(502, f"the function can't be started: {error}")
            return
        self._set_timer(INIT_SECONDS, "Initialisation timed out")
        self._minder = asyncio.create_task(self._mind(self._child))

    def _spawn(self) -> Child:
        function = self.function
        return Child(
            [sys.executable, "-m", "awslambdaric", function.handler],
            self.log,
            ending=signal.SIGKILL,
            env=self._environ(function, self),
            cwd=function.code,
        )

    async def _mind(self, child: Child) -> None:
        """Wait for the end of the process, then tidy up and go on."""
        loop = asyncio.get_running_loop()
        code = await loop.run_in_executor(self._threads, child.wait)
        child.end()
        begun = self._poll is not None
        self._child, self._poll, self._ending = None, None, False
        if self._current:
            self._finish().fail(502, f"the function exited with code {code}")
        elif not begun:
            self._fail(502, f"the function exited with code {code} at start")
        self._set_timer(None)
        self._advance()

    def _set_timer(self, seconds: float | None, reason: str = "") -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None
        if seconds:
            late = f"{reason} after {seconds:g} s"
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, self._expire, late)

    def _expire(self, reason: str) -> None:
        """Answer the late call, or all of them at a late start, and end the process."""
        if self._current:
            self._finish().fail(504, reason)
        else:
            self._fail(504, reason)
        self._ending = True
        if self._child:
            self._child.release()

    def _finish(self) -> _Call:
        call, self._current = self._current, None
        self._set_timer(None)
        if call is None:
            raise LookupError("no call is running")
        return call

    def _fail(self, status: int, reason: str) -> None:
        """Fail every call, running and waiting."""
        calls = [self._finish()] if self._current else []
        calls += self._waiting
        self._waiting.clear()
        for call in calls:
            call.fail(status, reason)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the Runtime API to the process."""
        request = Request(scope, receive)
        path = request.url.path.removeprefix(API)
        if path == "/invocation/next":
            answer = await self._next(request)
        else:
            answer = self._take(path, await request.body())
        await answer(scope, receive, send)

    async def _next(self, request: Request) -> Response:
        """Hold the poll until there is an event, or the process is gone."""
        poll: asyncio.Future[_Call] = asyncio.get_running_loop().create_future()
        self._poll = poll
        if self._current is None:
            self._set_timer(None)
        self._advance()
        gone = asyncio.create_task(_disconnected(request))
        either: set[asyncio.Future[Any]] = {poll, gone}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if not poll.done() or poll.cancelled():
            poll.cancel()
            return Response(status_code=GONE)
        return self._handed(poll.result())

    def _handed(self, call: _Call) -> Response:
        deadline = int((time.time() + self.function.timeout) * 1000)
        arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.function.name}"
        headers = {
            "Lambda-Runtime-Aws-Request-Id": call.id,
            "Lambda-Runtime-Deadline-Ms": str(deadline),
            "Lambda-Runtime-Invoked-Function-Arn": arn,
        }
        return Response(call.payload, 200, headers, "application/json")

    def _take(self, path: str, body: bytes) -> Response:
        """Take an answer or an error from the process."""
        if path == "/init/error":
            self._fail(502, f"the function failed to start: {_reason(body)}")
            return JSONResponse({}, ACCEPTED)
        call = self._current
        if call and path == f"/invocation/{call.id}/response":
            self._finish().settle(json.loads(body))
        elif call and path == f"/invocation/{call.id}/error":
            self._finish().fail(502, f"the function failed: {_reason(body)}")
        else:
            return JSONResponse({"errorType": "InvalidRequestID"}, 400)
        return JSONResponse({}, ACCEPTED)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _reason(body: bytes) -> str:
    """Return what the runtime client says of an exception."""
    try:
        told = json.loads(body)
    except ValueError:
        return body.decode(errors="replace")
    return f"{told.get('errorType')}: {told.get('errorMessage')}"

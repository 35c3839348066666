"""One event loop in one thread, serving ASGI applications on loopback ports.

The port is what tells a function's Runtime API calls from its neighbour's: the
runtime client takes a host and a port, and no path.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import TYPE_CHECKING, TypeVar

import uvicorn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
    from typing import Any

    Scope = MutableMapping[str, Any]
    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Application = Callable[[Scope, Receive, Send], Awaitable[None]]

Answer = TypeVar("Answer")
LOOPBACK = "127.0.0.1"
GRACE_SECONDS = 2
BACKLOG = 256


class Host:
    """The thread, its loop, and the applications that it serves."""

    def __init__(self) -> None:
        """Prepare; nothing is served before `start`."""
        self._applications: dict[int, Application] = {}
        self._sockets: list[socket.socket] = []
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="host", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server = uvicorn.Server(
            uvicorn.Config(
                self._dispatch,
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
                backlog=BACKLOG,
            )
        )

    def mount(self, application: Application) -> int:
        """Bind a free port for an application and return it; only before `start`."""
        # asyncio switches Nagle off only where the protocol is named: 40 ms a call
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind((LOOPBACK, 0))
        self._sockets.append(listener)
        port = int(listener.getsockname()[1])
        self._applications[port] = application
        return port

    def start(self) -> None:
        """Serve every mounted application."""
        self._thread.start()
        self._started.wait()

    @property
    def running(self) -> bool:
        """Tell whether the loop is there to run anything."""
        return self._loop is not None

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Run a coroutine on the loop from another thread and return its answer."""
        if self._loop is None:
            work.close()
            raise RuntimeError("the host is not running")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def stop(self) -> None:
        """Close the ports and end the thread."""
        if self._loop is not None:
            self._server.should_exit = True
            self._thread.join()
            self._loop = None
        for listener in self._sockets:
            listener.close()

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._applications[scope["server"][1]](scope, receive, send)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        for listener in self._sockets:
            listener.listen(BACKLOG)  # a call made before serving waits in line
        self._started.set()
        await self._server.serve(self._sockets)

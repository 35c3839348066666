"""Real clients against the product itself: list, call, page, compare, be refused.

The Inspector's command line and both TypeScript clients come from npm, the official
Python client and LangChain's adapters from PyPI: pinned ones, and what is the latest
today. Each in the eras that it speaks; each says what it could not do.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.conformance import kits
from infra.conformance.kits import Kit
from infra.local.seed import VISITOR, seed
from infra.local.stack import Stack

HERE = Path(__file__).parent
SECONDS = 120
TOOL = "search_media"
COMPARE = "get_media"
PAGE = 2
"""Documents of a page: who pages is shown more."""
REFUSED = {"limit": 50}
REFUSAL = 5
"""The Inspector's exit where a tool answers with an error."""
ERAS = ("modern", "legacy", "auto")
MODERN = "2026-07-28"
FIRST = " ".join(
    f"{kits.TYPESCRIPT}/client/{part}.js" for part in ("index", "streamableHttp")
)
NEGOTIATED = {"auto": "auto", "legacy": "legacy", "modern": {"pin": MODERN}}
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True, slots=True)
class Door:
    """Where clients enter; each comes as somebody else, for its pace is its own."""

    stack: Stack

    @property
    def url(self) -> str:
        """Give the endpoint."""
        return f"{self.stack.url}/mcp"

    def environ(self, user: str, **more: str) -> dict[str, str]:
        """Give a client's environment, with a token of its own."""
        token = self.stack.token(**{**VISITOR, "user": user})
        return os.environ | {"TOKEN": token, "URL": self.url} | more


def run(bin_: Path, build: Path) -> list[str]:
    """Let every client in; list what did not go as it should."""
    pinned = kits.pinned(bin_, build)
    with Stack() as stack, tempfile.TemporaryDirectory() as folder:
        seed(stack)
        door = Door(stack)
        faults = visits(pinned, door)
        try:
            newest = kits.latest(Path(folder), pinned)
        except kits.Unreachable as absent:
            print(f"latest: left out, {absent}")
            return faults
        return [*faults, *visits(newest, door)]


def visits(kit: Kit, door: Door) -> list[str]:
    """Let one set of clients in."""
    print(f"{kit.name}: {kit.versions()}", flush=True)
    parts = (inspector, official, typescript, adapters)
    return [f"{kit.name} {fault}" for part in parts for fault in part(kit, door)]


def inspector(kit: Kit, door: Door) -> Iterator[str]:
    """List, page, compare and be refused from the Inspector's command line."""
    for era in ERAS:
        look = _Inspector(kit, era, door)
        listed = look.run("tools/list", "--strict")
        if listed.returncode or TOOL not in listed.stdout:
            yield f"inspector {era}: tools/list exited {listed.returncode}"
        found = look.call(TOOL, {"query": "mer", "limit": PAGE})
        if (told := _structured(found)) is None:
            yield f"inspector {era}: tools/call exited {found.returncode}"
            continue
        cursor = told["next_cursor"]
        again = look.call(TOOL, {"query": "mer", "limit": PAGE, "cursor": cursor})
        refs = [hit["ref"] for hit in told["hits"]]
        refs += [hit["ref"] for hit in (_structured(again) or {"hits": ()})["hits"]]
        compared = _structured(look.call(COMPARE, {"refs": refs[:2]}))
        bad = look.call(TOOL, REFUSED)
        yield from judged(
            f"inspector {era}",
            {
                "tools": [TOOL],
                "refs": refs,
                "compared": [hit["ref"] for hit in (compared or {"hits": ()})["hits"]],
                "refused": bad.returncode == REFUSAL
                and "10" in bad.stdout + bad.stderr,
            },
        )


@dataclass(frozen=True, slots=True)
class _Inspector:
    """The command line, in one era."""

    kit: Kit
    era: str
    door: Door

    def call(self, tool: str, given: Any) -> Done:
        """Call a tool."""
        named = ("--tool-name", tool, "--tool-args-json", json.dumps(given))
        return self.run("tools/call", *named)

    def run(self, method: str, *more: str) -> Done:
        """Run one method."""
        kit = self.kit
        environ = self.door.environ(f"inspector-{kit.name}-{self.era}")
        command: list[str | Path] = [kit.bin_ / "node", kit.bin_ / "mcp-inspector"]
        command += ["--cli", self.door.url, "--transport", "http"]
        command += ["--protocol-era", self.era, "--stored-auth-only"]
        command += ["--format", "json", "--method", method, *more]
        command += ["--header", f"Authorization: Bearer {environ['TOKEN']}"]
        return _ran(command, kit.folder, environ | {"HOME": str(kit.folder)})


def _structured(done: Done) -> dict[str, Any] | None:
    """Read a call's data off what the Inspector prints, None where there is none."""
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return None
    # Some versions print the result alone, others within an envelope.
    found = result.get("structuredContent") or result.get("result", {}).get(
        "structuredContent"
    )
    return found if found and "hits" in found else None


def official(kit: Kit, door: Door) -> Iterator[str]:
    """Let the official Python client in, in each mode that it has."""
    for mode in ("auto", "legacy", MODERN):
        environ = door.environ(f"python-{kit.name}-{mode}", MODE=mode)
        command: list[str | Path] = [kit.official, HERE / "visit.py"]
        yield from _told(f"python client {mode}", _ran(command, kit.folder, environ))


def typescript(kit: Kit, door: Door) -> Iterator[str]:
    """Let the official TypeScript client in: its first life, and its second."""
    command: list[str | Path] = [kit.bin_ / "node", HERE / "client.mjs"]
    environ = door.environ(f"sdk-{kit.name}", PARTS=FIRST)
    yield from _told("typescript sdk", _ran(command, kit.folder, environ))
    for name, mode in NEGOTIATED.items():
        options = json.dumps({"versionNegotiation": {"mode": mode}})
        more = {"PARTS": kits.MODERN, "OPTIONS": options}
        environ = door.environ(f"client-{kit.name}-{name}", **more)
        yield from _told(
            f"typescript client {name}", _ran(command, kit.folder, environ)
        )


PROGRAM = r"""
import asyncio, json, os, re
from langchain_mcp_adapters.client import MultiServerMCPClient

def named(lines):
    return re.findall(r"\b[a-z2-7]{26}\b", lines)

async def main():
    headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
    server = {"transport": "streamable_http", "url": os.environ["URL"]}
    client = MultiServerMCPClient({"vitrine": server | {"headers": headers}})
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def lines(name, given):
        return str(await tools[name].ainvoke(given))

    asked = {"query": "mer", "limit": 2}
    first = await lines("search_media", asked)
    cursor = re.search(r"next_cursor: ([\w-]+)", first)[1]
    second = await lines("search_media", asked | {"cursor": cursor})
    refs = [ref for page in (first, second) for ref in named(page)]
    compared = await lines("get_media", {"refs": refs[:2]})
    try:
        refused = await lines("search_media", {"limit": 50})
    except Exception as error:
        refused = str(error)
    told = {"tools": sorted(tools), "refs": refs}
    told["compared"] = named(compared)[:2]
    told["refused"] = "10 results are the most" in refused
    print(json.dumps(told))

asyncio.run(main())
"""
"""LangChain gives a model the lines alone, so that it is by these that it pages."""


def adapters(kit: Kit, door: Door) -> Iterator[str]:
    """Let an agent of LangChain's in."""
    environ = door.environ(f"langchain-{kit.name}")
    command: list[str | Path] = [kit.adapters, "-c", PROGRAM]
    yield from _told("langchain", _ran(command, kit.folder, environ))


def _ran(command: list[str | Path], folder: Path, environ: Mapping[str, str]) -> Done:
    return subprocess.run(
        command,
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def _told(name: str, done: Done) -> Iterator[str]:
    """Read what a client's program tells on its last line, and judge it."""
    if done.returncode:
        yield f"{name}: {done.stderr.strip()[-300:]}"
        return
    yield from judged(name, json.loads(done.stdout.splitlines()[-1]))


def judged(name: str, told: Mapping[str, Any]) -> Iterator[str]:
    """Say what a client should have been able to do and was not."""
    refs = told["refs"]
    if TOOL not in told["tools"]:
        yield f"{name}: {TOOL} is not listed"
    if len(refs) <= PAGE or len(set(refs)) != len(refs):
        yield f"{name}: a page is missing or repeats the one before"
    if told["compared"] != refs[:2]:
        yield f"{name}: two documents were not compared"
    if not told["refused"]:
        yield f"{name}: a refusal is no error that names the limit"

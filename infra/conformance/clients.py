"""Real clients against the product itself: list, call, page, compare, be refused.

The Inspector's command line and the TypeScript client come from npm, LangChain's
adapters from PyPI into an environment of their own; the official Python client is the
project's own. Each says what it could not do; none is a dependency of the product.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from infra.local.seed import VISITOR, seed
from infra.local.stack import Stack

ADAPTERS = "langchain-mcp-adapters==0.3.2"
SECONDS = 120
TOOL = "search_media"
REFUSED = {"limit": 50}
REFUSAL = 5
"""The Inspector's exit where a tool answers with an error."""
ERAS = ("modern", "legacy", "auto")


@dataclass(frozen=True, slots=True)
class Door:
    """Where a client enters, and with what."""

    url: str
    token: str


def run(bin_: Path, build: Path) -> list[str]:
    """Let every client in; list what did not go as it should."""
    with Stack() as stack:
        seed(stack)
        token = stack.token(**{**VISITOR, "user": "camille"})
        door = Door(f"{stack.url}/mcp", token)
        return [
            *inspector(bin_, build, door),
            *official(door),
            *typescript(bin_, build, door),
            *langchain(build, door),
        ]


def inspector(bin_: Path, build: Path, door: Door) -> Iterator[str]:
    """List, call and be refused from the Inspector's command line, in each era."""
    for era in ERAS:
        listed = _inspect(bin_, build, door, era, "tools/list", "--strict")
        if listed.returncode or TOOL not in listed.stdout:
            yield f"inspector {era}: tools/list exited {listed.returncode}"
        good = _call(bin_, build, door, era, {"query": "mer", "limit": 2})
        if good.returncode or "next_cursor" not in good.stdout:
            yield f"inspector {era}: tools/call exited {good.returncode}"
        bad = _call(bin_, build, door, era, REFUSED)
        if bad.returncode != REFUSAL or "10" not in bad.stdout + bad.stderr:
            yield f"inspector {era}: a refusal exited {bad.returncode}"


Done = subprocess.CompletedProcess[str]


def _call(bin_: Path, build: Path, door: Door, era: str, given: Any) -> Done:
    named = ("--tool-name", TOOL, "--tool-args-json", json.dumps(given))
    return _inspect(bin_, build, door, era, "tools/call", *named)


def _inspect(
    bin_: Path, build: Path, door: Door, era: str, method: str, *more: str
) -> Done:
    command: list[str | Path] = [bin_ / "node", bin_ / "mcp-inspector", "--cli"]
    command += [door.url, "--transport", "http", "--protocol-era", era]
    command += ["--stored-auth-only", "--format", "json", "--method", method, *more]
    command += ["--header", f"Authorization: Bearer {door.token}"]
    return subprocess.run(
        command,
        cwd=build,
        env=os.environ | {"HOME": str(build)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def official(door: Door) -> Iterator[str]:
    """List, page, compare and be refused with the official Python client."""

    async def visit() -> list[str]:
        headers = {"authorization": f"Bearer {door.token}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            wire = streamable_http_client(door.url, http_client=http)
            async with Client(wire) as client:
                return [fault async for fault in _visited(client)]

    yield from anyio.run(visit)


async def _visited(client: Client) -> Any:
    names = {tool.name for tool in (await client.list_tools()).tools}
    if TOOL not in names:
        yield f"python client: {TOOL} is not listed"
    asked: dict[str, Any] = {"query": "mer", "limit": 2}
    first = _data(await client.call_tool(TOOL, asked))
    more = asked | {"cursor": first["next_cursor"]}
    second = _data(await client.call_tool(TOOL, more))
    refs = [hit["ref"] for page in (first, second) for hit in page["hits"]]
    if len(set(refs)) != len(refs):
        yield "python client: a page repeats the one before"
    compared = _data(await client.call_tool("get_media", {"refs": refs[:2]}))
    if [hit["ref"] for hit in compared["hits"]] != refs[:2]:
        yield "python client: two documents were not compared"
    refused = await client.call_tool(TOOL, REFUSED)
    if not refused.is_error:
        yield "python client: a refusal is no error"


def _data(result: Any) -> Mapping[str, Any]:
    return dict(result.structured_content or {})


def typescript(bin_: Path, build: Path, door: Door) -> Iterator[str]:
    """List, page, compare and be refused with the official TypeScript client."""
    done = subprocess.run(
        [bin_ / "node", Path(__file__).with_name("client.mjs")],
        cwd=build,
        env=os.environ | {"TOKEN": door.token, "URL": door.url},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        yield f"typescript client: {done.stderr.strip()[-300:]}"
        return
    told = json.loads(done.stdout.splitlines()[-1])
    refs = told["refs"]
    if TOOL not in told["tools"] or len(set(refs)) != len(refs) or len(refs) <= 2:
        yield "typescript client: a page is missing or repeats the one before"
    if told["compared"] != refs[:2]:
        yield "typescript client: two documents were not compared"
    if not told["refused"]:
        yield "typescript client: a refusal is no error"


PROGRAM = """
import asyncio, json, os, sys
from langchain_mcp_adapters.client import MultiServerMCPClient

async def main():
    headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
    server = {"transport": "streamable_http", "url": os.environ["URL"]}
    client = MultiServerMCPClient({"vitrine": server | {"headers": headers}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    search = tools["search_media"]
    found = str(await search.ainvoke({"query": "mer", "limit": 2}))
    try:
        refused = str(await search.ainvoke({"limit": 50}))
    except Exception as error:
        refused = str(error)
    told = {"tools": sorted(tools), "found": found, "refused": refused}
    print(json.dumps(told))

asyncio.run(main())
"""


def langchain(build: Path, door: Door) -> Iterator[str]:
    """List, call and be refused through LangChain's adapters."""
    python = _environment(build / "adapters")
    done = subprocess.run(
        [python, "-c", PROGRAM],
        env=os.environ | {"TOKEN": door.token, "URL": door.url},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        yield f"langchain: {done.stderr.strip()[-300:]}"
        return
    told = json.loads(done.stdout.splitlines()[-1])
    checks: dict[str, Callable[[], bool]] = {
        "the tool is not listed": lambda: TOOL in told["tools"],
        "nothing was found": lambda: "ref" in told["found"],
        "the refusal does not name the limit": lambda: "10" in told["refused"],
    }
    yield from (f"langchain: {why}" for why, holds in checks.items() if not holds())


def _environment(folder: Path) -> Path:
    """Make the adapters' own environment once."""
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, clear=True, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", ADAPTERS]
        subprocess.run(install, check=True, stdout=sys.stderr)
        (folder / "ready").touch()
    return python

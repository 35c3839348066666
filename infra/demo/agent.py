"""An AI agent's side: the official MCP client, in plain calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

SECONDS = 30
"""A cold function on a busy machine is late, not lost."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Agent:
    """Somebody's agent: the address of the endpoint and the token it was given."""

    url: str
    token: str

    def tools(self) -> list[str]:
        """List the tools that the token covers."""

        async def listed(client: Client) -> list[str]:
            return [tool.name for tool in (await client.list_tools()).tools]

        return self._run(listed)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool."""

        async def called(client: Client) -> CallToolResult:
            return await client.call_tool(tool, arguments)

        return self._run(called)

    def _run(self, act: Callable[[Client], Awaitable[Result]]) -> Result:
        async def connected() -> Result:
            headers = {"authorization": f"Bearer {self.token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
                wire = streamable_http_client(self.url, http_client=http)
                async with Client(wire) as client:
                    return await act(client)

        return anyio.run(connected)

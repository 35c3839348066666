"""The official Python client, alone: list, page, compare, be refused.

Run by an interpreter that holds the client and nothing of ours; the last line is JSON.
"""

from __future__ import annotations

import json
import os
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

SECONDS = 30
"""A cold function on a busy machine is late, not lost."""


async def visited(client: Client) -> dict[str, Any]:
    """Do what an agent does, and tell it."""
    listed = (await client.list_tools()).tools
    asked: dict[str, Any] = {"query": "mer", "limit": 2}
    first = _data(await client.call_tool("search_media", asked))
    more = asked | {"cursor": first["next_cursor"]}
    second = _data(await client.call_tool("search_media", more))
    refs = [hit["ref"] for page in (first, second) for hit in page["hits"]]
    compared = _data(await client.call_tool("get_media", {"refs": refs[:2]}))
    refused: Any = await client.call_tool("search_media", {"limit": 50})
    return {
        "tools": [tool.name for tool in listed],
        "refs": refs,
        "compared": [hit["ref"] for hit in compared["hits"]],
        "refused": refused.is_error and "10" in refused.content[0].text,
    }


def _data(result: Any) -> dict[str, Any]:
    return dict(result.structured_content or {})


async def main() -> None:
    """Enter with the environment's token, in its era."""
    headers = {"authorization": f"Bearer {os.environ['TOKEN']}"}
    mode: Any = os.environ["MODE"]
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
        wire = streamable_http_client(os.environ["URL"], http_client=http)
        async with Client(wire, mode=mode) as client:
            print(json.dumps(await visited(client)))


if __name__ == "__main__":
    anyio.run(main)

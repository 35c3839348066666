"""The one client of an environment, and the one way to put searches to it.

A client costs tens of milliseconds to build (a TLS context), so it is built once.
The library waits 15 s for a server that does not answer; we wait two at most.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
from typesense import Client
from typesense.configuration import ConfigDict
from typesense.exceptions import TypesenseClientError
from typesense.sync.collection import Collection
from typesense.types.multi_search import MultiSearchRequestSchema

from vitrine.problems import Unavailable

TIMEOUT = 2.0
RETRIES = 1
PAUSE = 0.05
MOST_SEARCHES = 50
"""Searches of one request (the server's ``limit_multi_searches``)."""
_PORTS = {"http": 80, "https": 443}


def connect(
    url: str, key: str, *, http: httpx.Client | None = None, timeout: float = TIMEOUT
) -> Client:
    """Build the client for a server; ``http`` shares a connection pool."""
    parts = urlsplit(url)
    config: ConfigDict = {
        "nodes": [
            {
                "host": parts.hostname or "",
                "port": parts.port or _PORTS[parts.scheme],
                "path": parts.path.rstrip("/"),
                "protocol": parts.scheme,
            }
        ],
        "api_key": key,
        "connection_timeout_seconds": timeout,
        "num_retries": RETRIES,
        "retry_interval_seconds": PAUSE,
    }
    with _unwarned():
        return Client(config, http)


def collection(client: Client, name: str) -> Collection[Any]:
    """Give one collection of the client."""
    with _unwarned():
        return client.collections[name]


@contextmanager
def _unwarned() -> Iterator[None]:
    """Let the client build the parts of its own that it calls deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def perform(
    client: Client, searches: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Put searches in one POST (per 50); raise ``Unavailable`` if one has no answer."""
    starts = range(0, len(searches), MOST_SEARCHES)
    return [r for s in starts for r in _post(client, searches[s : s + MOST_SEARCHES])]


def _post(
    client: Client, searches: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Post once; errors inside come with HTTP 200, so each result is read."""
    body = cast("MultiSearchRequestSchema", {"searches": list(searches)})
    try:
        results = client.multi_search.perform(body)["results"]
    except (TypesenseClientError, httpx.HTTPError) as error:
        raise Unavailable("The search engine does not answer.") from error
    for result in results:
        if "error" in result or "found" not in result:
            code = cast("Mapping[str, Any]", result).get("code")
            raise Unavailable("The search engine refused a search.") from RuntimeError(
                f"code {code}: {cast('Mapping[str, Any]', result).get('error')}"
            )
    return cast("list[Mapping[str, Any]]", results)

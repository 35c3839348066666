"""Each search as a key of its own: the server lets its bearer run it and no other.

All parameters are inside of the key, which ends soon; the key that it is made from
never travels. It may search and nothing else, or the server refuses what is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from typesense import Client

LIFE = 60
"""Seconds for which a search may be sent."""
# What a search does not say must be said in a key, or its bearer may say it.
_UNSAID: Mapping[str, Any] = {
    "facet_by": "",
    "facet_query": "",
    "group_by": "",
    "infix": "off",
    "vector_query": "",
    "query_by_weights": "",
    "max_facet_values": 10,
}
Search = dict[str, Any]
Seal = Callable[[Search], Search]


def sealer(client: Client, key: str, seconds: Callable[[], float]) -> Seal:
    """Make what seals a search; ``seconds`` is the clock since 1970."""

    def seal(search: Search) -> Search:
        inside: Any = {**_UNSAID, **search, "expires_at": int(seconds()) + LIFE}
        made = client.keys.generate_scoped_search_key(key, inside)
        return {
            "collection": search["collection"],
            "x-typesense-api-key": made.decode() if isinstance(made, bytes) else made,
        }

    return seal

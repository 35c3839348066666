"""What a secret opens: a model, an engine, a writer; and the one public fetch.

Each is imported where it is opened, so that a function loads no client that it never
asks.
"""

from __future__ import annotations

import time
from base64 import b64decode
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

import urllib3

from vitrine.models.chat import Chat
from vitrine.models.openrouter import BASE, MODEL, OpenRouter

if TYPE_CHECKING:
    from vitrine.postgres.notes import Notes
    from vitrine.search.engine import Sampler
    from vitrine.typesense.changes import Writer
    from vitrine.typesense.search import Typesense
    from vitrine.typesense.version import Version

NOBODY = "sealed"
"""What stands where a client's own key would."""
WRITING = 20.0
"""Seconds that a writer waits for the search engine."""
_FETCHING = urllib3.Timeout(connect=1.0, read=2.0)
_OK = 200


def fetched(url: str) -> bytes:
    """Get a public document; raise ``OSError`` for any other answer than 200."""
    try:
        # No redirect: the address was checked, where it leads to was not.
        answer = urllib3.request(
            "GET", url, timeout=_FETCHING, retries=False, redirect=False
        )
    except urllib3.exceptions.HTTPError as error:
        raise OSError(url) from error
    if answer.status != _OK:
        message = f"{url} answered {answer.status}"
        raise OSError(message)
    return answer.data


def chat(kept: Mapping[str, str]) -> Chat | None:
    """Open a model behind an address, None where the secret holds no key."""
    if not kept.get("key"):
        return None
    base, model = kept.get("base_url") or BASE, kept.get("model") or MODEL
    return OpenRouter(kept["key"], base, model)


def typesense(kept: Mapping[str, str]) -> Typesense:
    """Open the engine, each of whose searches is sealed."""
    from vitrine.typesense.client import connect  # noqa: PLC0415 - only where used
    from vitrine.typesense.sealing import sealer  # noqa: PLC0415 - only where used
    from vitrine.typesense.search import Typesense  # noqa: PLC0415 - only where used

    # The key that searches are sealed with never travels; the client has none.
    client = connect(kept["url"], NOBODY)
    return Typesense(client, sealer(client, kept["key"], time.time), _version(kept))


def _version(kept: Mapping[str, str]) -> Version:
    """Ask for the server's version where a key is kept that may; else the oldest."""
    from vitrine.typesense.client import connect  # noqa: PLC0415 - only where used
    from vitrine.typesense.version import FLOOR, version_of  # noqa: PLC0415 - the same

    if not kept.get("debug_key"):
        return FLOOR
    client = connect(kept["url"], kept["debug_key"])
    with closing(client.api_call):
        return version_of(client)


def writer(kept: Mapping[str, str]) -> Writer:
    """Open what writes into the public collections."""
    from vitrine.typesense.changes import Writer  # noqa: PLC0415 - only where used
    from vitrine.typesense.client import connect  # noqa: PLC0415 - only where used

    client = connect(kept["url"], kept["key"], timeout=WRITING)
    return Writer(client, b64decode(kept["id_key"]))


def notes(dsn: str) -> Notes:
    """Open what writes notes."""
    from vitrine.postgres.line import connector  # noqa: PLC0415 - only where used
    from vitrine.postgres.notes import Notes  # noqa: PLC0415 - only where used

    return Notes(connector(dsn))


def patient(dsn: str) -> Sampler:
    """Open what observes a database, with a schedule's patience."""
    from vitrine.postgres.line import connector  # noqa: PLC0415 - only where used
    from vitrine.postgres.refresh import Patient  # noqa: PLC0415 - only where used

    return Patient(connector(dsn))

"""What changed in a private collection since it was looked at last.

The collection must keep the moment of a record's last change as a whole number of
seconds, by which it can be filtered and sorted (``origin.moment``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import httpx
from typesense import Client
from typesense.exceptions import TypesenseClientError

from vitrine.problems import Unavailable
from vitrine.registry.manifest import Manifest
from vitrine.typesense.client import collection
from vitrine.typesense.records import Record, moment_of

PAGE = 250
MOST = 10_000
"""Changes of one look; where more are due, a run is the better way."""


@dataclass(frozen=True, slots=True)
class Look:
    """The changes of one look, the moment to look from next time, and what is left."""

    records: tuple[Record, ...]
    since: int
    left: int = 0


def changed(client: Client, manifest: Manifest, since: int) -> Look:
    """Read the records that changed in or after a second, oldest change first.

    The last second is looked at again next time: more may change in it.
    """
    found = list(_pages(client, manifest, since))
    records = tuple(hit["document"] for page in found for hit in page["hits"])
    total = int(found[0]["found"]) if found else 0
    last = _second(manifest, records[-1]) if records else since
    return Look(records, max(since, last), total - len(records))


def _pages(client: Client, manifest: Manifest, since: int) -> Iterator[dict[str, Any]]:
    for number in range(1, MOST // PAGE + 1):
        page = _page(client, manifest, since, number)
        yield page
        if number * PAGE >= int(page["found"]):
            return


def _page(
    client: Client, manifest: Manifest, since: int, number: int
) -> dict[str, Any]:
    moment = manifest.origin.moment
    asked = {
        "q": "*",
        "filter_by": f"{moment}:>={since}",
        "sort_by": f"{moment}:asc",
        "page": number,
        "per_page": PAGE,
        "highlight_fields": "none",
        "enable_overrides": False,
    }
    private = collection(client, str(manifest.origin.collection))
    try:
        return cast("dict[str, Any]", private.documents.search(cast("Any", asked)))
    except (TypesenseClientError, httpx.HTTPError) as error:
        raise Unavailable("The private collection does not answer.") from error


def _second(manifest: Manifest, record: Record) -> int:
    moment = moment_of(manifest, record)
    return int(moment.timestamp()) if moment else 0

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


@dataclass(frozen=True, slots=True)
class Look:
    """Some changes, the second to look from when they are done, and what is left."""

    records: tuple[Record, ...]
    since: int
    left: int = 0


def changed(client: Client, manifest: Manifest, since: int) -> Iterator[Look]:
    """Read the records that changed in or after a second, oldest change first.

    The last second is looked at again next time: more may change in it.
    """
    number, left = 1, 1
    while left > 0:
        page = _page(client, manifest, since, number)
        records = tuple(hit["document"] for hit in page["hits"])
        left = int(page["found"]) - number * PAGE
        last = _second(manifest, records[-1]) if records else since
        yield Look(records, max(since, last), max(0, left))
        # By the last second, not by the number: what changes during a look moves to
        # the end, and at each page's edge one record behind it would be passed over.
        # Within one second there is nothing but the number to go by.
        number = 1 if last > since else number + 1
        since = max(since, last)


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

"""From private records to one public collection per profile, behind an alias.

The new collection is filled and checked before the alias points to it, so that no
search sees half of it; the one before is kept for a way back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from typesense import Client
from typesense.exceptions import ObjectNotFound
from typesense.types.collection import CollectionCreateSchema

from vitrine.problems import Fault, Invalid, Unavailable
from vitrine.typesense import request
from vitrine.typesense.client import collection
from vitrine.typesense.encode import Encoder, schema

BATCH = 250
"""Documents of one import: small enough for a client that waits two seconds."""
TOLD = 10
"""Most faults that a refusal names."""
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Published:
    """What a run made: its collection, how many documents, how many held back."""

    alias: str
    collection: str
    documents: int
    held_back: int


def publish(
    client: Client,
    encoder: Encoder,
    records: Iterable[Record],
    *,
    stamp: str,
    publishable: Callable[[Record], bool],
) -> Published:
    """Fill a new collection and swap the alias to it.

    ``stamp`` orders runs by name (UTC, ``20240131T120000``). One record that does
    not fit refuses the whole run: a catalogue is never published with gaps.
    """
    registry = encoder.registry
    alias = request.collection(registry)
    name = f"{alias}_{stamp}"
    client.collections.create(cast("CollectionCreateSchema", schema(registry, name)))
    try:
        filled = _fill(client, name, encoder, _chosen(records, publishable))
    except Exception:
        collection(client, name).delete()
        raise
    previous = current(client, alias)
    client.aliases.upsert(alias, {"collection_name": name})
    _sweep(client, alias, {name, previous})
    return Published(alias, name, *filled)


def current(client: Client, alias: str) -> str | None:
    """Name the collection that an alias points to, if there is one."""
    try:
        return client.aliases[alias].retrieve()["collection_name"]
    except ObjectNotFound:
        return None


def _chosen(
    records: Iterable[Record], publishable: Callable[[Record], bool]
) -> Iterator[Record | None]:
    return (record if publishable(record) else None for record in records)


def _fill(
    client: Client, name: str, encoder: Encoder, records: Iterator[Record | None]
) -> tuple[int, int]:
    """Import in batches; count the documents and the records held back."""
    documents = held_back = 0
    faults: list[Fault] = []
    while batch := list(islice(records, BATCH)):
        chosen = [record for record in batch if record is not None]
        held_back += len(batch) - len(chosen)
        encoded = list(_encoded(encoder, chosen, faults))
        documents += load(client, name, encoded)
    if faults:
        raise Invalid(faults[:TOLD], f"{len(faults)} values do not fit the manifest.")
    return documents, held_back


def _encoded(
    encoder: Encoder, records: Iterable[Record], faults: list[Fault]
) -> Iterator[dict[str, Any]]:
    for record in records:
        try:
            yield encoder.document(record)
        except Invalid as problem:
            faults.extend(problem.faults)


def load(client: Client, name: str, documents: Sequence[Record]) -> int:
    """Import one batch; the server answers a line each and raises nothing."""
    if not documents:
        return 0
    lines = "\n".join(json.dumps(d, ensure_ascii=False) for d in documents)
    # Not "create": a retry after a lost answer would meet its own documents.
    said = collection(client, name).documents.import_(lines, {"action": "upsert"})
    answers = [json.loads(line) for line in said.splitlines()]
    failed = [a for a in answers if not a.get("success")]
    if failed or len(answers) != len(documents):
        first = failed[0].get("error") if failed else "lines are missing"
        raise Unavailable(f"The import failed: {first}.")
    return len(documents)


def _sweep(client: Client, alias: str, kept: set[str | None]) -> None:
    """Delete older runs of the same alias."""
    for old in client.collections.retrieve():
        name = old["name"]
        stamped = name.removeprefix(f"{alias}_")
        if name not in kept and stamped != name and "_" not in stamped:
            collection(client, name).delete()

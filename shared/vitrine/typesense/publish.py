"""From private records to one public collection per profile, behind an alias.

New collections are filled and checked side by side before their aliases point to
them, so that no search sees half of one; the one before is kept for a way back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, cast

from typesense import Client
from typesense.exceptions import ObjectNotFound
from typesense.types.collection import CollectionCreateSchema

from vitrine.problems import Fault, Invalid, Unavailable
from vitrine.typesense import request
from vitrine.typesense.client import collection
from vitrine.typesense.encode import Encoder, Press, Record
from vitrine.typesense.schema import schema

BATCH = 500
"""Documents of one import."""
PATIENCE = 60.0
"""Seconds that a publisher waits for the server: an import is slower than a search."""
TOLD = 10
"""Most faults that a refusal names."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a run made: its collection, how many documents, how many held back."""

    alias: str
    collection: str
    documents: int
    held_back: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: records taken, and of these those held back."""

    taken: int = 0
    held_back: int = 0

    @property
    def documents(self) -> int:
        """Count the documents of each profile."""
        return self.taken - self.held_back


def publish(
    client: Client,
    encoder: Encoder,
    records: Iterable[Record],
    *,
    stamp: str,
    publishable: Callable[[Record], bool],
) -> Published:
    """Publish one profile: fill a new collection and swap the alias to it."""
    press = Press([encoder.registry], encoder.key)
    return publish_all(client, press, records, stamp=stamp, publishable=publishable)[0]


def publish_all(
    client: Client,
    press: Press,
    records: Iterable[Record],
    *,
    stamp: str,
    publishable: Callable[[Record], bool],
) -> tuple[Published, ...]:
    """Fill a new collection for each profile, then swap all aliases.

    ``stamp`` orders runs by name (UTC, ``20240131T120000``). One record that does
    not fit refuses the whole run: a catalogue is never published with gaps.
    """
    run = Run(client, press, stamp)
    run.create()
    try:
        done = run.fill(records, publishable)
    except Exception:
        run.drop()
        raise
    return run.swap(done)


class Run:
    """One run of a source's profiles: what it makes, fills and swaps."""

    def __init__(self, client: Client, press: Press, stamp: str) -> None:
        self._client = client
        self._press = press
        self._stamp = stamp
        self._aliases = [request.collection(r) for r in press.registries]

    @property
    def collections(self) -> tuple[str, ...]:
        """Name the new collections, in the order of the registries."""
        return tuple(f"{alias}_{self._stamp}" for alias in self._aliases)

    def create(self) -> None:
        """Make the new collections."""
        for registry, name in zip(
            self._press.registries, self.collections, strict=True
        ):
            made = cast("CollectionCreateSchema", schema(registry, name))
            self._client.collections.create(made)

    def drop(self) -> None:
        """Take the new collections away."""
        for name in self.collections:
            collection(self._client, name).delete()

    def fill(
        self, records: Iterable[Record], publishable: Callable[[Record], bool]
    ) -> Progress:
        """Import in batches: while one is on its way, the next is encoded."""
        done, faults = Progress(), _Faults()
        sent: list[Future[int]] = []
        with ThreadPoolExecutor(len(self.collections)) as pool:
            for batch in _batches(records):
                chosen = [record for record in batch if publishable(record)]
                done = replace(
                    done,
                    taken=done.taken + len(batch),
                    held_back=done.held_back + len(batch) - len(chosen),
                )
                columns = self._pressed(chosen, faults)
                _settled(sent)
                sent = [] if faults.found else self._send(pool, columns)
            _settled(sent)
        faults.settle()
        return done

    def swap(self, done: Progress) -> tuple[Published, ...]:
        """Point each alias to its new collection; keep the one before."""
        return tuple(self._swapped(name, done) for name in self._aliases)

    def _pressed(self, records: Iterable[Record], faults: _Faults) -> list[list[str]]:
        """Encode records to one column of lines for each profile."""
        rows = []
        for record in records:
            try:
                rows.append(self._press.lines(record))
            except Invalid as problem:
                faults.found.extend(problem.faults)
        return [list(column) for column in zip(*rows, strict=True)]

    def _send(
        self, pool: ThreadPoolExecutor, columns: Sequence[Sequence[str]]
    ) -> list[Future[int]]:
        pairs = zip(self.collections, columns, strict=False)
        return [pool.submit(load, self._client, n, lines) for n, lines in pairs]

    def _swapped(self, alias: str, done: Progress) -> Published:
        name, previous = f"{alias}_{self._stamp}", current(self._client, alias)
        self._client.aliases.upsert(alias, {"collection_name": name})
        _sweep(self._client, alias, {name, previous})
        return Published(alias, name, done.documents, done.held_back)


class _Faults:
    """The faults of a run, which is refused whole."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def settle(self) -> None:
        """Raise ``Invalid`` where there is any."""
        if self.found:
            told = f"{len(self.found)} values do not fit the manifest."
            raise Invalid(self.found[:TOLD], told)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    left = iter(records)
    while batch := list(islice(left, BATCH)):
        yield batch


def _settled(sent: Iterable[Future[int]]) -> None:
    for one in sent:
        one.result()


def current(client: Client, alias: str) -> str | None:
    """Name the collection that an alias points to, if there is one."""
    try:
        return client.aliases[alias].retrieve()["collection_name"]
    except ObjectNotFound:
        return None


def load(client: Client, name: str, lines: Sequence[str]) -> int:
    """Import one batch of JSON lines; the server answers each and raises nothing."""
    if not lines:
        return 0
    # Not "create": a retry after a lost answer would meet its own documents.
    target = collection(client, name).documents
    said = target.import_("\n".join(lines), {"action": "upsert"})
    answers: list[Mapping[str, Any]] = [json.loads(line) for line in said.splitlines()]
    failed = [a for a in answers if not a.get("success")]
    if failed or len(answers) != len(lines):
        first = failed[0].get("error") if failed else "lines are missing"
        raise Unavailable(f"The import failed: {first}.")
    return len(lines)


def _sweep(client: Client, alias: str, kept: set[str | None]) -> None:
    """Delete older runs of the same alias."""
    for old in client.collections.retrieve():
        name = old["name"]
        stamped = name.removeprefix(f"{alias}_")
        if name not in kept and stamped != name and "_" not in stamped:
            collection(client, name).delete()

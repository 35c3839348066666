"""From private records to one public collection per profile, behind an alias.

New collections are filled and checked side by side before their aliases point to
them, so that no search sees half of one; the one before is kept for a way back.
Changes that arrive meanwhile (``changes``) are written into both and stand: a run
only creates documents and never writes over one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import cast

from typesense import Client
from typesense.exceptions import ObjectAlreadyExists, ObjectNotFound
from typesense.types.collection import CollectionCreateSchema

from vitrine.problems import Fault, Invalid, Unavailable
from vitrine.typesense import names, request
from vitrine.typesense.client import collection
from vitrine.typesense.encode import Encoder, Press
from vitrine.typesense.loading import load
from vitrine.typesense.records import Record, identity
from vitrine.typesense.schema import schema

BATCH = 500
"""Records of one import."""
PATIENCE = 60.0
"""Seconds that a publisher waits for the server: an import is slower than a search."""
TOLD = 10
"""Most faults that a refusal names."""
Publishable = Callable[[Record], bool]


@dataclass(frozen=True, slots=True)
class Published:
    """What a run made: its collection, how many documents, how many held back."""

    alias: str
    collection: str
    documents: int
    held_back: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: records taken, those held back, the last one's id."""

    taken: int = 0
    held_back: int = 0
    last: str | None = None

    @property
    def documents(self) -> int:
        """Count the documents of each profile."""
        return self.taken - self.held_back

    def after(self, batch: Sequence[Record], chosen: int, last: str) -> Progress:
        """Give the progress when a batch of records is taken, too."""
        held_back = self.held_back + len(batch) - chosen
        return Progress(self.taken + len(batch), held_back, last)


Told = Callable[[Progress], None]


def publish(
    client: Client,
    encoder: Encoder,
    records: Iterable[Record],
    *,
    stamp: str,
    publishable: Publishable,
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
    publishable: Publishable,
) -> tuple[Published, ...]:
    """Fill a new collection for each profile, then swap all aliases.

    ``stamp`` orders runs by name (UTC, ``20240131T120000``). One record that does
    not fit refuses the whole run: a catalogue is never published with gaps.
    """
    run = Run(client, press, stamp)
    run.create()
    try:
        done = run.fill(records, publishable)
        return run.swap(done)
    except Exception:
        # Left standing, they would be newer than the live ones, and every change would
        # be written into them too.
        run.drop()
        raise


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
        """Make the new collections; those of an earlier try are taken up again."""
        pairs = zip(self._press.registries, self.collections, strict=True)
        for registry, name in pairs:
            made = cast("CollectionCreateSchema", schema(registry, name))
            try:
                self._client.collections.create(made)
            except ObjectAlreadyExists:
                continue

    def stands(self) -> bool:
        """Tell whether all of the new collections are there."""
        stored = {one["name"] for one in self._client.collections.retrieve()}
        return stored.issuperset(self.collections)

    def drop(self) -> None:
        """Take the new collections away, but for one that searches go to already."""
        for alias, name in zip(self._aliases, self.collections, strict=True):
            if current(self._client, alias) == name:
                continue
            try:
                collection(self._client, name).delete()
            except ObjectNotFound:
                continue

    def fill(
        self,
        records: Iterable[Record],
        publishable: Publishable,
        done: Progress | None = None,
        told: Told = lambda _: None,
    ) -> Progress:
        """Import in batches: while one is on its way, the next is encoded.

        ``done`` is where an earlier try ended; ``told`` hears of each batch that is
        on the server.
        """
        sent, done = _Sent(told), done or Progress()
        faults = _Faults(self._press)
        with ThreadPoolExecutor(len(self.collections)) as pool:
            for batch in _batches(records):
                chosen = [record for record in batch if publishable(record)]
                columns = faults.pressed(batch, chosen)
                sent.settle()
                # Encoded on to the end, so that all faults are told at once; sent no
                # more.
                if faults.found:
                    continue
                done = done.after(batch, len(chosen), faults.last)
                sent.follow(done, self._send(pool, columns))
            sent.settle()
        faults.settle()
        return done

    def swap(self, done: Progress) -> tuple[Published, ...]:
        """Check the new collections, point the aliases to them, keep those before."""
        counted = [self._checked(name, done) for name in self.collections]
        pairs = zip(self._aliases, self.collections, strict=True)
        # One alias after the other, since the server swaps no two at once: each profile
        # has a whole catalogue at every moment, if not the same one for an instant.
        before = [self._swapped(alias, name) for alias, name in pairs]
        for alias, name, old in zip(
            self._aliases, self.collections, before, strict=True
        ):
            _sweep(self._client, alias, {name, old})
        return tuple(
            Published(alias, name, number, done.held_back)
            for alias, name, number in zip(
                self._aliases, self.collections, counted, strict=True
            )
        )

    def _send(
        self, pool: ThreadPoolExecutor, columns: Sequence[Sequence[str]]
    ) -> list[Future[int]]:
        pairs = zip(self.collections, columns, strict=False)
        return [pool.submit(load, self._client, n, lines) for n, lines in pairs]

    def _checked(self, name: str, done: Progress) -> int:
        """Take out what was deleted meanwhile; count what stands.

        Raises ``Unavailable`` where documents are missing.
        """
        filled = collection(self._client, name)
        gone = filled.documents.delete({"filter_by": f"{names.GUARD}:=`{names.GONE}`"})
        number = int(filled.retrieve()["num_documents"])
        missing = done.documents - int(gone["num_deleted"]) - number
        # More than were sent is no fault: changes that came meanwhile have added
        # theirs.
        if missing > 0:
            raise Unavailable(f"{missing} documents are missing in {name}.")
        return number

    def _swapped(self, alias: str, name: str) -> str | None:
        previous = current(self._client, alias)
        self._client.aliases.upsert(alias, {"collection_name": name})
        return previous


class _Sent:
    """The batch that is on its way, and who hears when it has arrived."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._batch: tuple[Progress, list[Future[int]]] | None = None

    def follow(self, done: Progress, imports: list[Future[int]]) -> None:
        """Remember a batch, and how far the run is once it is there."""
        self._batch = done, imports

    def settle(self) -> None:
        """Wait for the batch; raise what went wrong."""
        if self._batch is None:
            return
        done, imports = self._batch
        self._batch = None
        for one in imports:
            one.result()
        self._told(done)


class _Faults:
    """The faults of a run, which is refused whole, and the ids that it has met."""

    def __init__(self, press: Press) -> None:
        self.found: list[Fault] = []
        self.last = ""
        self._press = press
        self._met: set[str] = set()

    def pressed(
        self, batch: Iterable[Record], chosen: Iterable[Record]
    ) -> list[list[str]]:
        """Encode the chosen records to a column of lines for each profile."""
        for record in batch:
            self._meet(record)
        rows = []
        for record in chosen:
            try:
                rows.append(self._press.lines(record))
            except Invalid as problem:
                self.found.extend(problem.faults)
        return [list(column) for column in zip(*rows, strict=True)]

    def settle(self) -> None:
        """Raise ``Invalid`` where there is any."""
        if self.found:
            told = f"{len(self.found)} values do not fit the manifest."
            raise Invalid(self.found[:TOLD], told)

    def _meet(self, record: Record) -> None:
        manifest = self._press.registries[0].manifest
        try:
            self.last = identity(manifest, record)
        except Invalid as problem:
            self.found.extend(problem.faults)
            return
        if self.last in self._met:
            message = f"The id {self.last!r} stands twice."
            self.found.append(Fault(f"/{manifest.origin.id}", "record", message))
        self._met.add(self.last)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    left = iter(records)
    while batch := list(islice(left, BATCH)):
        yield batch


def current(client: Client, alias: str) -> str | None:
    """Name the collection that an alias points to, if there is one."""
    try:
        return client.aliases[alias].retrieve()["collection_name"]
    except ObjectNotFound:
        return None


def runs_of(client: Client, alias: str) -> list[str]:
    """List the collections of an alias, oldest run first."""
    stored = (one["name"] for one in client.collections.retrieve())
    prefix = f"{alias}_"
    return sorted(
        name
        for name in stored
        if name.startswith(prefix) and "_" not in name.removeprefix(prefix)
    )


def _sweep(client: Client, alias: str, kept: set[str | None]) -> None:
    """Delete older runs of the same alias, not those of a run that began later."""
    newest = max(name for name in kept if name is not None)
    for name in runs_of(client, alias):
        if name not in kept and name < newest:
            collection(client, name).delete()

"""Canaries, and what accounts know already: told by a publish, read by every search.

A canary is a document that nobody has reason to ask for: who is shown one is walking
through the shelves. What an account knows already are the documents of its own orders
and contracts: it learns nothing by looking them up, so that is free.
Both are kept as marks; neither is ever read back into an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from vitrine.disclosure.budgets import Identity, mark
from vitrine.store.kept import Kept
from vitrine.store.table import Table, Write, place

CHUNK = 4_000
"""Marks of an item: 32 kB, so that what an account knows is a few reads."""
MOST = 40_000
"""Documents that one account may know: a catalogue that it knows has no secret."""
ALL = "ALL"


def plant(table: Table, tenant: str, source: str, documents: Iterable[str]) -> None:
    """Say which documents are canaries; an empty list says that none is."""
    key = (place("CANARY", tenant, source), ALL)
    marks = frozenset(mark(document) for document in documents)
    if marks:
        table.write(Write(key, whole={"marks": marks}))
    else:
        table.delete(key)


class Canaries:
    """The canaries of each source as one environment sees them."""

    def __init__(self, table: Table, clock: Callable[[], float]) -> None:
        self._table = table
        self._kept = Kept(self._look, clock)

    def among(self, tenant: str, source: str, documents: Sequence[str]) -> int:
        """Count the canaries among documents that are shown."""
        planted = self._kept.get(tenant, source)
        return sum(mark(document) in planted for document in documents)

    def _look(self, tenant: str, source: str) -> frozenset[bytes]:
        item = self._table.get((place("CANARY", tenant, source), ALL)) or {}
        found: frozenset[bytes] = item.get("marks", frozenset())
        return found


@dataclass(frozen=True, slots=True)
class Known:
    """The documents that an account or identity, ``who`` its hash, knows already."""

    who: str
    documents: tuple[str, ...]


def tell(table: Table, tenant: str, source: str, known: Iterable[Known]) -> int:
    """Replace what everybody knows of a source; give how many are told of.

    Who is not named any more knows nothing. Raises ``ValueError`` before anything is
    written where one account would know more than ``MOST``.
    """
    told = {one.who: one.documents for one in known}
    if crowded := [who for who, found in told.items() if len(found) > MOST]:
        message = f"an account knows at most {MOST:,} documents: {crowded[0]}"
        raise ValueError(message)
    index = place("KNOWN", tenant, source)
    gone = {item["sk"] for item in table.query(index)} - set(told)
    for who, documents in {**dict.fromkeys(sorted(gone), ()), **told}.items():
        _replace(table, place("KNOWN", tenant, source, who), documents)
    for who in gone:
        table.delete((index, who))
    for who, documents in told.items():
        table.write(Write((index, who), whole={"documents": len(documents)}))
    return len(told)


def _replace(table: Table, partition: str, documents: Sequence[str]) -> None:
    marks = sorted({mark(document) for document in documents})
    chunks = [marks[at : at + CHUNK] for at in range(0, len(marks), CHUNK)]
    for number, chunk in enumerate(chunks):
        whole = {"marks": frozenset(chunk)}
        table.write(Write((partition, f"{number:03}"), whole=whole))
    # Swept last: what an account knows in one item is replaced, never emptied first, so
    # that nobody pays for their own orders in between.
    for item in list(table.query(partition, f"{len(chunks):03}")):
        table.delete((partition, item["sk"]))


def known_of(table: Table, who: Identity) -> frozenset[bytes]:
    """Give the marks of what an identity or its account knows already."""
    return frozenset().union(*_marks(table, who))


def _marks(table: Table, who: Identity) -> Iterator[frozenset[bytes]]:
    for name in (who.identity, who.company):
        partition = place("KNOWN", who.tenant, who.source, name)
        yield from (item["marks"] for item in table.query(partition))

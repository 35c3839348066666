"""Saved searches: a tree under a name, kept by its person until it is taken away.

They lie beside their person's sessions, bound to tenant and subject and to no client:
what was saved in the chat is opened in the gallery. Somebody else's id is not there.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vitrine.caller import Caller
from vitrine.problems import Fault, Invalid, Missing
from vitrine.store.table import Item, Key, Table, Write, epoch, place

MOST = 100
"""Saved searches of one person; two that are saved at once may pass it by one."""
_FIRST, _LAST = "SEARCH#", "SEARCH#\U0010ffff"


@dataclass(frozen=True, slots=True)
class Saved:
    """A raw tree on a source, and the name that its person gave it."""

    id: str
    name: str
    source: str
    tree: dict[str, Any]
    at: datetime


def save(table: Table, caller: Caller, saved: Saved) -> None:
    """Keep a search under a fresh id; raise ``Invalid`` where there are too many."""
    # Counted without a lock: the cap keeps the partition small, it sells nothing, and
    # an exact one would cost an item that every save writes.
    if sum(1 for _ in searches(table, caller)) >= MOST:
        said = f"{MOST} searches are the most that are kept."
        raise Invalid([Fault("", "too_many", said, "Delete one first.")])
    table.write(
        Write(_key(caller.tenant, caller.subject, saved.id), whole=_kept(saved))
    )


def searches(table: Table, caller: Caller) -> Iterator[Saved]:
    """Give a person's own searches."""
    owner, _ = _key(caller.tenant, caller.subject, "")
    return (_read(item) for item in table.query(owner, _FIRST, _LAST))


def load(table: Table, tenant: str, subject: str, number: str) -> Saved:
    """Read a person's search; raise ``Missing`` for any other id."""
    item = table.get(_key(tenant, subject, number))
    if item is None:
        raise Missing("There is no such search.")
    return _read(item)


def delete(table: Table, caller: Caller, number: str) -> None:
    """Take a search away, and with it every link to it."""
    # So that a foreign id and an unknown one are the same miss.
    load(table, caller.tenant, caller.subject, number)
    table.delete(_key(caller.tenant, caller.subject, number))


def _key(tenant: str, subject: str, number: str) -> Key:
    return place("OWNER", tenant, subject), place("SEARCH", number)


def _kept(saved: Saved) -> Item:
    raw = json.dumps(saved.tree, ensure_ascii=False).encode()
    return {
        "id": saved.id,
        "name": saved.name,
        "source": saved.source,
        "tree": zlib.compress(raw),
        "at": epoch(saved.at),
    }


def _read(item: Item) -> Saved:
    return Saved(
        item["id"],
        item["name"],
        item["source"],
        json.loads(zlib.decompress(item["tree"])),
        datetime.fromtimestamp(item["at"], UTC),
    )

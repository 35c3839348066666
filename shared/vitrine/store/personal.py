"""All that the table keeps of one person, shelf by shelf: to be told, or taken away.

A shelf is a range of one partition, so that nothing is scanned: partitions are named by
the subject, by the identities that are noted under the person, or are short lists of
the organisation's that name their people by hash. Shelves stand in the order of their
names, whatever there is of them, so that a walk goes on where another ended.

What counts stays: a budget that could be erased would open the catalogue anew. It
stands under hashes, says which documents no more, and ends by itself.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from vitrine.caller import Caller
from vitrine.store import persons
from vitrine.store.table import Item, Key, Table, place

LAST = "\U0010ffff"
Content = dict[str, Any]
ERASED = frozenset({"sessions", "searches", "records", "answers", "known", "raises"})
"""What is taken away; a session with the memory of what it has shown."""
COUNTED = frozenset(
    {"documents", "facet_values", "tallies", "account_days", "votes", "identities"}
)
"""What stays until it ends: counters, the one vote on a word, and what finds these."""


@dataclass(frozen=True, slots=True)
class Person:
    """A subject of a tenant, and the identities under which something may be kept."""

    tenant: str
    subject: str
    identities: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name the person by their hash."""
        return Caller(self.tenant, self.subject, "").person

    @property
    def company(self) -> str:
        """Name the account that is theirs alone: that of who buys for nobody."""
        return Caller(self.tenant, self.subject, "").company


@dataclass(frozen=True, slots=True)
class Shelf:
    """One range of a partition; ``source`` and ``term`` say of what, where it is known.

    ``whose`` is the identity, or empty where the partition holds others' items, too.
    """

    kind: str
    partition: str
    low: str = ""
    high: str = LAST
    whose: str = ""
    source: str = ""
    term: str = ""

    @property
    def name(self) -> str:
        """Name it, so that names sort as shelves do."""
        return f"{self.kind} {self.partition} {self.low}"


@dataclass(frozen=True, slots=True)
class Place:
    """One item on a shelf; without ``item`` it is somebody else's."""

    shelf: Shelf
    key: Key
    item: Item | None


def person_of(
    table: Table, tenant: str, subject: str, *, account: str | None = None
) -> Person:
    """Gather under which identities something is kept of a subject.

    Beside those that are noted come the ones that need no note: the subject alone, and
    with the account where one is named.
    """
    alone = Caller(tenant, subject, "")
    within = Caller(tenant, subject, "", account=account)
    noted = persons.identities(table, tenant, alone.person)
    return Person(
        tenant, subject, tuple(sorted({alone.identity, within.identity, *noted}))
    )


def shelves(person: Person, terms: Mapping[str, Iterable[str]]) -> list[Shelf]:
    """List a person's shelves in order; ``terms`` are the asked words by source."""
    return sorted(
        [*_own(person), *_shared(person), *_by_source(person, terms)],
        key=lambda shelf: shelf.name,
    )


def walk(
    table: Table, person: Person, all_shelves: Iterable[Shelf], *, after: Key = ("", "")
) -> Iterator[Place]:
    """Read shelves in order from behind ``after``, a shelf's name and a sort key.

    Others' items on it come too, empty: who stops in between knows where.
    """
    for shelf in all_shelves:
        if shelf.name < after[0]:
            continue
        low = max(shelf.low, after[1]) if shelf.name == after[0] else shelf.low
        for item in table.query(shelf.partition, low, shelf.high):
            key = (item["pk"], item["sk"])
            if (shelf.name, key[1]) <= after:
                continue
            theirs = shelf.kind not in _PICKED or _PICKED[shelf.kind](person, item)
            yield Place(shelf, key, item if theirs else None)


def tell(table: Table, person: Person, found: Place) -> Content:
    """Say what a person's item says."""
    return _TOLD[found.shelf.kind](table, person, found.shelf, found.item or {})


def remove(table: Table, person: Person, found: Place) -> bool:
    """Take an item away with what hangs on it; tell whether it was there."""
    shelf = found.shelf
    if shelf.kind == "sessions":
        # Before the session, which alone knows the number: who dies in between finds
        # it again. A session that is gone has nothing that its budget could show.
        for shown in _shown(person, found.key):
            table.delete(shown)
    if shelf.kind == "known":
        table.delete((place("KNOWN", person.tenant, shelf.source), shelf.whose))
    return table.delete(found.key)


def _own(person: Person) -> Iterator[Shelf]:
    owner = place("OWNER", person.tenant, person.subject)
    yield Shelf("sessions", owner, "SESSION#", f"SESSION#{LAST}")
    yield Shelf("searches", owner, "SEARCH#", f"SEARCH#{LAST}")
    yield Shelf("identities", place("PERSON", person.tenant, person.name))
    for whose in person.identities:
        pace, answers = (place(k, person.tenant, whose) for k in ("RATE", "REPLAY"))
        yield Shelf("pace", pace, whose=whose)
        yield Shelf("answers", answers, whose=whose)


def _shared(person: Person) -> Iterator[Shelf]:
    """Give the organisation's lists, of which the person's rows are picked."""
    yield Shelf("raises", place("RAISE", person.tenant))
    yield Shelf("grants", place("GRANT", person.tenant))
    yield Shelf("orders", place("AUDIT", person.tenant))


def _by_source(person: Person, terms: Mapping[str, Iterable[str]]) -> Iterator[Shelf]:
    tenant = person.tenant
    for source, asked in terms.items():
        company = place("ACCOUNT", tenant, source, person.company)
        yield Shelf("account_days", company, source=source)
        for whose in person.identities:
            named = {"whose": whose, "source": source}
            seen, values, tallies, known = (
                place(kind, tenant, source, whose)
                for kind in ("SEEN", "FACETS", "TALLY", "KNOWN")
            )
            yield Shelf("documents", seen, **named)
            yield Shelf("facet_values", values, **named)
            yield Shelf("tallies", tallies, **named)
            yield Shelf("known", known, **named)
            yield Shelf("records", place("READABLE", tenant, whose, source), **named)
            for term in asked:
                votes = place("VOTER", tenant, source, term)
                yield Shelf("votes", votes, whose, whose, term=term, **named)


_Telling = Callable[[Table, Person, Shelf, Item], Content]


def _session(table: Table, person: Person, _: Shelf, item: Item) -> Content:
    # As it was kept, and not as a tree that parses: a grammar that has changed since
    # takes nothing away from what is told.
    said = json.loads(zlib.decompress(item["content"]))
    numbers = {k: item.get(k, 0) for k in ("tokens", "micros", "calls", "retries")}
    shown = (table.get(key) or {} for key in _shown(person, (item["pk"], item["sk"])))
    return {
        "session": _number(item["sk"]),
        "source": item["source"],
        "client": item["client"],
        "version": item["version"],
        **said,
        **numbers,
        "shown": sum(len(one.get("marks", ())) for one in shown),
        "until": _moment(item),
    }


def _search(_: Table, __: Person, ___: Shelf, item: Item) -> Content:
    return {
        "search": item["id"],
        "source": item["source"],
        "name": item["name"],
        "tree": json.loads(zlib.decompress(item["tree"])),
        "at": datetime.fromtimestamp(item["at"], UTC).isoformat(),
    }


def _marks(_: Table, __: Person, shelf: Shelf, item: Item) -> Content:
    # Numbers and not the marks: they are hashes of ids that nobody is shown, and could
    # be tried against guessed ones.
    found = {"number": len(item["marks"]), "until": _moment(item)}
    return _named(shelf) | {"at": item["sk"].partition("#")[0]} | found


def _tally(_: Table, __: Person, shelf: Shelf, item: Item) -> Content:
    # The search that has just found nothing lies among the days, as a hash.
    names = ("counts", "searches", "misses", "refused", "busy", "tree")
    counted = {k: item[k] for k in names if k in item}
    return _named(shelf) | {"at": item["sk"], **counted, "until": _moment(item)}


def _counter(_: Table, __: Person, shelf: Shelf, item: Item) -> Content:
    counted = {"day": item["sk"], "seen": item["seen"], "fresh": item["fresh"]}
    return _named(shelf) | counted | {"until": _moment(item)}


def _vote(_: Table, __: Person, shelf: Shelf, item: Item) -> Content:
    return _named(shelf) | {"term": shelf.term, "until": _moment(item)}


def _known(_: Table, __: Person, shelf: Shelf, item: Item) -> Content:
    return _named(shelf) | {"number": len(item["marks"])}


def _pace(_: Table, __: Person, shelf: Shelf, item: Item) -> Content:
    calls = [datetime.fromtimestamp(at / 1000, UTC) for at in item["calls"]]
    told = {"limit": item["sk"], "calls": [at.isoformat() for at in calls]}
    return _named(shelf) | told


def _answer(_: Table, __: Person, shelf: Shelf, item: Item) -> Content:
    call = unquote(item["sk"].rpartition("#")[2])
    answer = item.get("answer")
    said = json.loads(zlib.decompress(answer)) if answer else None
    return _named(shelf) | {"call": call, "answer": said, "until": _moment(item)}


def _identity(_: Table, __: Person, ___: Shelf, item: Item) -> Content:
    return {"identity": item["sk"], "until": _moment(item)}


def _raise(_: Table, __: Person, ___: Shelf, item: Item) -> Content:
    told = {key: item[key] for key in ("source", "kind", "caps", "reason")}
    return told | {"until": _moment(item)}


def _grant(_: Table, __: Person, ___: Shelf, item: Item) -> Content:
    return {key: item[key] for key in ("client", "scope", "reason")}


def _order(_: Table, person: Person, __: Shelf, item: Item) -> Content:
    """Tell an order about the person; one that they gave, without whom it was about."""
    told = {"at": item["sk"].partition("#")[0], "action": item["action"]}
    about = _is_about(person, item)
    return told | {"about": about} | ({"reason": item["reason"]} if about else {})


def _is_about(person: Person, item: Item) -> bool:
    return item["subject"] in {*person.identities, person.company, person.name}


_PICKED: Mapping[str, Callable[[Person, Item], bool]] = MappingProxyType(
    {
        "raises": lambda who, item: item["who"] in {*who.identities, who.company},
        "grants": lambda who, item: item["by"] == who.subject,
        "orders": lambda who, item: (
            _is_about(who, item) or item["actor"] == who.subject
        ),
    }
)
"""How a person's rows are told from others' on shelves that they share."""


_TOLD: Mapping[str, _Telling] = MappingProxyType(
    {
        "sessions": _session,
        "searches": _search,
        "identities": _identity,
        "pace": _pace,
        "answers": _answer,
        "raises": _raise,
        "grants": _grant,
        "orders": _order,
        "account_days": _counter,
        "documents": _marks,
        "facet_values": _marks,
        "tallies": _tally,
        "known": _known,
        "records": _marks,
        "votes": _vote,
    }
)


def _shown(person: Person, session: Key) -> Iterator[Key]:
    """Give where it is kept what a session has shown, whoever acted in it."""
    number = _number(session[1])
    for whose in person.identities:
        yield place("SHOWN", person.tenant, whose, number), "SHOWN"


def _number(sk: str) -> str:
    return unquote(sk.partition("#")[2])


def _named(shelf: Shelf) -> Content:
    named = {"identity": shelf.whose, "source": shelf.source}
    return {key: name for key, name in named.items() if name}


def _moment(item: Item) -> str | None:
    ends = item.get("expires_at")
    return datetime.fromtimestamp(ends, UTC).isoformat() if ends is not None else None

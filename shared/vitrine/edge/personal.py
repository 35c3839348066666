"""What is kept of a person, told or taken away on the word of an administrator.

Both walk the same shelves of the table, and the notes that an assistant wrote for the
person in the customer's database. A call ends before the gateway would give it up:
what is left is told by a cursor, or taken by the same call again. The audit row names
the person by a hash, and so do the answers.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Annotated, Any

from pydantic import StringConstraints

from vitrine.caller import Caller
from vitrine.edge.administration import Client, Reason
from vitrine.edge.auditing import ADMIN, Order, audited
from vitrine.edge.http import Body, Token
from vitrine.edge.replies import Reply
from vitrine.edge.tools import NOTES
from vitrine.edge.wiring import Wiring
from vitrine.problems import Fault, Forbidden, Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.registry.profiles import Registry
from vitrine.seal import Sealed
from vitrine.store.personal import (
    COUNTED,
    ERASED,
    Content,
    Person,
    person_of,
    remove,
    shelves,
    tell,
    walk,
)
from vitrine.store.registry import sources_of
from vitrine.store.table import Key

PAGE = 2_000_000
"""Bytes of JSON after which an export goes on with its next page. Lambda's answer ends
at six megabytes; one entry, at most a session, may come on top."""
LOOKING = 12.0
"""Seconds after which a call stops: the gateway gives up at thirty, and the last
statement may take three of them."""
HOUR = timedelta(hours=1)
Telling = Callable[[], Content]
"""Says an entry."""
Subject = Annotated[str, StringConstraints(min_length=1, max_length=256)]


class Whom(Body):
    """A person by the subject of their tokens; ``account`` is one they bought for.

    It is needed for what was kept before identities were noted under their person.
    """

    subject: Subject
    account: Client | None = None
    dry_run: bool = False


class Exporting(Whom):
    """Whose data are told, why, and from where on; with dry_run, how many there are."""

    reason: Reason | None = None
    cursor: Token | None = None


class Erasing(Whom):
    """Whose data are taken away, and why; a reason that names nobody."""

    reason: Reason


class Exported(Reply):
    """A page of what is kept of a person, by kind; ``counts`` are of this page."""

    person: str
    counts: dict[str, int]
    kept: dict[str, tuple[dict[str, Any], ...]]
    next_cursor: str | None = None
    dry_run: bool = False


class Taken(Reply):
    """What was taken away by this call, or would be: items, and notes."""

    sessions: int = 0
    searches: int = 0
    records: int = 0
    answers: int = 0
    known: int = 0
    raises: int = 0
    notes: int = 0


class Left(Reply):
    """What stays under hashes until it ends: counters, votes, and what finds them."""

    documents: int = 0
    facet_values: int = 0
    tallies: int = 0
    account_days: int = 0
    votes: int = 0
    identities: int = 0


class Erased(Reply):
    """What was taken away; ``complete`` is false where the same call has to go on.

    ``left`` is told by the call that completes it.
    """

    person: str
    erased: Taken
    left: Left | None = None
    complete: bool
    dry_run: bool = False


def exported(wiring: Wiring, caller: Caller, body: Exporting) -> Exported:
    """Tell a page of all that is kept of a person, audited with its first page."""
    task = _task(wiring, caller, body)
    seal = _sealed(caller, task.person, body)
    after = _after(wiring, seal, body.cursor)
    if not body.dry_run and body.cursor is None:
        audited(wiring, caller, _order("person_exported", task, body.reason or ""))
    page, more = _Page(whole=not body.dry_run), None
    for kind, place, told in _entries(task, after):
        page.add(kind, told)
        if page.size > PAGE or task.late():
            where = {"shelf": place[0], "key": place[1]}
            more = wiring.ring.seal(seal, where, until=wiring.now() + HOUR)
            break
    return Exported(
        person=task.person.name,
        counts=dict(page.counts),
        kept={kind: tuple(found) for kind, found in page.kept.items()},
        next_cursor=more,
        dry_run=body.dry_run,
    )


def erased(wiring: Wiring, caller: Caller, body: Erasing) -> Erased:
    """Take away what is personal, audited; the same call again takes what is left.

    What a person does meanwhile is kept anew: who is to be forgotten loses access
    first.
    """
    task = _task(wiring, caller, body)
    if not body.dry_run:
        audited(wiring, caller, _order("person_erased", task, body.reason))
    # The notes first: only their database may be away, and then nothing was done.
    taken = _notes_taken(task, idle=body.dry_run)
    complete = not task.late() and _shelves_taken(task, taken, idle=body.dry_run)
    return Erased(
        person=task.person.name,
        erased=Taken(**taken),
        left=_left(task) if complete else None,
        complete=complete,
        dry_run=body.dry_run,
    )


@dataclass(frozen=True, slots=True)
class _Task:
    """Whom a call is about, where to look, and since when it runs."""

    wiring: Wiring
    caller: Caller
    person: Person
    registries: tuple[Registry, ...]
    began: float

    @property
    def noted(self) -> bool:
        """Tell whether notes may have been written: they belong to one source."""
        postgres = (r for r in self.registries if r.engine is EngineName.POSTGRES)
        return any(registry.source == NOTES for registry in postgres)

    @property
    def terms(self) -> Mapping[str, frozenset[str]]:
        """Give the words that people are asked about, by source."""
        found: dict[str, frozenset[str]] = {}
        for one in self.registries:
            terms = frozenset(a.term for a in one.manifest.ambiguous)
            found[one.source] = found.get(one.source, frozenset()) | terms
        return found

    def late(self) -> bool:
        """Tell whether the call should come to its end."""
        return self.wiring.seconds() - self.began > LOOKING


def _task(wiring: Wiring, caller: Caller, body: Exporting | Erasing) -> _Task:
    _check(caller, body)
    tenant, table = caller.tenant, wiring.table
    person = person_of(table, tenant, body.subject, account=body.account)
    registries = tuple(
        wiring.registries.get(tenant, source, profile)
        for source, profiles in sources_of(table, tenant).items()
        for profile in profiles
    )
    return _Task(wiring, caller, person, registries, wiring.seconds())


def _check(caller: Caller, body: Exporting | Erasing) -> None:
    caller.require(ADMIN)
    # A person answers for it: the row of an agent's own token would name nobody.
    if caller.anonymous:
        raise Forbidden("A signed-in user is needed here.")
    name = rf"(?<!\w){re.escape(body.subject)}(?!\w)"
    if re.search(name, body.reason or "", re.IGNORECASE):
        said = "The log keeps its reasons, and this one names the person."
        raise Invalid([Fault("/reason", "names_person", said, "Leave the name out.")])


def _order(action: str, task: _Task, reason: str) -> Order:
    person = task.person
    return Order(action, person.name, reason, {"identities": list(person.identities)})


def _sealed(caller: Caller, person: Person, body: Exporting) -> Sealed:
    # Whoever goes on is who began, with the same person and the same question: a cursor
    # skips the audit row.
    mode = "counts" if body.dry_run else "whole"
    named = (caller.tenant, caller.subject, person.name, body.account or "", mode)
    return Sealed("cursor", ("export", *named))


def _after(wiring: Wiring, seal: Sealed, cursor: str | None) -> Key:
    if cursor is None:
        return "", ""
    where = wiring.ring.open(seal, cursor, now=wiring.now())
    return where["shelf"], where["key"]


@dataclass
class _Page:
    """What a page holds so far; where ``whole`` is false it only counts."""

    whole: bool
    size: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    kept: dict[str, list[Content]] = field(default_factory=dict)

    def add(self, kind: str, told: Telling | None) -> None:
        """Add an entry; None is somebody else's."""
        if told is None:
            return
        self.counts[kind] += 1
        if self.whole:
            content = told()
            self.size += len(json.dumps(content, ensure_ascii=False).encode())
            self.kept.setdefault(kind, []).append(content)


_NOTES = "~notes"
"""Sorts behind every shelf."""
_Entry = tuple[str, Key, Telling | None]


def _entries(task: _Task, after: Key) -> Iterator[_Entry]:
    """Give what is kept, each with its place; others' items among it as None."""
    table, person = task.wiring.table, task.person
    for one in walk(table, person, shelves(person, task.terms), after=after):
        where = (one.shelf.name, one.key[1])
        # Told where it is wanted: who only counts unpacks no session.
        telling = partial(tell, table, person, one) if one.item else None
        yield one.shelf.kind, where, telling
    if task.noted:
        last = int(after[1]) if after[0] == _NOTES else 0
        for number, told in _traces(task, last):
            yield "notes", (_NOTES, number), partial(dict, told)


def _traces(task: _Task, last: int) -> Iterator[tuple[str, Content]]:
    who = task.person.identities
    for one in task.wiring.notes.traces(task.caller, who, after=last):
        told: Content = {"at": one.at.isoformat(), "action": one.action}
        told |= {"author": one.author, "client": one.client}
        told |= {"content": one.content} if one.content is not None else {}
        yield str(one.id), told


def _notes_taken(task: _Task, *, idle: bool) -> Counter[str]:
    taken: Counter[str] = Counter()
    if not task.noted:
        return taken
    if idle:
        taken["notes"] = sum("content" in told for _, told in _traces(task, 0))
        return taken
    # Block by block until one is empty, each in a transaction of its own.
    while erased := task.wiring.notes.erase(task.caller, task.person.identities):
        taken["notes"] += erased
        if task.late():
            break
    return taken


def _shelves_taken(task: _Task, taken: Counter[str], *, idle: bool) -> bool:
    """Take away what is on the shelves; tell whether there was time for all."""
    table, person = task.wiring.table, task.person
    found = [s for s in shelves(person, task.terms) if s.kind in ERASED]
    for one in walk(table, person, found):
        # Counted where this call took it: of two at once, each tells its own.
        if one.item and (idle or remove(table, person, one)):
            taken[one.shelf.kind] += 1
        if task.late():
            return False
    return True


def _left(task: _Task) -> Left:
    table, person = task.wiring.table, task.person
    found = [s for s in shelves(person, task.terms) if s.kind in COUNTED]
    places = walk(table, person, found)
    return Left(**Counter(one.shelf.kind for one in places if one.item))

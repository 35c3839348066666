"""Sessions: the conversation's tree, kept for 30 days under an optimistic version.

A session lies in the partition of its tenant and subject, so that somebody else's id
is simply not there: unknown and foreign cost and answer the same. The client is
checked on each read and write. Ids are minted by the edge, never taken from a caller.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from vitrine.caller import Caller
from vitrine.problems import Conflict, Missing, Problem
from vitrine.session import Message, Session
from vitrine.store.table import Key, Outcome, Table, Write, alive, epoch, place
from vitrine.tree.model import Group, dump
from vitrine.tree.parse import parse

LIFE = timedelta(days=30)
"""From the last write."""


def create(
    table: Table, caller: Caller, source: str, *, number: str, now: datetime
) -> Session:
    """Begin a session under a freshly minted id, bound to its caller."""
    whose = (caller.tenant, caller.subject, caller.client)
    return begin(table, Session(number, *whose, source), now=now)


def begin(table: Table, session: Session, *, now: datetime) -> Session:
    """Keep a new session as it stands, a turn made of it included: one write."""
    # However an id came to be used twice, no conversation is written over.
    free = "attribute_not_exists(#pk)"
    if not table.write(
        Write(_key(session), whole=_kept(session, now), condition=free)
    ).won:
        raise Conflict("This session exists already.")
    return session


def load(table: Table, caller: Caller, number: str, *, now: datetime) -> Session:
    """Read a caller's own session; raise ``Missing`` for any other id."""
    asked = Session(number, caller.tenant, caller.subject, caller.client, "")
    item = table.get(_key(asked))
    if item is None or not alive(item, now) or item["client"] != caller.client:
        raise _missing()
    return _read(asked, item)


def save(table: Table, session: Session, *, seen: int, now: datetime) -> Session:
    """Write over version ``seen``; the session's own is then ``seen`` + 1.

    Raises ``Conflict`` with the current version where another turn was faster.
    """
    kept = replace(session, version=seen + 1)
    outcome = table.write(
        Write(
            _key(session),
            whole=_kept(kept, now),
            # The client stands in the condition too: the partition is the subject's, in
            # which another client of theirs could name this id.
            condition="#version = :seen AND #client = :client AND #expires_at > :now",
            values={":seen": seen, ":client": session.client, ":now": epoch(now)},
        )
    )
    if not outcome.won:
        raise _lost(outcome, session, now)
    return kept


def delete(table: Table, caller: Caller, number: str, *, now: datetime) -> None:
    """Forget a caller's own session."""
    table.delete(_key(load(table, caller, number, now=now)))


def _key(session: Session) -> Key:
    return place("OWNER", session.tenant, session.subject), place("SESSION", session.id)


def _kept(session: Session, now: datetime) -> dict[str, Any]:
    content = {
        "tree": dump(session.tree),
        "messages": [[m.role, m.text] for m in session.messages],
        "readings": dict(session.readings),
    }
    return {
        "client": session.client,
        "source": session.source,
        "version": session.version,
        "tokens": session.tokens,
        "micros": session.micros,
        "calls": session.calls,
        "retries": session.retries,
        # Compressed, since each turn writes the whole: a write costs a unit for every
        # started kilobyte.
        "content": zlib.compress(json.dumps(content, ensure_ascii=False).encode()),
        "expires_at": epoch(now + LIFE),
    }


def _read(asked: Session, item: dict[str, Any]) -> Session:
    content = json.loads(zlib.decompress(item["content"]))
    return replace(
        asked,
        source=item["source"],
        tree=_tree(content["tree"]),
        messages=tuple(Message(role, text) for role, text in content["messages"]),
        readings=MappingProxyType(content["readings"]),
        version=item["version"],
        tokens=item["tokens"],
        micros=item["micros"],
        # absent where a session began before they were kept
        calls=item.get("calls", 0),
        retries=item.get("retries", 0),
    )


def _tree(raw: Any) -> Group:
    parsed = parse(raw)
    # Ours was checked when it was kept, so that a fault means a grammar that has
    # changed.
    if parsed.faults:
        raise Problem("A kept session can't be read.")
    return parsed.tree


def _lost(outcome: Outcome, session: Session, now: datetime) -> Problem:
    item = outcome.item
    # To another client of the same person the id is not there; a conflict would say
    # that it is.
    if not item or not alive(item, now) or item["client"] != session.client:
        return _missing()
    return Conflict(version=item["version"])


def _missing() -> Missing:
    return Missing("There is no such session of this caller.")

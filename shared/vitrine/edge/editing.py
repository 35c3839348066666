"""A session in the hands of a filter editor: read, begun, edited, forgotten.

The chat and the editor share one tree. An edit replaces it as the intent ``search``
would, over the version that the editor has seen, and says nothing in the conversation.
"""

from __future__ import annotations

from dataclasses import replace

from vitrine.caller import Caller
from vitrine.edge.http import Body, Source, Tag
from vitrine.edge.replies import Fault, Reply, Tree
from vitrine.edge.rules import looked_at
from vitrine.edge.wiring import Wiring, spoken_to
from vitrine.problems import Conflict
from vitrine.registry.profiles import Registry
from vitrine.session import Session, Turn, advance
from vitrine.store import sessions
from vitrine.store.rate import EDITS, LOOKS, take
from vitrine.tree.describe import describe
from vitrine.tree.model import dump
from vitrine.validate import Checked

NOTHING: Tree = {"type": "group", "operator": "and", "rules": []}


class Beginning(Body):
    """A source, and the tree to begin with."""

    source: Source
    tree: Tree = NOTHING
    language: Tag | None = None


class Editing(Body):
    """The whole tree as the editor has it, and the version that it was made of."""

    version: int
    tree: Tree
    language: Tag | None = None


class Line(Reply):
    """One line of the conversation."""

    role: str
    text: str


class Held(Reply):
    """A session as it stands; ``errors`` tell what its caller may no longer run."""

    session: str
    source: str
    version: int
    tree: Tree
    sentence: str
    messages: tuple[Line, ...] = ()
    errors: tuple[Fault, ...] = ()


class Gone(Reply):
    """What was taken away."""

    deleted: str


def begun(wiring: Wiring, caller: Caller, body: Beginning) -> Held:
    """Begin a session with a tree, as a filter editor without a chat does."""
    # Each is kept for a month, and begins with nothing that would cost its caller.
    take(wiring.table, caller, EDITS, now=wiring.now())
    caller = caller.speaking(body.language, caller.surface)
    caller, registry = seen(wiring, caller, body.source)
    tree = looked_at(wiring, caller, registry, body.tree).require()
    whose = (caller.tenant, caller.subject, caller.client)
    session = Session(wiring.number(), *whose, registry.source)
    step = advance(session, Turn("search", tree), registry, message="", language="")
    # Nobody has spoken yet, and the first turn is the one that counts.
    moved = replace(step.session, messages=(), version=0)
    kept = sessions.begin(wiring.table, moved, now=wiring.now())
    return _told(wiring, caller, registry, kept)


def read(wiring: Wiring, caller: Caller, number: str) -> Held:
    """Tell a caller's own session."""
    take(wiring.table, caller, LOOKS, now=wiring.now())
    session = sessions.load(wiring.table, caller, number, now=wiring.now())
    caller, registry = seen(wiring, caller, session.source)
    return _told(wiring, caller, registry, session)


def edited(wiring: Wiring, caller: Caller, number: str, body: Editing) -> Held:
    """Put an editor's tree in the session's place; ``Conflict`` if it moved on."""
    take(wiring.table, caller, EDITS, now=wiring.now())
    session = sessions.load(wiring.table, caller, number, now=wiring.now())
    caller = caller.speaking(body.language, caller.surface)
    caller, registry = seen(wiring, caller, session.source)
    tree = looked_at(wiring, caller, registry, body.tree).require()
    if session.version != body.version:
        raise Conflict(version=session.version)
    step = advance(session, Turn("search", tree), registry, message="", language="")
    # What was said stays what was said: an edit is no message.
    moved = replace(step.session, messages=session.messages)
    kept = sessions.save(wiring.table, moved, seen=body.version, now=wiring.now())
    return _told(wiring, caller, registry, kept)


def forgotten(wiring: Wiring, caller: Caller, number: str) -> Gone:
    """Forget a caller's own session."""
    take(wiring.table, caller, LOOKS, now=wiring.now())
    sessions.delete(wiring.table, caller, number, now=wiring.now())
    return Gone(deleted=number)


def seen(wiring: Wiring, caller: Caller, source: str) -> tuple[Caller, Registry]:
    """Give a source as its caller sees it, and the caller as they are answered."""
    registry = wiring.registry(caller, source)
    return spoken_to(caller, registry), registry


def _told(wiring: Wiring, caller: Caller, registry: Registry, session: Session) -> Held:
    raw = dump(session.tree)
    checked = looked_at(wiring, caller, registry, raw)
    return Held(
        session=session.id,
        source=session.source,
        version=session.version,
        tree=raw,
        sentence=sentence(checked, registry, caller.language),
        messages=tuple(Line.of(message) for message in session.messages),
        errors=tuple(Fault.of(fault) for fault in checked.faults),
    )


def sentence(checked: Checked, registry: Registry, language: str) -> str:
    """Say a tree; nothing where a field of it is no longer there to be named."""
    return describe(checked.tree, registry, language) if checked.valid else ""

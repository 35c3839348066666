"""Saved searches and links to them.

A link is a sealed token that names a search and opens it for anybody of the same
organisation whose own profile may run it: it carries no tree, so that what is deleted
is gone for every link, and nothing that a link's bearer could read or change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from vitrine.caller import Caller
from vitrine.edge.editing import Gone, seen, sentence
from vitrine.edge.http import Body, Source, Token
from vitrine.edge.replies import Fault, Reply, Tree
from vitrine.edge.rules import ONE_OF, looked_at, session_on
from vitrine.edge.wiring import Wiring
from vitrine.problems import Fault as Wrong
from vitrine.problems import Forbidden, Invalid
from vitrine.seal import Sealed
from vitrine.store import searches
from vitrine.store.rate import KEEPS, take
from vitrine.store.searches import Saved
from vitrine.tree.model import dump

_TURNING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def _legible(name: str) -> str:
    # Colleagues read it: nothing may turn, hide or break what stands beside it.
    if _TURNING.search(name):
        raise ValueError("a name is one line of letters")
    return name


Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=80),
    AfterValidator(_legible),
]
Days = Annotated[int, Field(ge=1, le=90)]


class Saving(Body):
    """A name, and a session as it stands or a tree; never both."""

    source: Source
    name: Name
    session: Token | None = None
    tree: Tree | None = None


class Sharing(Body):
    """For how many days a link opens."""

    days: Days = 30


class Opening(Body):
    """A link's token."""

    share: Token


class Entry(Reply):
    """One saved search in a list."""

    search: str
    source: str
    name: str
    at: datetime


class Found(Reply):
    """A saved search; ``errors`` tell what its caller may no longer run.

    Without ``search`` it is somebody else's, opened by a link.
    """

    search: str | None = None
    source: str
    name: str
    tree: Tree
    sentence: str
    at: datetime
    errors: tuple[Fault, ...] = ()


class Listed(Reply):
    """A person's saved searches, the newest first."""

    searches: tuple[Entry, ...]


class Shared(Reply):
    """A link's token, and until when it opens."""

    share: str
    until: datetime


def kept(wiring: Wiring, caller: Caller, body: Saving) -> Found:
    """Save a session's tree, or a tree, under a name."""
    _enter(wiring, caller)
    caller, registry = seen(wiring, caller, body.source)
    raw = _wanted(wiring, caller, body)
    # Checked when it is saved and again when it is opened: profiles and manifests
    # change in between.
    tree = dump(looked_at(wiring, caller, registry, raw).require())
    now = wiring.now().replace(microsecond=0)
    saved = Saved(wiring.number(), body.name, registry.source, tree, now)
    searches.save(wiring.table, caller, saved)
    return _found(wiring, caller, saved)


def listed(wiring: Wiring, caller: Caller) -> Listed:
    """List a person's own searches, whatever source they are on."""
    _enter(wiring, caller)
    own = sorted(searches.searches(wiring.table, caller), key=lambda s: s.at)
    entries = (
        Entry(search=s.id, source=s.source, name=s.name, at=s.at) for s in own[::-1]
    )
    return Listed(searches=tuple(entries))


def told(wiring: Wiring, caller: Caller, number: str) -> Found:
    """Tell a person's own search, and what of it they may no longer run."""
    return _found(wiring, caller, _own(wiring, caller, number))


def deleted(wiring: Wiring, caller: Caller, number: str) -> Gone:
    """Take a person's own search away; its links end with it."""
    _enter(wiring, caller)
    searches.delete(wiring.table, caller, number)
    return Gone(deleted=number)


def shared(wiring: Wiring, caller: Caller, number: str, body: Sharing) -> Shared:
    """Make a link to a person's own search."""
    saved = _own(wiring, caller, number)
    until = wiring.now().replace(microsecond=0) + timedelta(days=body.days)
    content = {"subject": caller.subject, "search": saved.id}
    token = wiring.ring.seal(_link(caller), content, until=until)
    return Shared(share=token, until=until)


def opened(wiring: Wiring, caller: Caller, body: Opening) -> Found:
    """Open a colleague's link; refuse a tree that the opener could not have sent.

    What is wrong with it is not told: that would name fields of another profile.
    """
    take(wiring.table, caller, KEEPS, now=wiring.now())
    named: Mapping[str, Any] = wiring.ring.open(
        _link(caller), body.share, now=wiring.now()
    )
    owner, number = named["subject"], named["search"]
    saved = searches.load(wiring.table, caller.tenant, owner, number)
    found = _found(wiring, caller, saved)
    if found.errors:
        raise Invalid([_BEYOND])
    return found.model_copy(update={"search": None})


_BEYOND = Wrong(
    "/share",
    "beyond_profile",
    "This search uses what is not open to you.",
    "Ask for one that does not.",
)


def _link(caller: Caller) -> Sealed:
    # Bound to the organisation and to nobody in it: that any colleague may open it is
    # what a link is for.
    return Sealed("share", (caller.tenant,))


def _enter(wiring: Wiring, caller: Caller) -> None:
    """Let a person in: visitors of one client would read and delete each other's.

    Raises ``TooFast`` where they come too often: nothing else here costs them anything.
    """
    if caller.anonymous:
        raise Forbidden("A signed-in user is needed here.")
    take(wiring.table, caller, KEEPS, now=wiring.now())


def _own(wiring: Wiring, caller: Caller, number: str) -> Saved:
    _enter(wiring, caller)
    return searches.load(wiring.table, caller.tenant, caller.subject, number)


def _wanted(wiring: Wiring, caller: Caller, body: Saving) -> Tree:
    if (body.session is None) is (body.tree is None):
        raise Invalid([ONE_OF])
    if body.session is None:
        return dict(body.tree or {})
    number, source = body.session, body.source
    return dump(session_on(wiring, caller, number=number, source=source).tree)


def _found(wiring: Wiring, caller: Caller, saved: Saved) -> Found:
    caller, registry = seen(wiring, caller, saved.source)
    checked = looked_at(wiring, caller, registry, saved.tree)
    return Found(
        search=saved.id,
        source=saved.source,
        name=saved.name,
        tree=saved.tree,
        sentence=sentence(checked, registry, caller.language),
        at=saved.at,
        errors=tuple(Fault.of(fault) for fault in checked.faults),
    )

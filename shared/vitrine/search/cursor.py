"""One sealed cursor for every engine: where the next page begins, and in which mode.

A cursor is bound to caller, source, profile and tree; forged, foreign and stale ones
are one typed refusal, which ``seal.Ring`` raises.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from vitrine.caller import Caller
from vitrine.registry.profiles import Registry
from vitrine.seal import Ring, Sealed
from vitrine.search.engine import Mode, Position
from vitrine.tree.model import Group
from vitrine.tree.walk import tree_hash

LIFE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where page ``page`` begins (the first is 1), in an engine's own values.

    ``sort`` is the order that the walk has: a later page can't have another one.
    """

    position: Position
    mode: Mode
    page: int
    sort: str | None = None


def binding(caller: Caller, registry: Registry, tree: Group) -> Sealed:
    """Say what a cursor belongs to; a changed word of it is another cursor."""
    # Whose it is and what was asked: a place in one result means nothing in another's.
    whose = (caller.identity, caller.client, registry.source, registry.profile)
    return Sealed("cursor", (*whose, tree_hash(tree)))


def write(cursor: Cursor, ring: Ring, bound: Sealed, now: datetime) -> str:
    """Seal a cursor for the next page."""
    content = {
        "at": cursor.position,
        "mode": cursor.mode,
        "page": cursor.page,
        "sort": cursor.sort,
    }
    return ring.seal(bound, content, until=now + LIFE)


def read(token: str, ring: Ring, bound: Sealed, now: datetime) -> Cursor:
    """Open a cursor; raise ``Invalid`` for forged, foreign and stale alike."""
    content = ring.open(bound, token, now=now)
    at, sort = tuple(content["at"]), content.get("sort")
    return Cursor(at, content["mode"], content["page"], sort)

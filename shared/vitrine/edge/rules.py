"""A tree from outside, judged for its caller: what ``validate`` answers."""

from __future__ import annotations

from typing import Any, Protocol

from vitrine import validate
from vitrine.caller import Caller, Surface
from vitrine.edge.replies import Checked
from vitrine.edge.sizing import sized
from vitrine.edge.wiring import Wiring, spoken_to
from vitrine.problems import Fault, Invalid
from vitrine.registry.profiles import Registry
from vitrine.session import Session
from vitrine.store import sessions
from vitrine.tree.model import dump

EDITORS = frozenset({Surface.API, Surface.GALLERY})
ONE_OF = Fault(
    "", "one_of", "Send either a session or a tree.", "Leave the other one out."
)


class TreeBody(Protocol):
    """A body that carries a tree."""

    @property
    def source(self) -> str:
        """Name the source."""
        ...

    @property
    def tree(self) -> dict[str, Any]:
        """Give the raw tree."""
        ...


def judged(wiring: Wiring, caller: Caller, body: TreeBody) -> Checked:
    """Check a tree as its caller may run it; faults are an answer, not an error."""
    registry = wiring.registry(caller, body.source)
    checked = looked_at(wiring, spoken_to(caller, registry), registry, body.tree)
    checked = sized(wiring, caller, registry, checked)
    return Checked.model_validate(
        {
            "valid": checked.valid,
            "tree": dump(checked.tree),
            "errors": checked.faults,
        }
    )


def looked_at(
    wiring: Wiring, caller: Caller, registry: Registry, raw: dict[str, Any]
) -> validate.Checked:
    """Check a raw tree as its caller may run it today."""
    return validate.check(
        raw,
        registry,
        today=wiring.today(registry),
        language=caller.language,
        ids=may_edit(caller, registry),
        pointer="/tree",
    )


def session_on(wiring: Wiring, caller: Caller, *, number: str, source: str) -> Session:
    """Read a caller's own session; raise ``Invalid`` where it is on another source."""
    session = sessions.load(wiring.table, caller, number, now=wiring.now())
    if session.source != source:
        fault = Fault("/source", "other_source", "The session is on another source.")
        raise Invalid([fault])
    return session


def may_edit(caller: Caller, registry: Registry) -> bool:
    """Tell whether stored ids may be sent: a trusted editor's privilege.

    An agent has none, whatever surface it claims for the person it acts for.
    """
    at_desk = caller.surface in EDITORS and caller.actor is None
    return at_desk and registry.budget is None

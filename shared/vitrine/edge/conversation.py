"""One turn of a conversation, from a sentence or from an agent's arguments.

Switch and rate come before anything that costs money. What a model cost is recorded
before the session is saved: a turn that loses the race for the session was paid too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

from vitrine.caller import Caller
from vitrine.edge import hearing
from vitrine.edge.arguments import Search, located
from vitrine.edge.hearing import SWITCHED_OFF
from vitrine.edge.telemetry import turned
from vitrine.edge.wiring import Wiring, spoken_to
from vitrine.interpret.turn import Outcome
from vitrine.problems import Fault, Invalid
from vitrine.registry.profiles import Registry
from vitrine.session import Intent, Session, Step, Turn, advance
from vitrine.store import sessions, spend
from vitrine.store.rate import INTERPRETS, take
from vitrine.tree.model import EMPTY, Group
from vitrine.validate import check, validate

__all__ = ["SWITCHED_OFF", "Heard", "Narrowed", "Said", "Talk", "converse", "narrow"]


@dataclass(frozen=True, slots=True)
class Said:
    """A message to a source, in a session or at the beginning of one."""

    source: str
    message: str
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What a message made of the session, who read it, and what that cost.

    ``why`` is the stable reason for which no model read it: ``kill_switch``,
    ``circuit_open``, ``no_secret``, or the model's own failure.
    """

    talk: Talk
    step: Step
    outcome: Outcome
    why: str = ""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The tree that an agent's arguments lead to, and the turn that led there.

    ``begun`` is a new session that is still to be kept: see ``Talk.keeping``.
    """

    tree: Group
    session: str | None = None
    step: Step | None = None
    begun: Session | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """Who speaks about which source, in an environment."""

    wiring: Wiring
    caller: Caller
    registry: Registry

    @property
    def today(self) -> date:
        """Tell the date where the source's people are."""
        return self.wiring.today(self.registry)

    def opened(self, number: str | None) -> Session:
        """Continue the caller's own session on this source, or imagine a new one.

        A new one is first kept with its first turn, by ``advanced``.
        """
        table, now, source = self.wiring.table, self.wiring.now(), self.registry.source
        caller = self.caller
        if number is None:
            whose = (caller.tenant, caller.subject, caller.client)
            return Session(self.wiring.number(), *whose, source)
        session = sessions.load(table, caller, number, now=now)
        # The tree speaks of the other source's fields: merged here, it would be refused
        # leaf by leaf.
        if session.source != source:
            raise Invalid([_ELSEWHERE])
        return session

    def foreseen(self, session: Session, turn: Turn, message: str) -> Step:
        """Merge a turn and check the whole tree again; keep nothing."""
        registry, language = self.registry, self.caller.language
        step = advance(session, turn, registry, message=message, language=language)
        tree = validate(
            step.session.tree, registry, today=self.today, language=language
        ).require()
        return replace(step, session=replace(step.session, tree=tree))

    def advanced(
        self, session: Session, turn: Turn, message: str, *, new: bool
    ) -> Step:
        """Merge a turn; keep a new session, or one over the version it was read at."""
        step, now = self.foreseen(session, turn, message), self.wiring.now()
        table, seen = self.wiring.table, session.version
        if new:
            kept = sessions.begin(table, step.session, now=now)
        else:
            kept = sessions.save(table, step.session, seen=seen, now=now)
        return replace(step, session=kept)

    @contextmanager
    def keeping(self, begun: Session | None) -> Iterator[None]:
        """Keep a new session while its search runs: neither needs the other.

        The answer waits for both, so that its session is there when it arrives.
        """
        if begun is None:
            yield
            return
        table, now = self.wiring.table, self.wiring.now()
        writing = self.wiring.aside.submit(sessions.begin, table, begun, now=now)
        try:
            yield
        finally:
            # Waited for whatever the search did: what is left behind freezes with the
            # environment and may never be written.
            writing.result()


_ELSEWHERE = Fault(
    "/session",
    "other_source",
    "This session is about another source.",
    "Begin one here by leaving the session out.",
)


def converse(wiring: Wiring, caller: Caller, said: Said) -> Heard:
    """Read a message, change the session's tree, keep it; search nothing."""
    now = wiring.now()
    registry = wiring.registry(caller, said.source)
    talk = Talk(wiring, spoken_to(caller, registry), registry)
    off = wiring.switch.on(now)
    take(wiring.table, caller, INTERPRETS, now=now)
    session = talk.opened(said.session)
    outcome, why = hearing.read(talk, session, said.message, off=off)
    if micros := outcome.total.micros:
        spend.add(wiring.table, caller.tenant, micros, now=now)
    turned(caller, said.source, outcome, why=why)
    billed, new = _billed(session, outcome), said.session is None
    step = talk.advanced(billed, outcome.turn, said.message, new=new)
    hearing.learnt(talk, session, step.session)
    return Heard(talk, step, outcome, why)


def _billed(session: Session, outcome: Outcome) -> Session:
    total = outcome.total
    return replace(
        session,
        tokens=session.tokens + total.tokens,
        micros=session.micros + total.micros,
        calls=session.calls + total.calls,
        retries=session.retries + outcome.tally.retries,
    )


def narrow(talk: Talk, asked: Search) -> Narrowed:
    """Turn an agent's arguments into a session's tree.

    Without a session they begin a search, with one they refine it, unless an intent
    is given. Without filters the session stays as it is; with neither there is
    nothing to keep. A dry run keeps nothing, and begins no session.
    """
    intent = _intent(asked)
    if asked.tree is None and asked.session is None:
        return Narrowed(EMPTY)
    if asked.tree is None and intent != "reset":
        session = talk.opened(asked.session)
        return Narrowed(session.tree, session.id)
    delta = (
        EMPTY if intent == "reset" else _delta(talk, asked, loose=intent == "remove")
    )
    # A walk without a session has its place in the cursor; each of its pages would
    # begin a session.
    if asked.session is None and asked.cursor is not None:
        return Narrowed(delta)
    turn, message = Turn(intent, delta), asked.query or ""
    session = talk.opened(asked.session)
    if asked.dry_run:
        step = talk.foreseen(session, turn, message)
        return Narrowed(step.session.tree, asked.session, step)
    if asked.session is None:
        step = talk.foreseen(session, turn, message)
        return Narrowed(step.session.tree, session.id, step, step.session)
    step = talk.advanced(session, turn, message, new=False)
    return Narrowed(step.session.tree, session.id, step)


_ALONE = frozenset({"search", "reset"})


def _intent(asked: Search) -> Intent:
    """Give what is to be done; raise ``Invalid`` where it can't be."""
    intent = cast("Intent", asked.intent or ("refine" if asked.session else "search"))
    if asked.session is None and intent not in _ALONE:
        fault = Fault("/intent", "no_session", f"intent: {intent} needs a session.")
        raise Invalid([replace(fault, remedy="Send the session of an earlier answer.")])
    if asked.intent and asked.tree is None and intent != "reset":
        said = f"intent: {intent} needs words or filters."
        raise Invalid([Fault("/intent", "no_filters", said, "Send query or filters.")])
    return intent


def _delta(talk: Talk, asked: Search, *, loose: bool) -> Group:
    """Check the arguments' own tree; raise ``Invalid`` naming the arguments."""
    language = talk.caller.language
    checked = check(
        asked.tree, talk.registry, today=talk.today, language=language, loose=loose
    )
    if checked.valid:
        return checked.tree
    found = checked.faults
    raise Invalid(replace(f, pointer=located(f.pointer, asked)) for f in found)

"""From a body or a tool's arguments to the one search, and its line in the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from vitrine.caller import Caller, Surface
from vitrine.disclosure.answer import Answer
from vitrine.edge.rules import ONE_OF, may_edit, session_on
from vitrine.edge.telemetry import diagnosed, found, read, searched
from vitrine.edge.watching import refusals
from vitrine.edge.wiring import Wiring, spoken_to
from vitrine.problems import Conflict, Invalid, Missing, Unavailable
from vitrine.registry.profiles import Registry
from vitrine.search.execute import execute, rehearse
from vitrine.search.explain import Explanation, explain
from vitrine.search.lookup import NO_RECORD, Looked, look_up, read_whole
from vitrine.search.prepare import Ask, Ready
from vitrine.store import known
from vitrine.store.rate import SEARCHES, take
from vitrine.tree.model import Group
from vitrine.validate import check


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched: a session as it stands, or a raw tree, never both."""

    source: str
    session: str | None = None
    version: int | None = None
    tree: dict[str, Any] | None = None
    cursor: str | None = None
    limit: int | None = None
    sort: str | None = None


def search(wiring: Wiring, caller: Caller, wanted: Wanted) -> Answer:
    """Run the one search; raise a ``Problem`` to refuse."""
    return run(wiring, asked(wiring, caller, wanted))


def run(wiring: Wiring, ask: Ask) -> Answer:
    """Run what was asked, whoever asked it; count it and write its line."""
    with refusals(ask.caller, ask.registry.source), _paced(wiring, ask):
        answer = execute(ask, wiring.parts(ask.registry))
    searched(ask.caller, ask.registry.source, answer=answer, tree=ask.tree)
    return answer


def explained(wiring: Wiring, caller: Caller, wanted: Wanted) -> Explanation:
    """Explain why the search finds nothing; in a chat that is its diagnosis."""
    if caller.surface is Surface.CHAT_PREVIEW:
        caller = caller.speaking(None, Surface.CHAT_DIAGNOSTIC)
    return explaining(wiring, asked(wiring, caller, wanted))


def explaining(wiring: Wiring, ask: Ask) -> Explanation:
    """Explain what was asked, whoever asked it; count it and write its line."""
    with refusals(ask.caller, ask.registry.source), _paced(wiring, ask):
        told = explain(ask, wiring.parts(ask.registry))
    diagnosed(ask.caller, ask.registry.source, told=told, tree=ask.tree)
    return told


def looking(wiring: Wiring, ask: Ask, keys: Sequence[str]) -> Looked:
    """Look up what the caller can name; count it and write its line."""
    with refusals(ask.caller, ask.registry.source), _paced(wiring, ask):
        looked = look_up(ask, keys, wiring.parts(ask.registry))
    found(ask.caller, ask.registry.source, looked=looked)
    return looked


def reading(wiring: Wiring, ask: Ask, ref: str) -> Mapping[str, Any]:
    """Read one document in full that this identity was shown; write its line.

    Raises ``Missing`` before any engine is asked for what was never shown: unknown,
    foreign and hidden refs are one answer, for one price.
    """
    caller, source = ask.caller, ask.registry.source
    # What is no record is counted too: looking it up is what a guess costs us.
    with refusals(caller, source), _paced(wiring, ask):
        if not known.knows(wiring.table, caller, source, ref, ask.now):
            raise Missing(NO_RECORD)
        record = read_whole(ask, ref, wiring.parts(ask.registry))
    read(caller, source)
    return record


def rehearsing(wiring: Wiring, ask: Ask) -> Ready:
    """Check and resolve what was asked, without running it."""
    with refusals(ask.caller, ask.registry.source), _paced(wiring, ask):
        return rehearse(ask, wiring.parts(ask.registry))


@contextmanager
def _paced(wiring: Wiring, ask: Ask) -> Iterator[None]:
    """Count a call against its identity's pace: every agent's, and of who has a budget.

    Where no budget applies the count runs beside the search, and the answer waits for
    both: too hasty an agent is told nothing. Without a store such a search goes on.
    """
    if ask.registry.budget is not None:
        take(wiring.table, ask.caller, SEARCHES, now=ask.now)
    if ask.registry.budget is not None or ask.caller.surface is not Surface.MCP:
        yield
        return
    counting = wiring.aside.submit(
        take, wiring.table, ask.caller, SEARCHES, now=ask.now
    )
    try:
        yield
    finally:
        with suppress(Unavailable):
            counting.result()


def asked(wiring: Wiring, caller: Caller, wanted: Wanted) -> Ask:
    """Read a request against its source's registry."""
    registry = wiring.registry(caller, wanted.source)
    caller = spoken_to(caller, registry)
    if (wanted.session is None) is (wanted.tree is None):
        raise Invalid([ONE_OF])
    return Ask(
        caller=caller,
        registry=registry,
        tree=_tree(wiring, caller, registry, wanted),
        now=wiring.now(),
        session=wanted.session,
        limit=wanted.limit,
        cursor=wanted.cursor,
        sort=wanted.sort,
        ids=may_edit(caller, registry),
    )


def _tree(wiring: Wiring, caller: Caller, registry: Registry, wanted: Wanted) -> Group:
    if wanted.session is not None:
        return _kept(wiring, caller, wanted.session, wanted)
    return check(
        wanted.tree,
        registry,
        today=wiring.today(registry),
        language=caller.language,
        ids=may_edit(caller, registry),
        pointer="/tree",
    ).require()


def _kept(wiring: Wiring, caller: Caller, number: str, wanted: Wanted) -> Group:
    session = session_on(wiring, caller, number=number, source=wanted.source)
    if wanted.version not in {None, session.version}:
        raise Conflict(version=session.version)
    return session.tree

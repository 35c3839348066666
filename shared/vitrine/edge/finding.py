"""The tools that find: search, a person's sentence, and why nothing was found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

from vitrine.caller import Caller, Surface
from vitrine.disclosure.answer import Answer
from vitrine.edge import arguments, calls, tables
from vitrine.edge.conversation import Narrowed, Said, Talk, converse, narrow
from vitrine.edge.exchange import Asked, Form, Told
from vitrine.edge.lines import rendered
from vitrine.edge.searching import explaining, rehearsing, run
from vitrine.edge.telemetry import failed
from vitrine.edge.wiring import Wiring, spoken_to
from vitrine.interpret.ambiguity import asking
from vitrine.problems import Unavailable
from vitrine.registry.profiles import Registry
from vitrine.seal import Sealed
from vitrine.search.prepare import Ask
from vitrine.session import Clarify, Session, Step, ambiguous_terms
from vitrine.store import known
from vitrine.tree.describe import describe, describe_changes, describe_unmet

PATIENCE = timedelta(minutes=10)
"""How long a person may think about a question."""
READING = "reading"
"""The name of a form's only member."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Who asks which source, as the tools need it."""

    wiring: Wiring
    caller: Caller
    registry: Registry

    @classmethod
    def of(
        cls, wiring: Wiring, caller: Caller, registry: Registry, language: str | None
    ) -> Bench:
        """Set up for a call, answered in a language or the source's own."""
        spoken = spoken_to(caller.speaking(language, Surface.MCP), registry)
        return cls(wiring, spoken, registry)

    def ask(
        self,
        narrowed: Narrowed,
        limit: int,
        cursor: str | None = None,
        sort: str | None = None,
    ) -> Ask:
        """Make the one search's question of a tree."""
        return Ask(
            caller=self.caller,
            registry=self.registry,
            tree=narrowed.tree,
            now=self.wiring.now(),
            session=narrowed.session,
            limit=limit,
            cursor=cursor,
            sort=sort,
        )

    @contextmanager
    def remembering(self, refs: Iterable[str]) -> Iterator[None]:
        """Note what is shown beside writing it, where records may be read in full.

        Where the store is away the answer stands: what is lost is a way on.
        """
        if self.registry.budget is not None:
            yield
            return
        wiring, source = self.wiring, self.registry.source
        noting = wiring.aside.submit(
            known.remember, wiring.table, self.caller, source, refs, now=wiring.now()
        )
        try:
            yield
        finally:
            if isinstance(lost := noting.exception(), Unavailable):
                failed("what was shown is not remembered", lost)
            elif lost is not None:
                raise lost

    def changed(self, step: Step | None) -> dict[str, str]:
        """Say what a turn changed, and what it could not."""
        if step is None:
            return {}
        registry, language = self.registry, self.caller.language
        return {
            "changes": describe_changes(step.changes, registry, language),
            "unmet": describe_unmet(step.unmet, registry, language),
        }


def shown(answer: Answer) -> list[str]:
    """Give the refs of an answer's documents."""
    return [hit["ref"] for hit in answer.hits]


def search(bench: Bench, given: Mapping[str, Any]) -> Told:
    """Search; the session goes on, or begins."""
    asked = arguments.search(given)
    talk = Talk(bench.wiring, bench.caller, bench.registry)
    narrowed = narrow(talk, asked)
    if asked.dry_run:
        return _rehearsed(bench, narrowed, asked.sort)
    ask = bench.ask(narrowed, asked.limit, asked.cursor, asked.sort)
    with talk.keeping(narrowed.begun):
        answer = run(bench.wiring, ask)
    doubt = _doubt(bench, narrowed.begun, asked.query)
    return _answered(bench, narrowed, answer, doubt)


def _doubt(bench: Bench, begun: Session | None, query: str | None) -> Clarify | None:
    """Ask which reading of a word is meant, beside what its words find.

    An agent's words are searched as they stand, so that this is no dead end and no
    form; a filter that bears one reading out has settled it.
    """
    if begun is None or query is None:
        return None
    registry, language = bench.registry, bench.caller.language
    # As if nothing was settled: what the words themselves settled at this very search
    # is looked at below.
    fresh = replace(begun, readings={})
    for term in ambiguous_terms(query, language, fresh, registry):
        filtered = {reading.name for reading in term.readings if reading.field}
        if begun.readings.get(term.term) not in filtered:
            return asking(term, language).clarify
    return None


def _answered(
    bench: Bench, narrowed: Narrowed, answer: Answer, doubt: Clarify | None = None
) -> Told:
    with bench.remembering(shown(answer)):
        return rendered(
            answer,
            session=narrowed.session,
            nonce=bench.wiring.mark(),
            clarify=_question(doubt) if doubt else None,
            **bench.changed(narrowed.step),
        )


def _rehearsed(bench: Bench, narrowed: Narrowed, sort: str | None) -> Told:
    """Check and say a search, labels included, without running or keeping it."""
    ready = rehearsing(bench.wiring, bench.ask(narrowed, 0, sort=sort))
    said = describe(ready.tree, bench.registry, bench.caller.language)
    changed = {k: v for k, v in bench.changed(narrowed.step).items() if v}
    data = {"note": "A dry run: nothing was searched or kept.", "sentence": said}
    lines = [data["note"], f"Would search: {said}"]
    lines += [f"{key.capitalize()}: {text}" for key, text in changed.items()]
    return data | changed, "\n".join(lines)


def explain(bench: Bench, asked: calls.Explain) -> Told:
    """Tell why a search finds nothing, and what would."""
    talk = Talk(bench.wiring, bench.caller, bench.registry)
    session = asked.search.session
    # A dry run, since a question about a search is no turn of it.
    narrowed = narrow(talk, replace(asked.search, dry_run=True))
    told = explaining(bench.wiring, bench.ask(narrowed, 0))
    return tables.explained(told, session, nonce=bench.wiring.mark())


def sentence(bench: Bench, asked: Asked, meant: calls.Sentence) -> Told | Form:
    """Read a person's sentence and search by it, or ask the person back."""
    wiring, caller = bench.wiring, bench.caller
    said = Said(meant.source, meant.message, meant.session)
    if asked.state is not None:
        kept = wiring.ring.open(_sealed(caller, asked), asked.state, now=wiring.now())
        chosen = _chosen(asked.filled)
        if chosen is None:
            return _unsettled(Clarify(**kept["clarify"]), kept["session"])
        said = Said(meant.source, chosen, kept["session"])
    step = converse(wiring, caller, said).step
    if step.clarify is not None:
        return _back(bench, asked, step.clarify, step.session.id)
    narrowed = Narrowed(step.session.tree, step.session.id, step)
    answer = run(wiring, bench.ask(narrowed, meant.limit))
    return _answered(bench, narrowed, answer)


def _chosen(filled: Mapping[str, Any] | None) -> str | None:
    value = (filled or {}).get(READING)
    return value if isinstance(value, str) and value.strip() else None


def _back(bench: Bench, asked: Asked, clarify: Clarify, session: str) -> Told | Form:
    """Ask the person in a form where the client has one, else through the agent."""
    if not asked.forms or not clarify.options:
        return _unsettled(clarify, session)
    wiring = bench.wiring
    told = {"reason": clarify.reason, "question": clarify.question}
    content = {"session": session, "clarify": told}
    bound, until = _sealed(bench.caller, asked), wiring.now() + PATIENCE
    state = wiring.ring.seal(bound, content, until=until)
    options = {option.name: option.label for option in clarify.options}
    return Form(clarify.question, READING, options, state)


def _sealed(caller: Caller, asked: Asked) -> Sealed:
    """Bind a form's state to who was asked, and to the very call that asked."""
    said = json.dumps([asked.name, dict(asked.arguments)], sort_keys=True, default=str)
    digest = sha256(said.encode()).hexdigest()
    return Sealed("state", (caller.tenant, caller.identity, caller.client, digest))


def _unsettled(clarify: Clarify, session: str) -> Told:
    """Pass a question on: the answer is another sentence in the same session."""
    asked = _question(clarify)
    note = "Nothing was searched: ask the person, then call ask with their answer."
    data = {"note": note, "clarify": asked, "session": session}
    lines = [note, clarify.question, *(f"- {o.label}" for o in clarify.options)]
    return data, "\n".join([*lines, f"session: {session}"])


def _question(clarify: Clarify) -> dict[str, Any]:
    """Write a question as data."""
    options = [{"name": o.name, "label": o.label} for o in clarify.options]
    asked = {"reason": clarify.reason, "question": clarify.question}
    return asked | ({"options": options} if options else {})

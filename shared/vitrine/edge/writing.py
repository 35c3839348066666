"""The tools that write: a note, and its undoing.

They need the scope, the organisation's grant to the client, and a caller who is a
member of the CRM, and they have a pace of their own. What was written is marked as an
AI's wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from vitrine.disclosure.projection import SIGN
from vitrine.edge import calls
from vitrine.edge.exchange import Told
from vitrine.edge.finding import Bench
from vitrine.edge.telemetry import noted
from vitrine.edge.tools import UNDO, WRITE
from vitrine.edge.watching import refusals
from vitrine.problems import Missing
from vitrine.store import grants
from vitrine.store.rate import NOTES, take

PERSONS = "persons"


def log(bench: Bench, given: Mapping[str, Any]) -> Told:
    """Keep a note about people that the caller can see."""
    asked = calls.note(given)
    _allowed(bench)
    with _absent("One of the people is not there for this caller."):
        people = _ids(bench, PERSONS, asked.people)
        made = bench.wiring.notes.log(
            bench.caller, asked.text, people=people, request=asked.request
        )
    noted(bench.caller, bench.registry.source, "written")
    ref, mark = _ref(bench, made.id), _mark(bench, made.at)
    # Its author knows it: the record may be read without a search before.
    with bench.remembering([ref]):
        return _written(ref, mark)


def _written(ref: str, mark: str) -> Told:
    data = {
        "note": "Written. The person can take it back with undo_note.",
        "note_ref": ref,
        "mark": mark,
        "undo": {"tool": UNDO, "note_ref": ref},
    }
    return data, f"{data['note']}\n{mark}\nnote_ref: {ref}"


def undo(bench: Bench, given: Mapping[str, Any]) -> Told:
    """Take a note of the caller's own back."""
    ref = calls.undo(given)
    _allowed(bench)
    with _absent("There is no such note of this caller."):
        (meant,) = _ids(bench, bench.registry.source, [ref])
        gone = bench.wiring.notes.undo(bench.caller, meant)
    noted(bench.caller, bench.registry.source, "undone")
    data = {"note": f"Undone at {gone.at:%Y-%m-%d %H:%M} UTC.", "note_ref": ref}
    return data, f"{data['note']}\nnote_ref: {ref}"


def _allowed(bench: Bench) -> None:
    wiring = bench.wiring
    # Before anything is written: an agent in a loop would fill the customer's database.
    with refusals(bench.caller, bench.registry.source):
        take(wiring.table, bench.caller, NOTES, now=wiring.now())
    grants.require(wiring.table, bench.caller, WRITE, now=wiring.now())


@contextmanager
def _absent(said: str) -> Iterator[None]:
    """Say one sentence for what is unknown, hidden, foreign or no ref at all."""
    try:
        yield
    except Missing as error:
        raise Missing(said) from error


def _ids(bench: Bench, source: str, refs: Sequence[str]) -> list[str]:
    """Give the ids that refs stand for; the database knows who is in sight."""
    tenant, known = bench.caller.tenant, bench.wiring.refs
    meant = [known.id_of(tenant, source, ref) for ref in refs]
    found = [stored for stored in meant if stored is not None]
    if len(found) < len(refs):
        raise Missing
    return found


def _ref(bench: Bench, document: str) -> str:
    caller, source = bench.caller, bench.registry.source
    return bench.wiring.refs.ref(caller.tenant, source, document)


def _mark(bench: Bench, at: datetime) -> str:
    caller = bench.caller
    author = caller.actor or caller.client
    return f"{SIGN} {author} via {caller.client} at {at.isoformat()}"

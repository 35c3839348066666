"""A record that was never shown costs one look into the memory, whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from infra.local.seed import manifest_of
from vitrine.caller import Caller, Surface
from vitrine.edge import calls, writing
from vitrine.edge.finding import Bench
from vitrine.edge.reading import record
from vitrine.edge.wiring import Wiring
from vitrine.problems import Missing, TooFast
from vitrine.registry.profiles import registry_for
from vitrine.seal import SECRET, Refs
from vitrine.store.table import Outcome, Write

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ALICE = Caller(
    "t", "alice", "desk", scopes=frozenset({"notes:write"}), surface=Surface.MCP
)
NOTE = {"text": "a note", "request_id": "1"}
REFS = Refs(bytes(SECRET))
THERE = "7f9f2c80-0000-4000-8000-00000000000a"


class Shelf:
    """A table that holds nothing and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def marked(self, partition: str, _: bytes, *, since: str, now: datetime) -> bool:
        self.asked.append((partition, since, str(now)))
        return False

    def write(self, *_: Write) -> Outcome:
        return Outcome(won=True)


class Closed(Wiring):
    """A wiring whose engines must not be reached."""

    def parts(self, registry: Any) -> Any:
        raise AssertionError(f"{registry.source} was asked")


def bench(shelf: Shelf) -> Bench:
    wiring: Any = Closed({}, NOW.timestamp)
    wiring.table = shelf
    registry = registry_for(manifest_of("events"), "trusted", tenant="t")
    return Bench(wiring, ALICE, registry)


@pytest.mark.parametrize(
    "ref",
    [
        pytest.param(REFS.ref("t", "events", THERE), id="never shown"),
        pytest.param(REFS.ref("u", "events", THERE), id="foreign"),
        pytest.param(REFS.ref("t", "persons", THERE), id="of another source"),
        pytest.param("a" * 26, id="unknown"),
        pytest.param("nonsense", id="no ref"),
        pytest.param("", id="nothing"),
        pytest.param("é" * 1000, id="long"),
    ],
)
def test_what_was_never_shown_is_one_answer_for_one_price(ref: str) -> None:
    shelf, plain = Shelf(), Shelf()

    with pytest.raises(Missing) as refused:
        record(bench(shelf), calls.Record("events", ref))
    with pytest.raises(Missing) as usual:
        record(bench(plain), calls.Record("events", "a" * 26))

    assert usual.value.body() == refused.value.body()
    assert plain.asked == shelf.asked
    assert len(shelf.asked) == 1


class Full(Shelf):
    """A table in which an identity's log of calls is full."""

    def write(self, *_: Write) -> Outcome:
        now = NOW.timestamp() * 1000
        return Outcome(won=False, items=({"calls": [now] * 30, "turn": 1},))


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(lambda b: record(b, calls.Record("events", "a")), id="read"),
        pytest.param(lambda b: writing.log(b, NOTE), id="write"),
        pytest.param(lambda b: writing.undo(b, {"note_ref": "a"}), id="undo"),
    ],
)
def test_too_hasty_an_agent_neither_reads_nor_writes(
    order: Callable[[Bench], Any],
) -> None:
    with pytest.raises(TooFast):
        order(bench(Full()))

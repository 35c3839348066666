"""An editor's sessions have a pace: each of them is kept for a month."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from vitrine.caller import Caller
from vitrine.edge.editing import Beginning, Editing, begun, edited
from vitrine.edge.wiring import Wiring
from vitrine.problems import TooFast
from vitrine.store.rate import EDITS
from vitrine.store.table import Outcome, Write

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ALICE = Caller("t", "alice", "desk", scopes=frozenset({"products:read"}))
CHANGE = Editing(version=0, tree={})


class Full:
    """A table in which an identity's log of edits is full, and nothing else is."""

    def write(self, *_: Write) -> Outcome:
        log = [NOW.timestamp() * 1000] * EDITS.number
        return Outcome(won=False, items=({"calls": log, "turn": 1},))


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(lambda w: begun(w, ALICE, Beginning(source="products")), id="new"),
        pytest.param(lambda w: edited(w, ALICE, "s", CHANGE), id="edit"),
    ],
)
def test_too_hasty_an_editor_keeps_nothing(order: Callable[[Wiring], Any]) -> None:
    wiring: Any = Wiring({}, NOW.timestamp)
    wiring.table = Full()

    with pytest.raises(TooFast):
        order(wiring)

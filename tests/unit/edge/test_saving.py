"""Saved searches are a person's: whoever enters without a user has none.

And whoever comes too often is sent away before anything of theirs is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from vitrine.caller import Caller
from vitrine.edge import editing, saving
from vitrine.edge.saving import Opening, Saving, Sharing
from vitrine.edge.wiring import Wiring
from vitrine.problems import Forbidden, TooFast
from vitrine.store.table import Outcome, Write

VISITOR = Caller("t", "web", "web", scopes=frozenset({"products:read"}))
ALICE = Caller("t", "alice", "web", scopes=frozenset({"products:read"}))
BODY = Saving(source="products", name="lamps", tree={})


class Untouched(Wiring):
    """A wiring whose parts must not be reached."""

    @property
    def table(self) -> Any:
        raise AssertionError("the table was asked")

    def registry(self, caller: Caller, source: str) -> Any:
        raise AssertionError(f"{source} was read for {caller.subject}")


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(lambda w: saving.kept(w, VISITOR, BODY), id="save"),
        pytest.param(lambda w: saving.listed(w, VISITOR), id="list"),
        pytest.param(lambda w: saving.told(w, VISITOR, "n"), id="read"),
        pytest.param(lambda w: saving.deleted(w, VISITOR, "n"), id="delete"),
        pytest.param(lambda w: saving.shared(w, VISITOR, "n", Sharing()), id="share"),
    ],
)
def test_visitors_of_one_client_share_no_list(order: Callable[[Wiring], Any]) -> None:
    with pytest.raises(Forbidden):
        order(Untouched({}))


@pytest.mark.parametrize(
    "name", ["a\u202eb", "a\nb", "a\x1b[31m", "a\u2028b", "\u2066a", " ", "x" * 81]
)
def test_a_name_that_colleagues_could_misread_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        Saving(source="products", name=name, tree={})


@pytest.mark.parametrize("name", ["Lampes « été »", "日本", "👩\u200d👧", "a" * 80])
def test_a_name_is_in_any_script(name: str) -> None:
    assert name == Saving(source="products", name=f" {name} ", tree={}).name


class Full:
    """A table in which every log of calls is full, and which holds nothing else."""

    def write(self, *writes: Write) -> Outcome:
        assert [w.key[0].partition("#")[0] for w in writes] == ["RATE"]
        return Outcome(won=False, items=({"calls": [2**50] * 200, "turn": 1},))


def crowded() -> Wiring:
    wiring: Any = Wiring({}, lambda: 1_000_000.0)
    wiring.table = Full()
    return wiring  # type: ignore[no-any-return] # a table of ours in it


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(lambda w: saving.kept(w, ALICE, BODY), id="save"),
        pytest.param(lambda w: saving.listed(w, ALICE), id="list"),
        pytest.param(lambda w: saving.told(w, ALICE, "n"), id="see"),
        pytest.param(lambda w: saving.deleted(w, ALICE, "n"), id="delete"),
        pytest.param(lambda w: saving.shared(w, ALICE, "n", Sharing()), id="share"),
        pytest.param(lambda w: saving.opened(w, ALICE, Opening(share="s")), id="open"),
        pytest.param(lambda w: editing.read(w, ALICE, "n"), id="read a session"),
        pytest.param(lambda w: editing.forgotten(w, ALICE, "n"), id="forget one"),
    ],
)
def test_too_hasty_an_editor_reaches_nothing(order: Callable[[Wiring], Any]) -> None:
    with pytest.raises(TooFast):
        order(crowded())

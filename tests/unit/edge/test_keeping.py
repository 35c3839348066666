"""A new session is kept beside its search, and the answer waits for both."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from infra.local.demo import shop
from vitrine.caller import Caller
from vitrine.edge.conversation import Talk
from vitrine.edge.wiring import Wiring
from vitrine.problems import BudgetSpent, Unavailable
from vitrine.registry.profiles import registry_for
from vitrine.session import Session
from vitrine.store.table import Outcome, Write

ALICE = Caller("t", "alice", "desk")
NEW = Session("s-1", "t", "alice", "desk", "products")


class Shelf:
    """A table that takes every write, or none."""

    def __init__(self, *, down: bool = False) -> None:
        self.down = down
        self.written: list[Write] = []

    def write(self, *writes: Write) -> Outcome:
        if self.down:
            raise Unavailable
        self.written.extend(writes)
        return Outcome(won=True)


def talk(shelf: Shelf) -> Talk:
    wiring: Any = Wiring({}, lambda: datetime(2026, 11, 30, tzinfo=UTC).timestamp())
    wiring.table = shelf
    return Talk(wiring, ALICE, registry_for(shop.manifest(), "closed", tenant="t"))


def test_it_is_kept_when_the_search_is_done() -> None:
    shelf = Shelf()

    with talk(shelf).keeping(NEW):
        pass

    assert [write.key[1] for write in shelf.written] == ["SESSION#s-1"]


def test_it_is_kept_though_the_search_is_refused() -> None:
    shelf = Shelf()

    with pytest.raises(BudgetSpent), talk(shelf).keeping(NEW):
        raise BudgetSpent

    assert shelf.written


def test_without_it_there_is_no_answer() -> None:
    with pytest.raises(Unavailable), talk(Shelf(down=True)).keeping(NEW):
        pass


def test_an_older_session_needs_no_keeping() -> None:
    shelf = Shelf()

    with talk(shelf).keeping(None):
        pass

    assert not shelf.written

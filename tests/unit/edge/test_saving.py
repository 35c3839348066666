"""Saved searches are a person's: whoever enters without a user has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from vitrine.caller import Caller
from vitrine.edge import saving
from vitrine.edge.saving import Saving, Sharing
from vitrine.edge.wiring import Wiring
from vitrine.problems import Forbidden

VISITOR = Caller("t", "web", "web", scopes=frozenset({"products:read"}))
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

"""One tick: who comes first, who fails alone, and when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from infra.attack.shelf import Shelf
from tests.unit.disclosure.shop import registry
from vitrine.caller import Caller
from vitrine.edge.sampling import LOOKING, refreshed
from vitrine.problems import Invalid, Missing, Unavailable
from vitrine.registry.capabilities import EngineName
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.store.listing import longest_unsampled
from vitrine.store.registry import load_registry, put_registry
from vitrine.store.table import Table

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
TENANTS = ("a", "b", "c")


class Script:
    """A sampler that fails for some tenants, and takes its time."""

    def __init__(self, wiring: Wired, *failing: str) -> None:
        self._wiring, self._failing = wiring, failing
        self.askers: list[Caller] = []

    def observe(self, caller: Caller, _: Registry) -> Mapping[str, Sample]:
        self.askers.append(caller)
        self._wiring.clock += self._wiring.slow
        if caller.tenant in self._failing:
            raise Unavailable("The database is away.")
        return {"width": Sample(low=1.0, high=len(self.askers))}

    def learn(self, _: Caller, source: str) -> bool:
        return source == "shop"


class Wired:
    """The wiring that a tick needs, on a table in memory."""

    def __init__(self, *failing: str, slow: float = 0.0) -> None:
        self.table: Table = Shelf()
        self.clock, self.slow, self._minted = NOW.timestamp(), slow, 0
        self.script = Script(self, *failing)

    def seconds(self) -> float:
        return self.clock

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock, UTC)

    def number(self) -> str:
        self._minted += 1
        return f"minted-{self._minted}"

    def sampler(self, _: Registry) -> Script:
        return self.script


def wired(*failing: str, slow: float = 0.0) -> Any:
    wiring = Wired(*failing, slow=slow)
    manifest = registry().manifest.model_copy(update={"engine": EngineName.POSTGRES})
    for tenant in TENANTS:
        seen = replace(registry(), tenant=tenant, manifest=manifest)
        put_registry(wiring.table, seen, now=NOW)
    return wiring


def test_one_that_fails_is_told_and_holds_up_no_other() -> None:
    wiring = wired("b")

    told = refreshed(wiring, {})

    done = {one["tenant"]: one.get("failed") for one in told["sampled"]}
    assert ({"a": None, "b": "unavailable", "c": None}, 1) == (done, told["failed"])
    known = load_registry(wiring.table, "c", "shop", "closed")
    assert 1.0 == known.sample("width").low


def test_a_tick_without_time_leaves_the_rest_to_the_next() -> None:
    wiring = wired("a", slow=LOOKING * 0.6)

    first = [one["tenant"] for one in refreshed(wiring, {})["sampled"]]
    second = [one["tenant"] for one in refreshed(wiring, {})["sampled"]]

    # The one that failed does not stand first for ever.
    assert (["a", "b"], ["c", "a"]) == (first, second)


def test_nobody_in_particular_asks_and_each_time_another() -> None:
    wiring = wired()

    refreshed(wiring, {})

    subjects = [asker.subject for asker in wiring.script.askers]
    assert len(TENANTS) == len(set(subjects))
    assert all(subject.startswith("minted-") for subject in subjects)


def test_a_call_that_names_a_source_raises_what_went_wrong() -> None:
    with pytest.raises(Unavailable):
        refreshed(wired("b"), {"tenant": "b", "source": "shop"})
    with pytest.raises(Missing):
        refreshed(wired(), {"tenant": "a", "source": "elsewhere"})
    with pytest.raises(Invalid):
        refreshed(wired(), {"tenant": "a"})


def test_every_source_is_noted_whatever_came_of_it() -> None:
    wiring = wired("b")

    refreshed(wiring, {})

    assert {int(NOW.timestamp())} == {
        one.sampled_at for one in longest_unsampled(wiring.table)
    }

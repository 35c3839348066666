"""The store does not answer: what each function does then."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import boto3
import pytest

from infra.local.demo import shop
from vitrine.caller import Caller
from vitrine.edge.conversation import Said, converse
from vitrine.edge.money import watch
from vitrine.edge.rules import judged
from vitrine.edge.searching import Wanted, search
from vitrine.edge.wiring import Wiring
from vitrine.problems import Unavailable
from vitrine.registry.profiles import Registry, registry_for
from vitrine.store.switch import OFF
from vitrine.store.table import Table

NOWHERE = "http://127.0.0.1:9"
TREE = {"type": "group", "operator": "and", "rules": []}
ALICE = Caller("t", "alice", "desk", scopes=frozenset({"products:read"}))
SHOP = registry_for(shop.manifest(), "closed", tenant="t")


@dataclass
class Sent:
    """A body to be judged."""

    source: str
    tree: dict[str, Any]


class Remembered:
    """What a warm environment still knows."""

    def get(self, *_: str) -> Registry:
        return SHOP

    def on(self, now: Any) -> bool:
        return OFF.on(now)


@pytest.fixture
def wiring() -> Iterator[Any]:
    """A warm environment whose store is gone."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=NOWHERE,
        region_name="eu-west-3",
        aws_access_key_id="x",
        aws_secret_access_key="x",
        config=Wiring({"VITRINE_TABLE": "none"}).short,
    )
    with closing(client):
        warm: Any = Wiring({"VITRINE_DAILY_CAP": "5"})
        warm.table = Table(client, "t")
        warm.registries = warm.switch = Remembered()
        yield warm


def test_interpret_is_closed_and_quickly_so(wiring: Any) -> None:
    start = time.monotonic()

    with pytest.raises(Unavailable):
        converse(wiring, ALICE, Said("products", "lamp"))
    assert time.monotonic() - start < 2


def test_a_budgeted_search_is_refused(wiring: Any) -> None:
    with pytest.raises(Unavailable):
        search(wiring, ALICE, Wanted("products", tree=TREE))


def test_validation_goes_on(wiring: Any) -> None:
    assert judged(wiring, ALICE, Sent("products", TREE)).valid


def test_the_monitor_raises_so_that_its_alarm_speaks(wiring: Any) -> None:
    with pytest.raises(Unavailable):
        watch(wiring)


def test_a_cold_switch_closes_interpret(wiring: Any) -> None:
    cold = Wiring({})
    cold.table, registries = wiring.table, wiring.registries
    cold.__dict__["registries"] = registries

    with pytest.raises(Unavailable):
        converse(cold, ALICE, Said("products", "lamp"))

"""The function behind the real runtime: changes that are sent, and found by a look."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from typesense import Client

from infra.local.demo import shop
from infra.local.runtime import FunctionError
from infra.local.stack import Stack
from vitrine.typesense.client import collection, connect

Find = Callable[[str], list[dict[str, Any]]]
SHOWN = [r | {"tenant": "boreal"} for r in shop.records("boreal") if r["published"]]
RECORD = SHOWN[0]
PLACE = {"tenant": "boreal", "source": "products"}


@pytest.fixture(scope="module", autouse=True)
def _restored(seeded: Stack) -> Iterator[None]:
    """Leave the shop as it was found: other tests sell from it too."""
    yield
    now = {"updated": int(time.time())}
    whole = [record | now for record in (RECORD, SHOWN[7], SHOWN[9])]
    seeded.invoke("Publish", {**PLACE, "upsert": whole})


@pytest.fixture
def patient(seeded: Stack) -> Iterator[Client]:
    """The shop's own client, which may do everything."""
    assert seeded.typesense
    own = connect(seeded.typesense.url, seeded.typesense.key)
    with closing(own.api_call):
        yield own


@pytest.fixture
def find(seeded: Stack, request: pytest.FixtureRequest) -> Find:
    """Search the small shop by a SKU, as a shopper who is new in every test."""
    who = {"tenant": "boreal", "user": request.node.name, "client": "desk"}
    token = seeded.token(**who, scope="products:read")

    def found(sku: str) -> list[dict[str, Any]]:
        rule = {"field": "sku", "operator": "equals", "value": sku}
        tree = {"type": "group", "operator": "and", "rules": [rule]}
        body = {"source": "products", "tree": tree}
        answer = seeded.call("POST", "/v1/execute", body, token)
        assert answer.status == 200, answer.body
        return list(answer.json["hits"])

    return found


def test_a_change_that_is_sent_is_searchable_at_once(seeded: Stack, find: Find) -> None:
    (before,) = find(RECORD["sku"])
    changed = RECORD | {"price": 4_242, "updated": int(time.time())}

    sent = {"tenant": "boreal", "source": "products", "upsert": [changed]}
    told = seeded.invoke("Publish", sent)

    assert told == {"upserted": 1, "deleted": 0, "refused": {}}
    (after,) = find(RECORD["sku"])
    assert before["ref"] == after["ref"]
    assert "42.42" in json.dumps(after["price"])
    assert after["as_of"] > before["as_of"]


def test_a_deletion_that_is_sent_is_found_no_more(seeded: Stack, find: Find) -> None:
    other = SHOWN[7]
    assert find(other["sku"])

    sent = {"tenant": "boreal", "source": "products", "delete": [other["id"]]}
    assert seeded.invoke("Publish", sent)["deleted"] == 1

    assert find(other["sku"]) == []


def test_a_look_finds_what_changed_in_the_private_collection(
    seeded: Stack, find: Find, patient: Client
) -> None:
    third = SHOWN[9]
    newest = third | {"price": 9_911, "updated": int(time.time()) + 5}
    collection(patient, shop.PRIVATE).documents.upsert(newest)

    told = seeded.invoke("Publish")["followed"]
    again = seeded.invoke("Publish")["followed"]

    assert ["aurore", "boreal"] == [one["tenant"] for one in told]
    assert sum(one["upserted"] for one in told) >= 1
    assert [1, 1] == [one["upserted"] + one["deleted"] for one in again]
    (hit,) = find(third["sku"])
    assert "99.11" in json.dumps(hit["price"])


@pytest.mark.parametrize(
    "event",
    [
        {"tenant": "boreal"},
        {"tenant": "boreal", "source": "products", "upsert": [1]},
        {"tenant": "boreal", "source": "products", "drop": True},
        {"tenant": "nobody", "source": "products", "upsert": []},
    ],
)
def test_a_wrong_call_fails_loudly(seeded: Stack, event: dict[str, Any]) -> None:
    with pytest.raises(FunctionError, match=r"Invalid|Missing"):
        seeded.invoke("Publish", event)


def test_what_does_not_fit_is_told_with_its_reason(seeded: Stack) -> None:
    broken = RECORD | {"material": "unobtainium"}
    sent = {"tenant": "boreal", "source": "products", "upsert": [broken]}

    told = seeded.invoke("Publish", sent)

    assert told["upserted"] == 0
    (faults,) = told["refused"].values()
    assert [fault["pointer"] for fault in faults] == ["/material"]

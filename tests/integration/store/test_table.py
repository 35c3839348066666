from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from vitrine.problems import Unavailable
from vitrine.store.table import (
    PAUSES,
    Table,
    Write,
    alive,
    epoch,
    place,
    plain,
    size_of,
    wire,
    write_units,
)

KEY = ("A", "B")
NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
ADD = Write(KEY, change="ADD #calls :one", values={":one": 1})


class BusyClient:
    """A client whose items are held by another transaction for some calls."""

    def __init__(self, client: Any, busy: int, code: str) -> None:
        self._client, self._busy, self._code = client, busy, code

    def update_item(self, **asked: Any) -> Any:
        self._held()
        return self._client.update_item(**asked)

    def delete_item(self, **asked: Any) -> Any:
        self._held()
        return self._client.delete_item(**asked)

    def transact_write_items(self, **asked: Any) -> Any:
        self._held()
        return self._client.transact_write_items(**asked)

    def _held(self) -> None:
        self._busy -= 1
        if self._busy >= 0:
            reasons = [{"Code": "None"}, {"Code": self._code}]
            answer: Any = {
                "Error": {"Code": f"{self._code}Exception"},
                "CancellationReasons": reasons,
            }
            raise ClientError(answer, "Write")


@pytest.mark.parametrize("writes", [(ADD,), (ADD, Write(("A", "C"), whole={"n": 1}))])
def test_a_busy_item_is_tried_again_after_set_pauses(
    table: Table, writes: tuple[Write, ...]
) -> None:
    pauses: list[float] = []
    client: Any = BusyClient(table.client, 3, "TransactionConflict")

    outcome = Table(client, table.name, pauses.append).write(*writes)

    assert outcome.won
    assert pauses == list(PAUSES[:3])
    assert table.get(KEY) == {"pk": "A", "sk": "B", "calls": 1}


def test_what_a_charge_holds_is_removed_when_it_lets_go(table: Table) -> None:
    table.write(ADD)
    pauses: list[float] = []
    client: Any = BusyClient(table.client, 3, "TransactionConflict")

    there = [Table(client, table.name, pauses.append).delete(KEY) for _ in range(2)]

    assert there == [True, False]
    assert pauses == list(PAUSES[:3])
    assert table.get(KEY) is None


def test_a_store_that_stays_busy_is_unavailable(table: Table) -> None:
    client: Any = BusyClient(table.client, 99, "TransactionConflict")
    busy = Table(client, table.name, lambda _: None)

    with pytest.raises(Unavailable):
        busy.write(ADD)
    with pytest.raises(Unavailable):
        busy.delete(KEY)


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceeded", "Throttling"])
def test_a_throttled_store_is_unavailable(table: Table, code: str) -> None:
    client: Any = BusyClient(table.client, 99, code)

    with pytest.raises(Unavailable):
        Table(client, table.name).write(ADD)


def test_our_own_mistakes_are_not_the_stores(table: Table) -> None:
    with pytest.raises(ClientError):
        table.write(Write(KEY, change="ADD calls"))
    with pytest.raises(TypeError, match="float"):
        table.write(Write(KEY, whole={"n": 0.5}))


@pytest.fixture(params=["silent", "refusing"])
def unreachable(request: pytest.FixtureRequest) -> Iterator[Table]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        if request.param == "refusing":
            listener.close()
        client = boto3.client(
            "dynamodb",
            endpoint_url=f"http://127.0.0.1:{port}",
            region_name="eu-west-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
            config=Config(
                connect_timeout=0.1, read_timeout=0.1, retries={"total_max_attempts": 1}
            ),
        )
        yield Table(client, "none")
        client.close()


def test_a_store_that_does_not_answer_is_unavailable(unreachable: Table) -> None:
    with pytest.raises(Unavailable) as caught:
        unreachable.get(KEY)
    assert caught.value.status == 503
    with pytest.raises(Unavailable):
        unreachable.write(ADD)
    with pytest.raises(Unavailable):
        list(unreachable.query("A"))
    with pytest.raises(Unavailable):
        unreachable.delete(KEY)


def test_a_lost_write_brings_what_stood_in_the_way(table: Table) -> None:
    free = "attribute_not_exists(#pk)"
    table.write(Write(KEY, whole={"n": 1}, condition=free))

    alone = table.write(Write(KEY, whole={"n": 2}, condition=free))
    other = Write(("A", "C"), whole={"n": 3}, condition=free)
    both = table.write(other, Write(KEY, whole={"n": 2}, condition=free))

    assert not alone.won
    assert not both.won
    assert alone.item == {"pk": "A", "sk": "B", "n": 1}
    assert both.items == (None, alone.item)
    assert table.get(("A", "C")) is None


def test_a_partition_is_read_in_order_and_whole(table: Table) -> None:
    for number in range(12):
        text = "x" * 120_000
        table.write(Write(("P", f"{number:02}"), whole={"text": text}))

    assert [f"{n:02}" for n in range(12)] == [i["sk"] for i in table.query("P")]
    assert [i["sk"] for i in table.query("P", "03", "04")] == ["03", "04"]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.text(max_size=20)
    | st.binary(min_size=1, max_size=20)
    | st.frozensets(st.binary(min_size=8, max_size=8), min_size=1, max_size=5),
    lambda deep: (
        st.lists(deep, max_size=3)
        | st.dictionaries(st.text(max_size=5), deep, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(min_size=1, max_size=8), VALUES, max_size=4))
def test_values_survive_the_wire(item: dict[str, Any]) -> None:
    assert plain(wire(item)) == item


def test_decimals_survive_the_wire() -> None:
    assert plain(wire({"n": Decimal("1.50")})) == {"n": Decimal("1.5")}


@given(st.lists(st.text(max_size=5), max_size=3), st.lists(st.text(max_size=5)))
def test_two_lists_of_texts_never_make_one_key(
    one: list[str], other: list[str]
) -> None:
    assert (place("K", *one) == place("K", *other)) == (one == other)


@pytest.mark.parametrize("text", ["x" * 16_384, "\N{OWL}" * 1_000, "é" * 86])
def test_a_callers_text_of_any_length_makes_a_key_that_the_table_takes(
    table: Table, text: str
) -> None:
    key = (place("OWNER", "t", text), place("SESSION", text))

    assert len(key[1].encode()) <= 1_024
    assert table.write(Write(key, whole={"held": 1})).won
    assert table.get((key[0], place("SESSION", f"{text}x"))) is None


@pytest.mark.parametrize(
    ("size", "item"),
    [
        (4, {"pk": "ab"}),
        (5, {"pk": "aé"}),
        (1 + 3200, {"m": frozenset(n.to_bytes(8, "big") for n in range(400))}),
        (1 + 1, {"n": True}),
        (1 + 3, {"n": 123}),
        (1 + 3 + 2 * 3, {"l": ["ab", "cd"]}),
        (1 + 3 + 1 + 2, {"m": {"a": "b"}}),
    ],
)
def test_sizes_follow_the_developer_guide(size: int, item: dict[str, Any]) -> None:
    assert size_of(item) == size


def test_write_units_are_a_started_kilobyte_and_twice_that_together() -> None:
    items = [{"a": "x" * 1023}, {"a": "x" * 1024}]

    assert write_units(items, together=False) == 3
    assert write_units(items, together=True) == 6


@pytest.mark.parametrize(
    ("expected", "item"),
    [
        (False, None),
        (True, {}),
        (True, {"expires_at": epoch(NOW) + 1}),
        (False, {"expires_at": epoch(NOW)}),
    ],
)
def test_what_has_ended_is_dead_before_the_sweep(
    expected: bool, item: dict[str, Any] | None
) -> None:
    """X01: DynamoDB deletes late."""
    assert alive(item, NOW) is expected


def test_naive_moments_are_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        epoch(NOW.replace(tzinfo=None))

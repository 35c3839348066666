from __future__ import annotations

from typing import Any

import pytest

from infra.attack.expressions import changed, holds
from infra.attack.shelf import Shelf
from vitrine.store.table import Write

ITEM = {"n": 3, "marks": frozenset({b"a", b"b"}), "calls": [1]}
VALUES = {":n": 3, ":m": 2, ":a": b"a", ":z": b"z"}


@pytest.mark.parametrize(
    ("condition", "item", "wanted"),
    [
        ("", None, True),
        ("attribute_not_exists(#pk)", None, True),
        ("attribute_exists(#n)", ITEM, True),
        ("attribute_not_exists(#n)", ITEM, False),
        ("#n = :n", ITEM, True),
        ("#n > :m AND #n <= :n", ITEM, True),
        ("#n < :m OR #n >= :n", ITEM, True),
        # What is absent fits no comparison, in DynamoDB as here.
        ("#other <= :n", ITEM, False),
        ("NOT #other <= :n", ITEM, True),
        ("size(#marks) <= :m", ITEM, True),
        ("size(#other) <= :m", ITEM, False),
        ("NOT contains(#marks, :a)", ITEM, False),
        ("NOT contains(#marks, :z) AND #n = :n", ITEM, True),
        ("NOT contains(#other, :a)", ITEM, True),
        ("attribute_not_exists(#n) OR (#n = :n AND #n > :m)", ITEM, True),
        ("(#n = :m OR #n = :n) AND #n = :m", ITEM, False),
    ],
)
def test_a_condition_holds_as_it_is_written(
    condition: str, item: Any, *, wanted: bool
) -> None:
    assert holds(condition, item, VALUES) is wanted


@pytest.mark.parametrize("strange", ["begins_with(#n, :n)", "#n <> :n", "#n ="])
def test_what_is_not_understood_is_no_condition(strange: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        holds(strange, ITEM, VALUES)


@pytest.mark.parametrize(
    ("change", "item", "after"),
    [
        ("ADD #n :m", ITEM, {"n": 5}),
        ("ADD #n :m", None, {"n": 2}),
        ("ADD #marks :set SET #n = :m", ITEM, {"marks": frozenset(b"abz"), "n": 2}),
        ("SET #n = :m, #end = :n", ITEM, {"n": 2, "end": 3}),
        (
            "SET #calls = list_append(if_not_exists(#calls, :none), :call)",
            ITEM,
            {"calls": [1, 9]},
        ),
        (
            "SET #calls = list_append(if_not_exists(#calls, :none), :call) ADD #n :m",
            None,
            {"calls": [9], "n": 2},
        ),
    ],
)
def test_a_change_does_what_it_says(change: str, item: Any, after: Any) -> None:
    marks = frozenset({b"z"})
    values = VALUES | {":set": marks, ":none": [], ":call": [9]}

    found = changed(change, item, values)

    wanted = {**(item or {}), **after}
    if "marks" in after:
        wanted["marks"] = frozenset({b"a", b"b", b"z"})
    assert wanted == found


def test_several_writes_are_done_together_or_not_at_all() -> None:
    shelf = Shelf()
    free = "attribute_not_exists(#pk)"
    first = Write(("p", "1"), whole={"n": 1}, condition=free)
    second = Write(("p", "2"), whole={"n": 2}, condition=free)
    assert shelf.write(first).won

    lost = shelf.write(second, first)

    assert not lost.won
    assert (None, 1) == (lost.items[0], (lost.items[1] or {})["n"])
    assert [1] == [item["n"] for item in shelf.query("p")]
    shelf.delete(("p", "1"))
    assert shelf.get(("p", "1")) is None
    assert not list(shelf.query("p"))

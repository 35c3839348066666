"""Raw JSON is a tree, or everything that is wrong with it; nothing blows up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vitrine.tree.model import (
    DEPTH,
    EMPTY,
    LEAVES,
    LIST,
    SERIALISED,
    STRING,
    Group,
    Rule,
    dump,
)
from vitrine.tree.parse import parse

LEAF = {"field": "kind", "operator": "equals", "value": "x"}


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = dict(LEAF)
    for _ in range(depth):
        node = {"type": "group", "operator": "and", "rules": [node]}
    return node


def codes(raw: Any) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.code) for fault in parse(raw).faults]


def test_a_tree_is_read_and_written_back() -> None:
    raw = {
        "type": "group",
        "operator": "or",
        "not": True,
        "rules": [LEAF, {"field": "n", "operator": "in", "value": [1, 2.5, None]}],
    }

    parsed = parse(raw)

    assert parsed.faults == ()
    assert dump(parsed.tree) == raw


def test_a_lone_rule_is_wrapped() -> None:
    expected = Group(rules=(Rule("kind", "equals", "x"),))

    assert expected == parse(LEAF).tree == parse({"type": "rule", **LEAF}).tree
    assert parse(LEAF).wrapped


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(nested(1)),
        {"rules": json.dumps([LEAF])},
        {"rules": [json.dumps(LEAF)]},
    ],
)
def test_a_json_string_is_decoded_once(raw: Any) -> None:
    """M01: hosts send objects and lists as encoded strings."""
    assert parse(raw).tree == parse(nested(1)).tree
    assert parse(raw).faults == ()


def test_a_string_within_a_string_is_refused() -> None:
    assert codes(json.dumps(json.dumps(LEAF))) == [("", "not_an_object")]


@pytest.mark.parametrize(
    ("raw", "pointer", "code"),
    [
        (None, "", "not_an_object"),
        ("*", "", "not_an_object"),
        ([LEAF], "", "not_an_object"),
        ({"rules": [3]}, "/rules/0", "not_an_object"),
        ({"rules": {}}, "/rules", "missing_value"),
        ({"type": "group"}, "/rules", "missing_value"),
        ({"rules": [], "operator": "xor"}, "/operator", "unknown_operator"),
        ({"rules": [], "operator": ["and"]}, "/operator", "unknown_operator"),
        ({"rules": [], "not": 1}, "/not", "bad_value"),
        ({"rules": [], "combinator": "or"}, "/combinator", "unknown_key"),
        ({"rules": [], "type": "rule"}, "/type", "bad_type"),
        ({**LEAF, "a/b~c": 1}, "/a~1b~0c", "unknown_key"),
        ({"operator": "equals"}, "/field", "missing_value"),
        ({"field": "kind"}, "/operator", "missing_value"),
        ({**LEAF, "field": 7}, "/field", "missing_value"),
        ({**LEAF, "operator": {"$gt": 1}}, "/operator", "missing_value"),
        ({**LEAF, "value": [["x"]]}, "/value/0", "bad_value"),
        ({**LEAF, "value": {"a": {"b": 1}}}, "/value/a", "bad_value"),
        ({**LEAF, "value": dict.fromkeys("abcde", 1)}, "/value", "bad_value"),
        ({**LEAF, "value": "x" * (STRING + 1)}, "/value", "too_long"),
        ({**LEAF, "value": ["x"] * (LIST + 1)}, "/value", "too_many"),
        ({**LEAF, "value": "a\x00b"}, "/value", "bad_value"),
        ({**LEAF, "value": "\ud800"}, "/value", "bad_value"),
        ({**LEAF, "value": ["ok", "\udfff"]}, "/value/1", "bad_value"),
        ({**LEAF, "value": 2**63}, "/value", "bad_value"),
        ({**LEAF, "value": float("nan")}, "/value", "bad_value"),
        ({**LEAF, "value": float("inf")}, "/value", "bad_value"),
        (nested(DEPTH + 1), "/rules/0" * DEPTH, "too_deep"),
        ({"rules": [LEAF] * (LEAVES + 1)}, "/rules", "too_many"),
        ({"rules": [{"rules": []}] * 5_000}, "/rules", "too_many"),
        ({"rules": [{**LEAF, "value": ["x" * 250] * 150}]}, "", "too_big"),
    ],
)
def test_each_fault_has_its_place_and_code(raw: Any, pointer: str, code: str) -> None:
    """F09, F12: scalars where scalars belong; an operator is a name, not a program."""
    assert codes(raw) == [(pointer, code)]


def test_all_faults_come_at_once() -> None:
    raw = {"rules": [{"field": "a"}, {"rules": 3, "x": 1}, {**LEAF, "value": [[]]}]}

    expected = ["/rules/0/operator", "/rules/1/x", "/rules/1/rules", "/rules/2/value/0"]
    assert expected == [pointer for pointer, _ in codes(raw)]


def test_bounds_themselves_are_allowed() -> None:
    assert parse(nested(DEPTH)).faults == ()
    assert parse({"rules": [LEAF] * LEAVES}).faults == ()
    assert parse({**LEAF, "value": "x" * STRING}).faults == ()
    assert parse({**LEAF, "value": list(range(LIST))}).faults == ()


@pytest.mark.parametrize("depth", [500, 200_000])
def test_hostile_depth_is_refused_without_recursion(depth: int) -> None:
    text = '{"rules":[' * depth + "]}" * depth
    node: Any = []
    for _ in range(depth):
        node = [node]

    assert parse(text[:SERIALISED]).faults
    assert parse({"rules": node}).faults
    assert parse({**LEAF, "value": node}).faults


def test_a_missing_operator_is_for_removal_only() -> None:
    bare = {"field": "kind"}

    assert parse(bare, loose=True).tree == Group(rules=(Rule("kind", ""),))
    assert parse(bare).faults


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["rules", "field", "operator", "value", "not", "type", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(JSON)
@settings(max_examples=120, deadline=None)
def test_no_json_raises_and_what_passes_reads_the_same_again(raw: Any) -> None:
    parsed = parse(raw)

    if not parsed.faults:
        assert parse(dump(parsed.tree)).tree == parsed.tree
    else:
        assert all(fault.code and fault.message for fault in parsed.faults)


def test_nothing_is_shared_with_the_empty_tree() -> None:
    assert parse({"rules": []}).tree == EMPTY

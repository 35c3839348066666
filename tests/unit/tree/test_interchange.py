"""The filter editor's JSON comes in and goes out without a loss."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from tests import trees
from tests.notation import tree
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.interchange import opened, read, write
from vitrine.tree.model import DEPTH, Group, Rule
from vitrine.validate import check, validate

KINDS = {
    "made": FieldType.DATE,
    "width": FieldType.NUMBER,
    "note": FieldType.TEXT,
    "kind": FieldType.KEYWORD,
    "tags": FieldType.VOCABULARY,
}
REGISTRY = trees.registry_of(
    Field(key=key, type=kind, label={"en": key}) for key, kind in KINDS.items()
)


NONE_OF = "notIn"  # codespell:ignore notin


def query(*rules: Any, **more: Any) -> dict[str, Any]:
    return {"combinator": "and", "not": False, "rules": list(rules)} | more


def leaf(field: str, operator: str, value: Any = None, **more: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value} | more


@given(trees.SEEDS)
@settings(max_examples=200, deadline=None)
def test_out_and_in_is_the_same_tree_with_the_same_ids(seed: int) -> None:
    """F11: every negation survives the round trip."""
    rng = Random(seed)
    registry = trees.registry(rng)
    checked = check(trees.tree(rng, registry), registry, today=trees.TODAY).require()
    ids = {"": "root", "/rules/0": "first"}

    back = read(write(checked, registry, ids), registry)

    assert (back.faults, back.notes) == ((), ())
    assert back.tree == checked
    assert dict(back.ids) == ids
    again = validate(back.tree, registry, today=trees.TODAY)
    assert again.require() == checked


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (leaf("made", "<", "2024-05-01"), Rule("made", "before", "2024-05-01")),
        (leaf("made", ">=", "2024-05-01"), Rule("made", "on_or_after", "2024-05-01")),
        (leaf("width", "<", "5"), Rule("width", "less_than", "5")),
        (leaf("width", "between", "1,5"), Rule("width", "between", ("1", "5"))),
        (leaf("note", "doesNotContain", "x"), Rule("note", "not_contains", "x")),
        (leaf("note", "beginsWith", "x"), Rule("note", "starts_with", "x")),
        (leaf("note", "null", ""), Rule("note", "is_empty")),
        (leaf("note", "notNull"), Rule("note", "is_not_empty")),
        (leaf("kind", NONE_OF, ["a,b", "c"]), Rule("kind", "not_in", ("a,b", "c"))),
        (leaf("kind", "in", "a\\,b, c"), Rule("kind", "in", ("a,b", "c"))),
        (leaf("tags", "=", "sea"), Rule("tags", "vocab_text_equals", "sea")),
        (leaf("made", "in_period", "2024"), Rule("made", "in_period", "2024")),
    ],
)
def test_the_editors_operators_have_ours(rule: dict[str, Any], expected: Rule) -> None:
    """F08: a value with a comma is one value."""
    found = read(query(rule), REGISTRY)

    assert found.faults == ()
    assert found.tree == Group(rules=(expected,))


def test_a_negation_without_operator_becomes_a_denied_group() -> None:
    found = read(query(leaf("width", "notBetween", [1, 5], id="r1")), REGISTRY)

    assert found.tree == tree("(and (not width:between:[1,5]))")
    assert found.notes == ("denied_group",)
    assert dict(found.ids) == {"/rules/0/rules/0": "r1"}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("a and b", "(and a b)"),
        ("a or b", "(or a b)"),
        (
            "a and b or c and d or e",
            "(or (and a b) (and c d) e)",
        ),
    ],
)
def test_independent_combinators_are_converted_with_a_note(
    rules: str, expected: str
) -> None:
    words = [
        word if word in ("and", "or") else leaf("kind", "=", word, id=word)
        for word in rules.split()
    ]

    found = read({"rules": words}, REGISTRY)

    full = re.sub(r"\b([a-e])\b", r"kind:equals:\1", expected)
    assert Group(rules=tree(full).rules) == Group(
        rules=(found.tree,) if found.tree.operator == "or" else found.tree.rules
    )
    assert found.notes == ("independent_combinators",)
    assert sorted(found.ids.values()) == [w for w in rules.split() if len(w) == 1]


@pytest.mark.parametrize(
    ("raw", "pointer", "code"),
    [
        (query(leaf("note", "endsWith", "x")), "/rules/0/operator", "not_expressible"),
        (
            query(leaf("width", "=", "other", valueSource="field")),
            "/rules/0/valueSource",
            "not_expressible",
        ),
        (query(leaf("width", "=", 1, match={})), "/rules/0/match", "unknown_key"),
        (query(combinator="xor"), "/operator", "unknown_operator"),
        ({"rules": ["or", leaf("kind", "=", "a")]}, "/rules/0", "not_an_object"),
        ({"rules": 5}, "/rules", "missing_value"),
        ("x", "", "not_an_object"),
    ],
)
def test_what_a_tree_can_not_say_is_refused(raw: Any, pointer: str, code: str) -> None:
    faults = read(raw, REGISTRY).faults

    assert (pointer, code) in {(fault.pointer, fault.code) for fault in faults}


def test_a_muted_rule_is_left_out_and_noted() -> None:
    raw = query(leaf("kind", "=", "a", muted=True), leaf("kind", "=", "b", id="b"))

    found = read(raw, REGISTRY)

    assert found.tree == tree("kind:equals:b")
    assert found.notes == ("muted",)
    assert dict(found.ids) == {"/rules/0": "b"}


def test_hostile_depth_is_refused() -> None:
    node = query(leaf("kind", "=", "a"))
    for _ in range(5_000):
        node = query(node)

    assert "too_deep" in {fault.code for fault in read(node, REGISTRY).faults}


def test_a_query_as_deep_as_a_tree_is_read() -> None:
    node = query(leaf("made", "<", "2024-05-01"))
    for _ in range(DEPTH - 1):
        node = query(node)

    found = read(node, REGISTRY)

    assert found.faults == ()
    assert write(found.tree, REGISTRY) == node


def test_the_gallery_opens_a_tree_without_its_wrappers() -> None:
    wrapped = tree("(and (and (or kind:equals:a kind:equals:b)))")

    expected = write(
        Group("or", tree("(and kind:equals:a kind:equals:b)").rules), REGISTRY
    )
    assert opened(wrapped, REGISTRY) == expected


def test_a_denied_wrapper_stays_denied() -> None:
    assert opened(tree("(and (not (or kind:equals:a kind:equals:b)))"), REGISTRY)["not"]
    twice = tree("(and (not (not kind:equals:a)))")
    assert not opened(twice, REGISTRY)["not"]

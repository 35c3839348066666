"""Ways through a tree, and the one normal form that trees are compared by."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from tests import trees
from tests.notation import tree
from tests.oracle import matches
from vitrine.tree.model import EMPTY, Group, Rule, leaves
from vitrine.tree.walk import (
    at,
    canonical,
    extent,
    find,
    keep,
    map_rules,
    nodes,
    tidy,
    tree_hash,
)
from vitrine.validate import check


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("(and b:equals:1 a:equals:1)", "(and a:equals:1 b:equals:1)"),
        ("(and (and a:equals:1) (and))", "a:equals:1"),
        ("(or a:equals:2 a:equals:1)", "a:in:[1,2]"),
        ("(or a:equals:2 (or a:in:[3,1]))", "a:in:[1,2,3]"),
        ("(or a:equals:1 a:equals:1)", "a:equals:1"),
        ("(and a:in:[1])", "a:equals:1"),
        ("(and a:not_equals:1 a:not_equals:2)", "a:not_in:[1,2]"),
        ("(or a:not_equals:1 a:not_equals:2)", "(or a:not_equals:1 a:not_equals:2)"),
        ("(and a:equals:1 a:equals:2)", "(and a:equals:1 a:equals:2)"),
        ("(and a:greater_or_equal:1 a:less_or_equal:5)", "a:between:[1,5]"),
        ("(and a:on_or_after:x a:on_or_before:y)", 'a:between:["x","y"]'),
        ("(or a:greater_or_equal:1 a:less_or_equal:5)",) * 2,
        ("(and a:greater_than:1 a:less_than:5)",) * 2,
        ("(and (not (not a:equals:1)))", "a:equals:1"),
        ("(and (not (or a:equals:1 b:equals:1)))", "(nor a:equals:1 b:equals:1)"),
        ("(and b:equals:1 (or a:equals:2 a:equals:1))", "(and a:in:[1,2] b:equals:1)"),
        (
            "(or a:vocab_text_equals:x a:vocab_text_equals:y)",
            'a:vocab_text_in:["x","y"]',
        ),
    ],
)
def test_the_normal_form_is_one_for_all_spellings(text: str, normal: str) -> None:
    expected = canonical(tree(normal))

    assert expected == canonical(tree(text))
    assert expected == canonical(canonical(tree(text)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a:equals:1", "a:equals:2"),
        ("a:equals:1", "b:equals:1"),
        ("a:equals:1", "(not a:equals:1)"),
        ("(and a:equals:1 b:equals:1)", "(or a:equals:1 b:equals:1)"),
        ("(not a:equals:1 b:equals:1)", "(nor a:equals:1 b:equals:1)"),
        ("a:equals:1", 'a:equals:"1"'),
        ("a:equals:true", "a:equals:1"),
        ("(and a:greater_or_equal:1 a:less_or_equal:5)", "a:between:[1,5]"),
    ],
)
def test_trees_that_differ_have_different_hashes(one: str, other: str) -> None:
    assert tree_hash(tree(one)) != tree_hash(tree(other))


def test_a_hash_does_not_depend_on_order_or_wrappers() -> None:
    expected = tree_hash(tree("(and a:equals:1 b:in:[1,2])"))

    assert expected == tree_hash(tree("(and (and b:in:[2,1]) (and a:equals:1))"))


@given(trees.SEEDS)
@settings(max_examples=200, deadline=None)
def test_tidy_and_normal_form_mean_the_same(seed: int) -> None:
    rng = Random(seed)
    registry = trees.registry(rng)
    documents = trees.documents(rng, registry, 12)
    raw = trees.tree(rng, registry, documents, depth=5)
    drawn = check(raw, registry, today=trees.TODAY).require()

    for document in documents:
        expected = matches(drawn, document, registry, trees.TODAY)
        for form in (tidy(drawn), canonical(drawn, ranges=False)):
            assert expected == matches(form, document, registry, trees.TODAY)


def test_nodes_come_with_their_pointers() -> None:
    drawn = tree("(and a:equals:1 (or b:equals:1 c:equals:1))")

    assert [pointer for pointer, _ in nodes(drawn)] == [
        "",
        "/rules/0",
        "/rules/1",
        "/rules/1/rules/0",
        "/rules/1/rules/1",
    ]
    assert at(drawn, "/rules/1/rules/0") == Rule("b", "equals", 1)
    assert at(drawn, "/rules/9") is None
    assert find(drawn, lambda n: isinstance(n, Rule) and n.field == "c") == (
        "/rules/1/rules/1",
        Rule("c", "equals", 1),
    )
    assert find(drawn, lambda n: isinstance(n, Group) and n.negated) is None
    assert extent(drawn) == (2, 3)


def test_rewriting_drops_emptied_groups_and_shares_the_rest() -> None:
    drawn = tree("(and (or a:equals:1 (and b:equals:1)) (or c:equals:1))")

    kept = keep(drawn, lambda rule: rule.field == "c")

    assert kept == tree("(and (or c:equals:1))")
    assert kept.rules[0] is drawn.rules[1]
    assert map_rules(drawn, lambda rule: rule) is drawn
    assert keep(drawn, lambda _: False) == EMPTY


def test_tidying_keeps_a_denial() -> None:
    drawn = tree("(and (and (not a:equals:1)) (not (not (or b:equals:1 c:equals:1))))")

    expected = tree("(and (not a:equals:1) (or b:equals:1 c:equals:1))")
    assert expected == tidy(drawn)


def test_a_wide_tree_is_tidied_in_a_line() -> None:
    wide = Group(rules=tuple(Rule("a", "equals", n) for n in range(100)))

    assert len(list(leaves(canonical(Group("or", (wide, *wide.rules)))))) == 101

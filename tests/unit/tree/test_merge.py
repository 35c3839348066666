"""A turn finds its place in the tree, or is told why it did not."""

from __future__ import annotations

import re
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from tests import trees
from tests.notation import blocks, tree
from tests.oracle import matches
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.tree.merge import Merged, merge
from vitrine.tree.model import LEAVES, Group, Rule, leaves
from vitrine.tree.slots import is_multi, slots
from vitrine.tree.walk import canonical
from vitrine.validate import check, validate

INTENTS = ("search", "refine", "expand", "remove", "reset", "clarify")
TYPES = {
    "width": FieldType.NUMBER,
    "made": FieldType.DATE,
    "colour": FieldType.COLOUR,
    "kind": FieldType.KEYWORD,
    "tags": FieldType.KEYWORD,
}
REGISTRY = trees.registry_of(
    Field(key=key, type=kind, label={"en": key}, multi=key == "tags")
    for key, kind in TYPES.items()
)
CASES = [*blocks("merge.txt"), *blocks("unmet.txt")]


def run(block: dict[str, str]) -> Merged:
    intent = next(intent for intent in INTENTS if intent in block)
    texts = [block["tree"], block[intent]]
    old, delta = (_spaced(text, block) for text in texts)
    return merge(old, intent, delta, REGISTRY)


def _spaced(text: str, block: dict[str, str]) -> Group:
    """Put spaces where the notation has no room for them; "full" is a full tree."""
    if text == "full":
        tags = (Rule("tags", "equals", str(n)) for n in range(LEAVES))
        return Group(rules=tuple(tags))
    found = tree(text)
    if "spaces" not in block:
        return found
    rules = [
        Rule(r.field, r.operator, str(r.value).replace("_", " ", 1))
        if r.value and f'"{r.value}"' in text
        else r
        for _, r in leaves(found)
    ]
    return Group(rules=tuple(rules))


@pytest.mark.parametrize(("title", "block"), CASES, ids=[title for title, _ in CASES])
def test_merge(title: str, block: dict[str, str]) -> None:
    merged = run(block)

    assert _spaced(block["gives"], block) == merged.tree, title
    assert block.get("unmet", "").split() == [unmet.code for unmet in merged.unmet]


def test_changes_say_what_where_and_from_what() -> None:
    old = tree("(and kind:equals:x (or (and width:greater_than:1000 kind:equals:y)))")

    (change,) = merge(old, "refine", tree("width:greater_than:2000"), REGISTRY).changes

    assert change.kind == "replaced"
    assert change.path == "/rules/1/rules/0/rules/0"
    assert Rule("width", "greater_than", 1000) == change.before
    assert Rule("width", "greater_than", 2000) == change.after


def test_an_exclusion_is_told_as_one() -> None:
    excluded = Group(rules=(Rule("width", "greater_than", 5),), negated=True)

    merged = merge(Group(), "search", Group(rules=(excluded,)), REGISTRY)

    assert [("added", excluded)] == [(c.kind, c.after) for c in merged.changes]


@pytest.mark.parametrize(
    ("intent", "delta", "kinds"),
    [
        ("refine", "colour:equals:red", ["added"]),
        ("refine", "kind:equals:photo", ["unchanged"]),
        ("refine", "kind:equals:film", ["replaced"]),
        ("expand", "kind:equals:photo", ["unchanged"]),
        ("remove", "kind", ["removed"]),
        ("search", "colour:equals:red", ["removed", "removed", "added"]),
        (
            "search",
            "(and kind:equals:photo width:less_than:5)",
            ["unchanged", "unchanged"],
        ),
        ("reset", "(and)", ["removed", "removed"]),
        ("clarify", "(and)", []),
    ],
)
def test_each_change_has_its_kind(intent: str, delta: str, kinds: list[str]) -> None:
    old = tree("(and kind:equals:photo width:less_than:5)")

    assert kinds == [c.kind for c in merge(old, intent, tree(delta), REGISTRY).changes]


@pytest.mark.parametrize("operator", ["with_role", "without_role"])
def test_the_last_of_several_roles_is_said_alone(operator: str) -> None:
    relation = Field(key="people", type=FieldType.RELATION, label={"en": "people"})
    old = Group(rules=(Rule("people", operator, ("client", "VIP")),))
    delta = Group(rules=(Rule("people", operator, "VIP"),))

    found = merge(old, "remove", delta, trees.registry_of([relation])).tree

    assert Group(rules=(Rule("people", operator, "client"),)) == found


def test_the_largest_merge_takes_no_time() -> None:
    lists = [tuple(f"{side}{n}" for n in range(200)) for side in ("a", "b")]
    old, delta = (
        Group(rules=tuple(Rule("kind", "in", words) for _ in range(20)))
        for words in lists
    )
    start = time.perf_counter()

    for intent in INTENTS:
        merge(old, intent, delta, REGISTRY)

    assert time.perf_counter() - start < 5


def test_each_limit_is_documented_under_its_name() -> None:
    text = (Path(__file__).parents[3] / "docs" / "merge.md").read_text()
    sections = dict(re.findall(r"^## (.+)\n\n(?:`(\w+)`)?", text, re.MULTILINE))
    told = {title: code for title, code in sections.items() if code}

    assert told == {title: block["unmet"] for title, block in blocks("unmet.txt")}


def drawn(seed: int) -> tuple[Random, Registry, Group, Group]:
    rng = Random(seed)
    registry = trees.registry(rng, size=4)
    raw = [trees.tree(rng, registry, depth=depth) for depth in (4, 2)]
    old, delta = (check(r, registry, today=trees.TODAY).require() for r in raw)
    return rng, registry, old, delta


@given(trees.SEEDS)
@settings(max_examples=200, deadline=None)
def test_merging_is_deterministic_and_stays_valid(seed: int) -> None:
    rng, registry, old, delta = drawn(seed)
    intent = rng.choice(INTENTS)

    merged = merge(old, intent, delta, registry)

    assert merged == merge(old, intent, delta, registry)
    checked = validate(merged.tree, registry, today=trees.TODAY)
    assert (checked.faults, checked.tree) == ((), merged.tree)


@given(trees.SEEDS)
@settings(max_examples=200, deadline=None)
def test_refining_twice_is_refining_once(seed: int) -> None:
    _, registry, old, delta = drawn(seed)

    once = merge(old, "refine", delta, registry).tree

    twice = merge(once, "refine", delta, registry).tree
    assert canonical(once) == canonical(twice)


@given(trees.SEEDS)
@settings(max_examples=200, deadline=None)
def test_a_removed_field_is_gone_at_every_depth(seed: int) -> None:
    rng, registry, old, _ = drawn(seed)
    key = rng.choice([rule.field for _, rule in leaves(old)])

    merged = merge(old, "remove", Group(rules=(Rule(key, ""),)), registry)

    assert key not in {rule.field for _, rule in leaves(merged.tree)}
    assert merged.unmet == ()


@given(trees.SEEDS)
@settings(max_examples=200, deadline=None)
def test_nothing_but_the_slot_changes(seed: int) -> None:
    rng, registry, old, _ = drawn(seed)
    raw = trees.rule(rng, registry)
    delta = check(raw, registry, today=trees.TODAY).require()
    (asked,) = (rule for _, rule in leaves(delta))

    new = merge(old, "refine", delta, registry).tree

    def others(group: Group) -> list[Rule]:
        return [rule for _, rule in leaves(group) if rule.field != asked.field]

    assert others(old) == others(new)


@given(trees.SEEDS)
@settings(max_examples=300, deadline=None)
def test_what_is_asked_is_done_or_told(seed: int) -> None:
    """The check reads documents: a refined tree lets nothing through that the leaf
    would refuse, unless the turn says so."""
    rng, registry, old, delta = drawn(seed)
    documents = trees.documents(rng, registry, 15)

    merged = merge(old, "refine", delta, registry)

    if not merged.unmet:
        for document in documents:
            if matches(merged.tree, document, registry, trees.TODAY):
                assert matches(delta, document, registry, trees.TODAY)


@given(trees.SEEDS)
@settings(max_examples=200, deadline=None)
def test_expanding_never_loses_a_document(seed: int) -> None:
    rng, registry, old, delta = drawn(seed)
    documents = trees.documents(rng, registry, 15)

    wider = merge(old, "expand", delta, registry).tree

    for document in documents:
        if matches(old, document, registry, trees.TODAY):
            assert matches(wider, document, registry, trees.TODAY)


def test_the_normal_form_does_not_depend_on_the_order_of_turns() -> None:
    turns = ["kind:equals:photo", "colour:equals:red", "width:less_than:5"]
    found = []
    for order in (turns, turns[::-1]):
        state = Group()
        for turn in order:
            state = merge(state, "refine", tree(turn), REGISTRY).tree
        found.append(canonical(state))

    assert found[0] == found[1]


def test_slots_tell_multi_valued_fields_apart() -> None:
    assert is_multi(REGISTRY.filters["tags"])
    assert not is_multi(REGISTRY.filters["kind"])
    assert frozenset({"membership"}) == slots(
        Rule("kind", "equals", "x"), REGISTRY.filters["kind"]
    )

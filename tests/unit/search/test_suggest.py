"""Ways on: the disjunction, and each bound made wider."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from vitrine.registry.profiles import Registry
from vitrine.search.suggest import relaxations
from vitrine.tree.model import Group, Rule

TODAY = date(2026, 11, 30)
LAMP = Rule("full_text_search", "keyword_search", "lamp")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Rule("width", "greater_than", 100), ("greater_than", 80)),
        (Rule("width", "less_or_equal", 10), ("less_or_equal", 12)),
        (Rule("width", "between", [10, 20]), ("between", [8, 24])),
        (Rule("width", "greater_than", -10), ("greater_than", -12)),
        (
            Rule("made", "in_period", "2026-02"),
            ("between", ["2026-01-04", "2026-03-28"]),
        ),
        (
            Rule("colour", "near", {"hex": "#ff0000", "tolerance": 20}),
            ("near", {"hex": "#ff0000", "tolerance": 40}),
        ),
    ],
)
def test_a_bound_is_made_wider(
    registry: Registry, rule: Rule, expected: tuple[str, Any]
) -> None:
    found = list(relaxations(Group(rules=(LAMP, rule)), registry, today=TODAY))

    (wider,) = [c.tree.rules[1] for c in found if c.kind == "wider"]
    assert isinstance(wider, Rule)
    assert expected == (wider.operator, wider.value)


@pytest.mark.parametrize(
    "rule",
    [
        Rule("width", "is_empty"),
        Rule("width", "equals", 5),
        Rule("made", "in_period", "since 2020"),
        Rule("tags", "equals", "oak"),
    ],
)
def test_what_has_no_bound_is_left_alone(registry: Registry, rule: Rule) -> None:
    assert [] == list(relaxations(Group(rules=(LAMP, rule)), registry, today=TODAY))


def test_filters_become_alternatives_and_the_text_stays(registry: Registry) -> None:
    oak, wide = Rule("tags", "equals", "oak"), Rule("width", "equals", 5)

    (either,) = relaxations(Group(rules=(LAMP, oak, wide)), registry, today=TODAY)

    assert (LAMP, Group("or", (oak, wide))) == either.tree.rules


@pytest.mark.parametrize(
    "tree",
    [
        Group("or", (LAMP, Rule("width", "equals", 5))),
        Group(rules=(Rule("width", "less_than", 5),), negated=True),
    ],
)
def test_only_a_conjunction_is_relaxed(registry: Registry, tree: Group) -> None:
    assert [] == list(relaxations(tree, registry, today=TODAY))

"""Conditions mean what the oracle says, tree by tree and document by document."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from tests import trees
from tests.oracle import matches
from vitrine.language.folding import fold, squash
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import registry_for
from vitrine.tree import conditions as c
from vitrine.tree.lower import Lowered, lower
from vitrine.tree.model import Group, Rule
from vitrine.tree.parse import parse
from vitrine.validate import check

WHEN = Field(key="made", type=FieldType.DATETIME, label={"en": "made"})
DAY = Field(key="day", type=FieldType.DATE, label={"en": "day"})
PRICE = Field(key="price", type=FieldType.NUMBER, label={"en": "price"}, currency="EUR")
WIDTH = Field(key="width", type=FieldType.NUMBER, label={"en": "width"}, unit="cm")
PAGES = Field(key="pages", type=FieldType.NUMBER, label={"en": "pages"}, integer=True)
REGISTRY = trees.registry_of([WHEN, DAY, PRICE, WIDTH, PAGES])


def lowered(*rules: tuple[str, str, Any]) -> Lowered:
    tree = Group(rules=tuple(Rule(*rule) for rule in rules))
    return lower(tree, REGISTRY, today=trees.TODAY)


def said(condition: c.Condition, document: dict[str, Any]) -> bool:
    """Evaluate a condition naively, as an engine must."""
    match condition:
        case c.All(parts):
            return all(said(part, document) for part in parts)
        case c.Any(parts):
            return any(said(part, document) for part in parts)
        case c.Not(part):
            return not said(part, document)
        case c.Text(query):
            return set(query.split()) <= set(document["title"].split())
    value = document.get(condition.field.key)
    values = [value] if not isinstance(value, list) else value
    kept = [v for v in values if v is not None and v != ""]
    return any(_holds(condition, _comparable(v, condition.field)) for v in kept)


def _comparable(value: Any, field: Field) -> Any:
    if field.type is FieldType.TEXT:
        return fold(value)
    if field.type is FieldType.IDENTIFIER:
        return squash(value)
    if field.type is FieldType.DATETIME:
        return datetime.fromisoformat(value)
    return Decimal(str(value)) if field.type is FieldType.NUMBER else value


def _holds(condition: c.Condition, value: Any) -> bool:
    match condition:
        case c.Present():
            return True
        case c.Member(field, values):
            label = field.type is FieldType.VOCABULARY
            return value in values or (label and fold(value) in map(fold, values))  # type: ignore[arg-type] # labels
        case c.Contains(_, needle, at_start):
            return value.startswith(needle) if at_start else needle in value
        case c.Between():
            return _between(condition, value)
        case c.Near(_, colour, tolerance):
            return _distance(value, colour) <= tolerance
        case _:
            return _linked(condition, value)


def _distance(one: str, two: str) -> int:
    channels = zip(bytes.fromhex(one[1:]), bytes.fromhex(two[1:]), strict=True)
    return max(abs(a - b) for a, b in channels)


def _linked(condition: c.Condition, value: Any) -> bool:
    assert isinstance(condition, c.Linked)
    marks = {fold(mark) for mark in (*value["roles"], *value["tags"])}
    named = set(fold(condition.name).split()) <= set(fold(value["name"]).split())
    return bool(marks & set(map(fold, condition.roles))) if condition.roles else named


def _between(test: c.Between, value: Any) -> bool:
    low, high = (
        bound if bound is None else _comparable(bound, test.field)
        for bound in (test.low, test.high)
    )
    above = low is None or value > low or (value == low and not test.low_open)
    below = high is None or value < high or (value == high and not test.high_open)
    return bool(above and below)


@given(trees.SEEDS)
@settings(max_examples=300, deadline=None)
def test_conditions_agree_with_the_oracle_on_every_document(seed: int) -> None:
    rng = Random(seed)
    registry = trees.registry(rng)
    documents = trees.documents(rng, registry, 12)
    checked = check(trees.tree(rng, registry, documents), registry, today=trees.TODAY)

    found = lower(checked.require(), registry, today=trees.TODAY)

    whole = c.All((found.condition, *([found.text] if found.text else [])))
    for document in documents:
        expected = matches(checked.tree, document, registry, trees.TODAY)
        assert expected == said(whole, document), (checked.tree, document)


@pytest.mark.parametrize(
    ("rule", "low", "high", "low_open", "high_open"),
    [
        (
            ("made", "on_or_before", "2026-03-29"),
            None,
            "2026-03-29T22:00:00Z",
            False,
            True,
        ),
        (("made", "after", "2026-03-28"), "2026-03-28T23:00:00Z", None, False, False),
        (
            ("made", "equals", "2026-07-01T08:00:00Z"),
            *["2026-07-01T08:00:00Z"] * 2,
            False,
            False,
        ),
        (("day", "equals", "2026-07-01"), "2026-07-01", "2026-07-02", False, True),
        (("day", "before", "2026-07-01"), None, "2026-07-01", False, True),
        (("day", "in_period", "last_month"), "2026-10-01", "2026-11-01", False, True),
        (
            ("day", "between", ("2026-01-01", "2026-01-31")),
            "2026-01-01",
            "2026-02-01",
            False,
            True,
        ),
        (("day", "in_period", "since 2026-02"), "2026-02-01", None, False, False),
    ],
)  # D02, D03, N08
def test_days_are_half_open_in_the_tenants_zone(
    rule: tuple[str, str, Any],
    low: str | None,
    high: str | None,
    low_open: bool,
    high_open: bool,
) -> None:
    field = REGISTRY.filters[rule[0]]

    assert c.Between(field, low, high, low_open, high_open) == lowered(rule).condition


def test_last_winter_spans_the_new_year() -> None:
    """D01: a season begins before it ends, whatever the year does between."""
    expected = c.Between(DAY, "2025-12-01", "2026-03-01", high_open=True)

    assert expected == lowered(("day", "in_period", "last_winter")).condition


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (("price", "less_than", 49.9), c.Between(PRICE, None, Decimal(4989))),
        (("price", "less_or_equal", 49.9), c.Between(PRICE, None, Decimal(4990))),
        (("price", "equals", 49.9), c.Member(PRICE, (Decimal(4990),))),
        (("pages", "greater_than", 3.5), c.Between(PAGES, Decimal(4), None)),
        (("pages", "between", (3.2, 3.8)), c.FALSE),
        (
            ("width", "greater_than", 0.1),
            c.Between(WIDTH, Decimal("0.1"), low_open=True),
        ),
    ],
)
def test_numbers_are_exact_and_whole_where_the_stored_ones_are(
    rule: tuple[str, str, Any], expected: c.Condition
) -> None:
    assert expected == lowered(rule).condition


def test_the_roots_only_text_is_lifted_out() -> None:
    found = lowered(
        ("full_text_search", "keyword_search", "calm"), ("pages", "is_empty", None)
    )

    assert c.Text("calm", "keyword_search") == found.text
    assert c.Not(c.Present(PAGES)) == found.condition


def test_two_texts_stay_conditions() -> None:
    texts = [("full_text_search", "hybrid_search", word) for word in ("calm", "sea")]

    assert lowered(*texts).text is None
    assert c.All((c.Text("calm"), c.Text("sea"))) == lowered(*texts).condition


def test_a_text_below_an_or_stays_a_condition() -> None:
    leaf = Rule("full_text_search", "hybrid_search", "calm")
    tree = Group("or", (leaf, Rule("pages", "is_empty")))

    found = lower(tree, REGISTRY, today=trees.TODAY)

    assert found.text is None
    assert c.Any((c.Text("calm"), c.Not(c.Present(PAGES)))) == found.condition


def test_any_of_and_all_of_are_two_things() -> None:
    """F05: a list asks for one of its values, an AND of leaves for each."""
    registry = trees.registry_of(
        [Field(key="tags", type=FieldType.KEYWORD, multi=True, label={"en": "tags"})]
    )
    both = [{"field": "tags", "operator": "equals", "value": v} for v in ("a", "b")]
    either = {"field": "tags", "operator": "in", "value": ["a", "b"]}
    documents: list[dict[str, Any]] = [
        {"tags": ["a"]},
        {"tags": ["a", "b"]},
        {"tags": []},
    ]

    found = [
        [
            said(
                lower(
                    check(raw, registry, today=trees.TODAY).require(),
                    registry,
                    today=trees.TODAY,
                ).condition,
                d,
            )
            for d in documents
        ]
        for raw in (either, {"rules": both})
    ]

    assert found == [[True, True, False], [False, True, False]]


@pytest.mark.parametrize("operator", ["not_equals", "not_in", "is_empty"])
def test_a_missing_value_matches_negatives_and_nothing_else(operator: str) -> None:
    """F07: the one sentence, for each way of being missing."""
    registry = trees.registry_of(
        [Field(key="kind", type=FieldType.KEYWORD, label={"en": "kind"})]
    )
    raw = {
        "field": "kind",
        "operator": operator,
        "value": None if operator == "is_empty" else ["a"],
    }
    tree = check(raw, registry, today=trees.TODAY).require()
    found = lower(tree, registry, today=trees.TODAY).condition

    ways: list[Any] = [None, "", []]
    missing: list[dict[str, Any]] = [{}, *({"kind": way} for way in ways)]
    for document in missing:
        assert said(found, document)
        assert not said(c.Not(found), document)
        assert matches(tree, document, registry, trees.TODAY)


def test_an_empty_group_says_nothing() -> None:
    raw = {
        "operator": "or",
        "rules": [{"rules": []}, {"field": "pages", "operator": "is_empty"}],
    }

    found = lower(parse(raw).tree, REGISTRY, today=trees.TODAY)

    assert c.Not(c.Present(PAGES)) == found.condition
    assert lower(Group(), REGISTRY, today=trees.TODAY).condition == c.TRUE


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/St_Johns"])
@pytest.mark.parametrize(
    ("expected", "operator", "value"),
    [
        ((False, False), "after", "9999-12-31"),
        ((True, True), "on_or_before", "9999-12-31"),
        ((False, True), "on_or_after", "9999-12-31"),
        ((True, False), "before", "9999-12-31"),
        ((False, False), "before", "0001-01-01"),
        ((True, True), "on_or_after", "0001-01-01"),
        ((True, False), "equals", "0001-01-01"),
        ((True, False), "in_period", "0001"),
    ],
)
def test_the_ends_of_the_calendar_are_days_like_others(
    zone: str, expected: tuple[bool, bool], operator: str, value: str
) -> None:
    """D03: a bound past the last day neither widens nor raises."""
    kinds = (FieldType.DATE, FieldType.DATETIME)
    drawn = trees.registry_of(
        Field(key=kind.value, type=kind, label={"en": kind.value}) for kind in kinds
    )
    manifest = drawn.manifest.model_copy(update={"zone": zone})
    registry = registry_for(manifest, "trusted", tenant="acme")
    stored = [
        {"date": "0001-01-01", "datetime": "0001-01-01T06:00:00Z"},
        {"date": "9999-12-31", "datetime": "9999-12-31T05:00:00Z"},
    ]

    for kind in kinds:
        raw = {"field": kind.value, "operator": operator, "value": value}
        tree = check(raw, registry, today=trees.TODAY).require()
        found = lower(tree, registry, today=trees.TODAY).condition
        assert expected == tuple(said(found, document) for document in stored)


def test_lowering_is_linear() -> None:
    """No normal form is made: alternating groups keep their number of parts."""
    node: Group | Rule = Rule("pages", "equals", 1)
    for level in range(7):
        other = Rule("width", "equals", level)
        node = Group("or" if level % 2 else "and", (node, other))
    condition = lower(Group(rules=(node,)), REGISTRY, today=trees.TODAY).condition

    assert str(condition).count("Member") == 8

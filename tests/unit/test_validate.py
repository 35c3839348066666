"""A leaf is read without loss against a registry, or refused with a remedy."""

from __future__ import annotations

import time
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from tests import trees
from vitrine.problems import Fault, Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Choice, Field
from vitrine.registry.manifest import Profile
from vitrine.registry.operators import FieldType
from vitrine.tree.lower import lower
from vitrine.tree.model import LIST, Group, Rule, dump
from vitrine.validate import check, validate

T = FieldType
CITY = tuple(
    Choice(value=value, code=f"c{index}", labels=labels)
    for index, (value, labels) in enumerate(
        [
            ("Manhattan", {"fr": "Manhattan"}),
            ("Brooklyn", {}),
            ("Queens, NY", {"fr": "Reines, NY"}),
            ("001", {}),
            ("C++", {}),
        ]
    )
)


def field(key: str, kind: FieldType, **more: Any) -> Field:
    return Field(key=key, type=kind, label={"en": key, "fr": key}, **more)


FIELDS = (
    field("price", T.NUMBER, currency="EUR"),
    field("width", T.NUMBER, unit="cm"),
    field("year", T.NUMBER, integer=True),
    field("weight", T.NUMBER),
    field("city", T.KEYWORD, choices=CITY),
    field("brand", T.KEYWORD),
    field("note", T.TEXT),
    field("sku", T.IDENTIFIER),
    field("made", T.DATE),
    field("seen", T.DATETIME),
    field("opens", T.TIME),
    field("stock", T.BOOLEAN),
    field("tags", T.VOCABULARY, multi=True),
    field("hue", T.COLOUR),
    field("shape", T.ORIENTATION),
    field("people", T.RELATION),
    field("mime_type", T.KEYWORD, aliases=("file_type",)),
    field("extension", T.KEYWORD, aliases=("file_type",)),
    field("cost", T.NUMBER),
)
OPEN = tuple(f.key for f in FIELDS if f.key != "cost")
GRANT = Profile(filter=OPEN, search=("title",), output=("title",))
REGISTRY = trees.registry_of(FIELDS, grant=GRANT)
SHOP = trees.registry_of(FIELDS, grant=GRANT, engine=EngineName.TYPESENSE)


def judged(
    raw: Any, language: str = "en", **how: Any
) -> tuple[Group, tuple[Fault, ...]]:
    registry = how.pop("registry", REGISTRY)
    checked = check(raw, registry, today=trees.TODAY, language=language, **how)
    return checked.tree, checked.faults


def leaf(key: str, operator: str, value: Any = None) -> dict[str, Any]:
    return {"field": key, "operator": operator, "value": value}


def read(key: str, operator: str, value: Any, language: str = "en") -> Any:
    tree, faults = judged(leaf(key, operator, value), language)
    assert faults == ()
    (rule,) = tree.rules
    return dump(rule).get("value")


@pytest.mark.parametrize(
    ("key", "operator", "given_", "expected"),
    [
        ("year", "greater_than", "2000", 2000),
        ("year", "equals", "001", 1),
        ("width", "less_than", "2 m", 200),
        ("width", "less_than", "1.5", 1.5),
        ("price", "less_than", "49.90 €", 49.9),
        ("price", "less_than", 49.9, 49.9),
        ("price", "between", ["10", "20 EUR"], [10, 20]),
        ("width", "between", "[10, 20]", [10, 20]),
        ("weight", "equals", 2.0, 2),
        ("city", "equals", "MANHATTAN", "Manhattan"),
        ("city", "equals", "reines, ny", "Queens, NY"),
        ("city", "in", "Queens, NY", ["Queens, NY"]),
        ("city", "in", "manhattan, brooklyn", ["Manhattan", "Brooklyn"]),
        ("city", "in", '["brooklyn", "C++"]', ["Brooklyn", "C++"]),
        ("city", "in", ["brooklyn", "Brooklyn"], ["Brooklyn"]),
        ("city", "in", "001", ["001"]),
        ("city", "equals", ["brooklyn"], "Brooklyn"),
        ("note", "contains", 2000, "2000"),
        ("note", "equals", "001", "001"),
        ("note", "contains", " 100% _wool_ ", "100% _wool_"),
        ("sku", "equals", 6205, "6205"),
        ("sku", "starts_with", "6205-2", "6205-2"),
        ("made", "before", "2024-05-01", "2024-05-01"),
        ("made", "before", "20240501", "2024-05-01"),
        ("made", "equals", "2024-05-01T00:00:00", "2024-05-01"),
        ("seen", "after", "2024-05-01T10:00:00", "2024-05-01T08:00:00Z"),
        ("seen", "after", "2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z"),
        ("seen", "after", "2024-05-01", "2024-05-01"),
        ("opens", "before", "09:30", "09:30:00"),
        ("stock", "equals", "yes", True),
        ("stock", "equals", 0, False),
        ("hue", "equals", "#f00", "#ff0000"),
        ("hue", "equals", "FF0000", "#ff0000"),
        ("hue", "equals", {"hex": "#FF0000"}, "#ff0000"),
        ("hue", "near", "red", {"hex": "#ff0000", "tolerance": 48}),
        ("hue", "near", "rouge", {"hex": "#ff0000", "tolerance": 48}),
        (
            "hue",
            "near",
            {"hex": "f00", "tolerance": 10},
            {"hex": "#ff0000", "tolerance": 10},
        ),
        ("shape", "equals", "paysage", "landscape"),
        ("shape", "in", ["Portrait", "square"], ["portrait", "square"]),
        ("tags", "vocab_text_in", "sea, calm", ["sea", "calm"]),
        ("people", "with_role", ["VIP"], "VIP"),
        ("people", "person_name", "Marie Dupont", "Marie Dupont"),
        ("opens", "before", "2h30", "02:30:00"),
        ("made", "before", "12 May 2024", "2024-05-12"),
        ("made", "between", ["1 May 2024", "2024-05-31"], ["2024-05-01", "2024-05-31"]),
        ("made", "in_period", "Last Spring", "last_spring"),
        ("made", "in_period", "last spring", "last_spring"),
        ("made", "in_period", "since 2024-02", "since 2024-02"),
        ("full_text_search", "hybrid_search", "  calm header ", "calm header"),
        ("note", "is_empty", True, None),
    ],
)
def test_values_are_read_without_loss(
    key: str, operator: str, given_: Any, expected: Any
) -> None:
    """N02, N03, N05, N08, C01: by the registry's type, never by the look."""
    assert read(key, operator, given_) == expected


def test_a_period_may_be_said_in_the_callers_language() -> None:
    assert read("made", "in_period", "le printemps dernier", "fr") == "last_spring"


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
def test_every_group_space_is_a_group_mark(space: str) -> None:
    """C02: French thousands come with three kinds of space."""
    assert read("price", "less_than", f"14{space}000,12 EUR", "fr") == 14000.12


def test_a_number_with_two_readings_is_not_read_in_silence() -> None:
    """C01: 3.350 is three thousand or three and a bit; the field can't tell."""
    (fault,) = judged(leaf("weight", "less_than", "3.350"), "fr")[1]

    assert fault.code == "bad_value"
    assert "3350" in fault.message
    assert "3.350" in fault.message


@pytest.mark.parametrize(
    ("operator", "value", "name"),
    [
        ("after", "2024", "after 2024"),
        ("after", 2024, "after 2024"),
        ("before", "2024-05", "before 2024-05"),
        ("on_or_before", "last_month", "until last_month"),
        ("on_or_after", "2024-Q3", "since 2024-Q3"),
        ("after", "May 2024", "after 2024-05"),
        ("equals", "2024-W05", "2024-W05"),
        ("between", ["2024-01", "2024-03-15"], "2024-01..2024-03-15"),
    ],
)
def test_a_date_that_is_a_span_becomes_the_period(
    operator: str, value: Any, name: str
) -> None:
    tree, faults = judged(leaf("made", operator, value))

    assert faults == ()
    assert tree.rules == (Rule("made", "in_period", name),)


@pytest.mark.parametrize(
    ("key", "operator", "value", "code"),
    [
        ("year", "equals", "two thousandish", "bad_value"),
        ("year", "equals", 2000.5, "bad_value"),
        ("year", "greater_than", True, "bad_value"),
        ("year", "greater_than", [1, 2], "bad_value"),
        ("year", "greater_than", {"hex": 1}, "bad_value"),
        ("year", "greater_than", 2**62, "out_of_range"),
        ("weight", "less_than", 1e300, "out_of_range"),
        ("price", "less_than", "20 USD", "bad_value"),
        ("price", "equals", 49.999, "bad_value"),
        ("price", "between", [20, 10], "bad_value"),
        ("price", "between", [20], "bad_value"),
        ("made", "between", ["31 May 2024", "2024-05-01"], "bad_value"),
        ("price", "between", [20, None], "bad_value"),
        ("width", "less_than", "2 kg", "bad_value"),
        ("made", "before", "soon", "bad_value"),
        ("made", "before", "2024-02-30", "bad_value"),
        ("made", "before", "12/05/2024", "bad_value"),
        ("made", "before", "2024-05-01T10:00", "bad_value"),
        ("made", "in_period", "whenever", "bad_value"),
        ("made", "in_period", "2024-06..2024-01", "bad_value"),
        ("opens", "before", "25:00", "bad_value"),
        ("stock", "equals", "maybe", "bad_value"),
        ("stock", "equals", 2, "bad_value"),
        ("hue", "near", "glitter", "bad_value"),
        ("hue", "near", {"hex": "#f00", "tolerance": 999}, "bad_value"),
        ("shape", "equals", "round", "unknown_value"),
        ("city", "equals", "Bronx", "unknown_value"),
        ("note", "contains", "", "missing_value"),
        ("note", "contains", "   ", "missing_value"),
        ("note", "contains", None, "missing_value"),
        ("note", "contains", 1.5, "bad_value"),
        ("note", "is_empty", False, "unexpected_value"),
        ("sku", "starts_with", "62-0", "bad_value"),
        ("sku", "equals", "--", "bad_value"),
        ("full_text_search", "hybrid_search", "* - !", "bad_value"),
        ("tags", "vocab_text_in", [], "missing_value"),
        ("tags", "vocab_text_in", ",".join("abc" for _ in range(LIST + 1)), "too_long"),
    ],
)
def test_what_would_lose_something_is_refused(
    key: str, operator: str, value: Any, code: str
) -> None:
    """F09: bool before int, no object or list where a scalar belongs."""
    faults = judged(leaf(key, operator, value))[1]

    assert [(f.pointer, f.code) for f in faults] == [("/value", code)]


def test_each_literal_of_a_list_is_judged_alone() -> None:
    """N09: one known literal does not carry an unknown one along."""
    faults = judged(leaf("city", "in", ["Manhattan", "BOGUS", "Broklyn"]))[1]

    assert [f.pointer for f in faults] == ["/value/1", "/value/2"]
    assert {f.code for f in faults} == {"unknown_value"}
    assert "Brooklyn" in faults[1].remedy


def test_the_nearest_value_comes_first() -> None:
    (fault,) = judged(leaf("city", "equals", "Bruklin"))[1]

    expected = "The nearest are: Brooklyn, Manhattan, Queens, NY, 001, C++."
    assert fault.remedy == expected


def test_a_number_of_another_kind_is_told_its_unit() -> None:
    (fault,) = judged(leaf("width", "less_than", "2 kg"))[1]

    assert fault.remedy == "Send a plain JSON number, in cm."


def test_a_sensitive_list_is_never_quoted() -> None:
    secret = field("secret", T.KEYWORD, choices=CITY, sensitive=True)
    registry = trees.registry_of([secret])

    (fault,) = judged(leaf("secret", "equals", "Bogus"), registry=registry)[1]

    assert fault.code == "unknown_value"
    assert not any(choice.value in str(fault) for choice in CITY)


def test_a_private_field_and_an_unknown_one_get_the_same_answer() -> None:
    """F13, T02: refused whole, and nobody learns whether the field exists."""
    private = judged(leaf("cost", "less_than", 5))[1]
    unknown = judged(leaf("cosx", "less_than", 5))[1]

    (one,), (other,) = private, unknown
    assert one.code == "unknown_field"
    assert str(one).replace("cost", "cosx") == str(other)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("file_type", "Use `mime_type` or `extension` instead of `file_type`."),
        ("File Type", "Use `mime_type` or `extension` instead of `File Type`."),
        ("Price", "Use `price`."),
        ("widt", "Did you mean `width` or `weight`?"),
    ],
)
def test_an_unknown_field_names_its_visible_neighbour(name: str, remedy: str) -> None:
    """N01, N06: a field that was never declared is refused, with the nearest."""
    (fault,) = judged(leaf(name, "equals", 1))[1]

    assert (fault.pointer, fault.code) == ("/field", "unknown_field")
    assert fault.remedy == remedy


def test_a_remedy_never_names_what_the_profile_may_not_filter() -> None:
    for name in ("cost", "costs", "Cost", "coast", "kost"):
        (fault,) = judged(leaf(name, "equals", 1))[1]
        assert "`cost`" not in fault.remedy
        assert "title" not in fault.remedy


@pytest.mark.parametrize(
    ("key", "operator", "code"),
    [
        ("price", "all", "unknown_operator"),
        ("price", "contains", "operator_not_here"),
        ("price", "; drop table", "unknown_operator"),
        ("tags", "vocab_id_in", "operator_not_here"),
        ("tags", "equals", "operator_not_here"),
    ],
)
def test_an_operator_is_one_of_its_field(key: str, operator: str, code: str) -> None:
    """N04, F12: an operator is looked up, never passed on."""
    (fault,) = judged(leaf(key, operator, ["1"]))[1]

    assert (fault.pointer, fault.code) == ("/operator", code)
    assert all(name in fault.remedy for name in REGISTRY.operators(key))


def test_an_engine_refuses_what_it_can_not_run() -> None:
    assert judged(leaf("note", "contains", "x"))[1] == ()
    (fault,) = judged(leaf("note", "contains", "x"), registry=SHOP)[1]

    assert fault.code == "operator_not_here"
    assert "contains," not in fault.remedy


def test_ids_are_for_the_editor_only() -> None:
    raw = leaf("tags", "vocab_id_in", ["c1"])

    assert judged(raw, ids=True)[1] == ()
    assert judged(raw)[1][0].code == "operator_not_here"


def test_all_faults_of_both_looks_come_at_once() -> None:
    raw = {
        "operator": "and",
        "rules": [
            leaf("cost", "equals", 1),
            {"field": "price", "operator": "less_than", "value": "cheap", "x": 1},
            {"field": "price"},
            {"rules": [leaf("price", "all", 1)]},
        ],
    }

    found = {(f.pointer, f.code) for f in judged(raw)[1]}

    assert found == {
        ("/rules/0/field", "unknown_field"),
        ("/rules/1/x", "unknown_key"),
        ("/rules/1/value", "bad_value"),
        ("/rules/2/operator", "missing_value"),
        ("/rules/3/rules/0/operator", "unknown_operator"),
    }


def test_faults_carry_the_callers_pointer() -> None:
    (fault,) = judged(leaf("cost", "equals", 1), pointer="/tree")[1]

    assert fault.pointer == "/tree/field"


def test_every_fault_of_a_value_says_what_would_be_right() -> None:
    for key, operator in (("made", "before"), ("price", "less_than"), ("hue", "near")):
        (fault,) = judged(leaf(key, operator, "???"))[1]
        assert fault.message.startswith(key)
        assert fault.remedy


def test_a_faulty_tree_may_not_run() -> None:
    checked = check(leaf("cost", "equals", 1), REGISTRY, today=trees.TODAY)

    with pytest.raises(Invalid) as caught:
        checked.require()
    assert caught.value.faults == checked.faults


def test_what_is_to_be_removed_may_be_said_loosely() -> None:
    raw = {"rules": [{"field": "made"}, leaf("price", "less_than", "about 100")]}

    tree, faults = judged(raw, loose=True)

    assert faults == ()
    assert tree.rules[0] == Rule("made", "")
    assert judged({"field": "cost"}, loose=True)[1][0].code == "unknown_field"


def test_empty_groups_are_left_out() -> None:
    raw = {"operator": "or", "rules": [{"rules": []}, leaf("stock", "equals", "yes")]}

    assert judged(raw)[0].rules == (Rule("stock", "equals", value=True),)


def test_a_merged_tree_is_held_to_the_bounds_again() -> None:
    many = Group(rules=tuple(Rule("stock", "is_empty") for _ in range(101)))

    faults = validate(many, REGISTRY, today=trees.TODAY).faults

    assert [fault.code for fault in faults] == ["too_many"]


@given(trees.SEEDS)
@settings(max_examples=300, deadline=None)
def test_a_checked_tree_checks_to_itself(seed: int) -> None:
    rng = Random(seed)
    registry = trees.registry(rng)
    documents = trees.documents(rng, registry)
    once = check(trees.tree(rng, registry, documents), registry, today=trees.TODAY)

    again = check(dump(once.require()), registry, today=trees.TODAY)

    assert again.require() == once.tree


@pytest.mark.parametrize("language", ["en", "fr"])
def test_normal_values_do_not_depend_on_the_language(language: str) -> None:
    raw = {"rules": [leaf("price", "less_than", 1226.5), leaf("hue", "near", "#f00")]}

    once = judged(raw, language)[0]

    assert judged(dump(once), "fr")[0] == judged(dump(once), "en")[0] == once


def test_many_unknown_names_cost_no_more_than_a_few() -> None:
    long = tuple(Choice(value=f"value {n:05}", code=f"c{n}") for n in range(5_000))
    fields = [field(f"field_{n}", T.NUMBER) for n in range(500)]
    registry = trees.registry_of([field("big", T.KEYWORD, choices=long), *fields])
    wrong = [leaf("big", "in", [f"values {n}" for n in range(60)]) for _ in range(20)]
    raw = {"rules": [*wrong, *(leaf(f"fields {n}", "equals", 1) for n in range(60))]}
    start = time.perf_counter()

    faults = judged(raw, registry=registry)[1]

    assert {"unknown_value"} == {fault.code for fault in faults}
    assert faults[0].remedy
    assert not faults[-1].remedy
    assert time.perf_counter() - start < 5


def test_checking_and_lowering_twenty_leaves_is_quick() -> None:
    rules = [
        leaf("price", "less_than", 49.9),
        leaf("city", "in", ["manhattan", "brooklyn"]),
        leaf("made", "in_period", "last_month"),
        leaf("note", "contains", "calm"),
    ]
    raw = {"operator": "and", "rules": [{"operator": "or", "rules": rules}] * 5}

    def run() -> float:
        start = time.perf_counter()
        tree = check(raw, REGISTRY, today=trees.TODAY).require()
        lower(tree, REGISTRY, today=trees.TODAY)
        return time.perf_counter() - start

    assert min(run() for _ in range(30)) < 0.002


@pytest.mark.parametrize("value", ["  two  spaces ", "e\u0301te\u0301", "Firm && Co."])
def test_a_value_of_an_open_list_comes_back_as_it_was_given(value: str) -> None:
    """F01: what a facet shows can be asked for again, character by character."""
    open_list = Field(key="city", type=FieldType.KEYWORD, label={"en": "city"})
    registry = trees.registry_of([open_list])

    tree, faults = judged(leaf("city", "equals", value), registry=registry)

    assert faults == ()
    assert tree.rules == (Rule("city", "equals", value),)

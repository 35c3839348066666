"""Conditions → filter_by, by example and by law."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any as Anything

import pytest
from hypothesis import given

from tests import trees
from vitrine.problems import Invalid
from vitrine.registry.capabilities import EngineName, runnable
from vitrine.registry.fields import Choice, Field
from vitrine.registry.operators import FieldType
from vitrine.tree.conditions import (
    FALSE,
    TRUE,
    All,
    Any,
    Between,
    Condition,
    Contains,
    Linked,
    Member,
    Near,
    Not,
    Present,
    Text,
)
from vitrine.tree.lower import lower
from vitrine.typesense import names
from vitrine.typesense.compile import filter_by
from vitrine.typesense.grammar import MOST_TOKENS, checked
from vitrine.validate import check

GUARD = "GUARD:=[`g1`]"


def field(kind: FieldType, key: str = "f", **more: Anything) -> Field:
    return Field(key=key, type=kind, label={"en": key}, **more)


MATERIAL = field(
    FieldType.KEYWORD,
    "material",
    choices=(Choice(value="oak", code="m1"), Choice(value="C++", code="m2")),
)
BRAND = field(
    FieldType.VOCABULARY, "brand", choices=(Choice(value="Kaelo", code="b1"),)
)
PRICE = field(FieldType.NUMBER, "price", currency="EUR")
WIDTH = field(FieldType.NUMBER, "width", unit="cm")
SIZES = field(FieldType.NUMBER, "sizes", integer=True, multi=True)
ADDED = field(FieldType.DATE, "added")
NEW = field(FieldType.BOOLEAN, "new")
SKU = field(FieldType.IDENTIFIER, "sku")
NAME = field(FieldType.TEXT, "name")
TINT = field(FieldType.COLOUR, "tint")
PAINT = field(
    FieldType.COLOUR,
    "paint",
    choices=(Choice(value="#ff0000", code="c1"), Choice(value="#fe1000", code="c2")),
)
OAK = Member(MATERIAL, ("oak",))
FALSE_WIDTH = "HAS_width:=false"


@pytest.mark.parametrize(
    ("expected", "condition"),
    [
        ("CODE_material:=[`m1`]", OAK),
        ("CODE_material:!=[`m1`]", Not(OAK)),
        ("CODE_material:=[`m1`,`m2`]", Member(MATERIAL, ("oak", "C++", "elm"))),
        ("CODE_brand:=[`b1`]", Member(BRAND, ("b1",))),
        ("INT_price:[4990]", Member(PRICE, (Decimal(4990),))),
        ("INT_price:<=3000", Between(PRICE, high=Decimal(3000))),
        ("INT_price:<=2999", Between(PRICE, high=Decimal(3000), high_open=True)),
        ("INT_price:>=3001", Between(PRICE, low=Decimal(3000), low_open=True)),
        (
            "INT_width:[1500000..2250000]",
            Between(WIDTH, Decimal("1.5"), Decimal("2.25")),
        ),
        ("INT_added:[19782..19783]", Between(ADDED, "2024-02-29", "2024-03-01")),
        ("BOOL_new:=true", Member(NEW, (True,))),
        ("BOOL_new:!=true", Not(Member(NEW, (True,)))),
        ("HAS_new:=true", Member(NEW, (True, False))),
        ("HAS_new:=false", Not(Member(NEW, (True, False)))),
        ("HAS_name:=false", Not(Present(NAME))),
        (f"EXACT_name:=[`{names.digest('chene')}`]", Member(NAME, ("Chêne",))),
        (f"EXACT_sku:=[`{names.digest('62052rs')}`]", Member(SKU, ("6205-2RS",))),
        (
            f"START_sku:=[`{names.digest('6205')}`]",
            Contains(SKU, "62 05", at_start=True),
        ),
        ("CODE_paint:=[`c1`,`c2`]", Near(PAINT, "#ff0000", 16)),
        ("CODE_paint:!=[`c1`]", Not(Near(PAINT, "#ff0000", 15))),
        (
            "(RED_tint:[250..260] && GREEN_tint:[-5..5] && BLUE_tint:[-5..5])",
            Near(TINT, "#ff0000", 5),
        ),
    ],
)
def test_a_condition_becomes_a_filter_behind_the_guard(
    expected: str, condition: Condition
) -> None:
    assert f"{GUARD} && {expected}" == filter_by(condition, "g1")


def test_a_missing_number_passes_the_denied_test_alone() -> None:  # F06 F07
    inside = Between(WIDTH, Decimal(1), Decimal(2))

    found = filter_by(Not(inside), "g1")

    gaps = "-9223372036854775807..999999,2000001..9223372036854775807"
    assert f"{GUARD} && (INT_width:[{gaps}] || {FALSE_WIDTH})" == found


def test_several_numbers_are_denied_as_a_list_of_prefixes() -> None:  # F06
    found = filter_by(Not(Between(SIZES, Decimal(16), Decimal(31))), "g1")

    assert f"{GUARD} && TRIE_sizes:!=[`800000000000001`]" == found


@pytest.mark.parametrize(
    "condition",
    [
        FALSE,
        Not(TRUE),
        Member(MATERIAL, ("elm",)),
        All((OAK, Member(MATERIAL, ("elm",)))),
        Between(PRICE, Decimal(2), Decimal(1)),
        Between(PRICE, low=Decimal(10) ** 30),
        Member(PRICE, (Decimal("0.5"),)),
        Any(),
    ],
)
def test_what_can_match_nothing_is_never_sent(condition: Condition) -> None:
    assert filter_by(condition, "g1") is None


@pytest.mark.parametrize(
    "condition", [TRUE, Not(FALSE), Any((OAK, TRUE)), Not(Member(MATERIAL, ("elm",)))]
)
def test_what_always_holds_leaves_the_guard(condition: Condition) -> None:
    assert filter_by(condition, "g1") == GUARD


def test_each_group_has_its_parentheses() -> None:  # F02
    new, cheap = Member(NEW, (True,)), Between(PRICE, high=Decimal(9))

    found = filter_by(Any((OAK, All((new, Any((cheap, Present(NAME))))))), "g1")

    inner = "(BOOL_new:=true && (INT_price:<=9 || HAS_name:=true))"
    assert f"{GUARD} && ({inner} || CODE_material:=[`m1`])" == found


def test_negation_goes_to_the_leaves() -> None:
    both = All((OAK, Any((Member(NEW, (True,)), Not(Present(NAME))))))

    found = filter_by(Not(both), "g1")

    inner = "(HAS_name:=true && BOOL_new:!=true)"
    assert f"{GUARD} && (CODE_material:!=[`m1`] || {inner})" == found


def test_single_values_of_one_field_share_a_list() -> None:
    oak, other = OAK, Member(MATERIAL, ("C++",))

    either = filter_by(Any((oak, other)), "g1")
    neither = filter_by(All((Not(oak), Not(other))), "g1")
    both = filter_by(All((oak, other)), "g1")

    assert either == f"{GUARD} && CODE_material:=[`m1`,`m2`]"
    assert neither == f"{GUARD} && CODE_material:!=[`m1`,`m2`]"
    assert both == f"{GUARD} && (CODE_material:=[`m1`] && CODE_material:=[`m2`])"


def test_a_text_below_the_root_asks_for_each_word() -> None:
    oak, lamp, old = (names.digest(w) for w in ("oak", "lamp", "old"))

    found = filter_by(Text("Oak lamp -old"), "g1")
    denied = filter_by(Not(Text("Oak lamp -old")), "g1")

    words = f"WORDS:=[`{oak}`] && WORDS:=[`{lamp}`] && WORDS:!=[`{old}`]"
    assert found == f"{GUARD} && ({words})"
    words = f"WORDS:!=[`{oak}`] || WORDS:!=[`{lamp}`] || WORDS:=[`{old}`]"
    assert denied == f"{GUARD} && ({words})"


@pytest.mark.parametrize(
    "condition",
    [
        Contains(NAME, "oak"),
        Contains(NAME, "oak", at_start=True),
        Contains(SKU, "6205"),
        Contains(SKU, "620", at_start=True),
        Near(field(FieldType.COLOUR, multi=True), "#ff0000", 9),
        Text("oak", "semantic_search"),
        Text("-oak"),
        Linked(field(FieldType.RELATION), name="Marie"),
        Not(Contains(NAME, "oak")),
    ],
)
def test_what_has_no_exact_filter_is_refused(condition: Condition) -> None:
    with pytest.raises(Invalid):
        filter_by(condition, "g1")


def test_too_large_a_filter_is_refused_with_a_remedy() -> None:
    many = All(tuple(Between(PRICE, Decimal(n), Decimal(n + 1)) for n in range(60)))

    with pytest.raises(Invalid) as refusal:
        filter_by(many, "g1")

    assert str(MOST_TOKENS) in refusal.value.faults[0].message


@given(seed=trees.SEEDS)
def test_every_runnable_tree_compiles_to_our_grammar(seed: int) -> None:
    rng = Random(seed)
    kinds = [
        kind
        for kind in FieldType
        if kind not in (FieldType.FULL_TEXT, FieldType.COLOUR, FieldType.VOCABULARY)
        and runnable(EngineName.TYPESENSE, kind)
    ]
    registry = trees.registry(rng, engine=EngineName.TYPESENSE, kinds=kinds)
    documents = trees.documents(rng, registry)
    tree = check(trees.tree(rng, registry, documents), registry, today=trees.TODAY)

    condition = lower(tree.require(), registry, today=trees.TODAY).condition
    for each in (condition, Not(condition)):
        found = filter_by(each, "g1")
        assert found is None or found == checked(found)
        assert found is None or found.startswith(GUARD)

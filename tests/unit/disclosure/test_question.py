from __future__ import annotations

from decimal import Decimal

import pytest

from tests.unit.disclosure.shop import registry
from vitrine.disclosure.question import asks, has_question
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

FIELDS = registry().fields
RED = Member(FIELDS["colour"], ("red",))
ALL_COLOURS = Member(FIELDS["colour"], ("red", "blue", "green"))
CHEAP = Between(FIELDS["price"], high=Decimal(5_000))


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "*",
        "**",
        "-chair",
        '-"red chair"',
        "-a -b",
        "a",
        "é",
        "5",
        "a b c",
        "...",
        '""',
        "chair or -table",
        "chair or *",
        "chair OR x",
        "or",
        "'",
    ],
)
def test_a_text_that_matches_nearly_all_asks_nothing(query: str) -> None:
    """N07: no filter to be had is no reason for an unfiltered list."""
    assert not asks(query)


@pytest.mark.parametrize(
    "query", ["chair", "no", "-table chair", '"red chair"', "42", "茶", "椅 or 茶"]
)
def test_a_word_asks(query: str) -> None:
    assert asks(query)


def test_text_or_filter_is_enough() -> None:
    assert has_question(TRUE, Text("chair"))
    assert has_question(RED, Text("*"))
    assert not has_question(TRUE, Text("-chair"))
    assert not has_question(TRUE)


@pytest.mark.parametrize(
    ("expected", "condition"),
    [
        (True, RED),
        (True, CHEAP),
        (True, All((TRUE, RED))),
        (True, Any((RED, CHEAP))),
        (True, Not(Not(RED))),
        (True, Not(Any((Not(RED), Not(CHEAP))))),
        (True, Contains(FIELDS["name"], "oak")),
        (True, Near(FIELDS["colour"], "#ff0000", 30)),
        (True, Linked(FIELDS["name"], name="Marie")),
        (True, FALSE),
        (True, Not(TRUE)),
        (False, TRUE),
        (False, Not(RED)),
        (False, All((Not(RED), Not(CHEAP)))),
        (False, Any((RED, Not(RED)))),
        (False, Any((RED, TRUE))),
        (False, Not(All((RED, CHEAP)))),
        (False, Not(FALSE)),
        (False, Present(FIELDS["name"])),
        (False, Not(Present(FIELDS["name"]))),
        (False, ALL_COLOURS),
        (False, Member(FIELDS["colour"], ("c1", "c2", "c3"))),
        (False, Between(FIELDS["price"])),
        (False, Contains(FIELDS["name"], "a", at_start=True)),
        (False, Text("*")),
        (False, Not(Text("chair"))),
    ],
)
def test_filters_ask_when_documents_must_pass_them(
    expected: bool, condition: Condition
) -> None:
    assert has_question(condition) is expected

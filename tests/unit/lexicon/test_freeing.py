"""What a message sets free, and what it asks for in the same breath."""

from __future__ import annotations

from datetime import date

import pytest

from tests.unit.lexicon.sources import shop
from tests.unit.lexicon.test_read import shown
from vitrine.lexicon.read import read
from vitrine.session import Session, advance
from vitrine.tree.model import Group, Rule

TODAY = date(2026, 11, 30)
TABLES = Rule("category", "vocab_text_equals", "Table")
OAK = Rule("material", "vocab_text_equals", "Oak")
GREEN = Rule("colour", "equals", "Green")
CHEAP = Rule("price", "less_than", 300)
STOCKED = Rule("in_stock", "equals", value=True)
ROOMY = Rule("seats", "greater_or_equal", 4)
NEW = Rule("added", "in_period", "2025")


def after(message: str, *rules: Rule, language: str = "en") -> str:
    session = Session("s", "t", "u", "c", "shop", Group("and", rules))
    said = read(message, session.tree, shop(), today=TODAY, language=language)
    step = advance(session, said, shop(), message=message, language=language)
    return shown(step.session.tree)[1:-1]


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        (GREEN, "no colour preference"),
        (GREEN, "I have no preference on the colour"),
        (GREEN, "leave the colour out"),
        (GREEN, "stop filtering by colour"),
        (GREEN, "all colours"),
        (GREEN, "green or not"),
        (GREEN, "toutes les couleurs"),
        (GREEN, "toutes couleurs confondues"),
        (GREEN, "sans préférence de couleur"),
        (GREEN, "laisse la couleur de côté"),
        (GREEN, "la couleur importe peu"),
        (GREEN, "plus besoin que ce soit vert"),
        (CHEAP, "no price limit"),
        (CHEAP, "without any limit on the price"),
        (CHEAP, "whatever the budget"),
        (CHEAP, "the cost is no object"),
        (CHEAP, "sans plafond de prix"),
        (CHEAP, "plus de limite de prix"),
        (CHEAP, "quel que soit le budget"),
        (STOCKED, "it doesn't need to be in stock"),
        (STOCKED, "en stock ou pas"),
        (NEW, "no matter when"),
        (NEW, "n'importe quand"),
    ],
)
def test_a_field_that_is_set_free_goes(gone: Rule, message: str) -> None:
    standing = (TABLES, GREEN, CHEAP, STOCKED, NEW)
    expected = " and ".join(shown(rule) for rule in standing if rule != gone)

    assert expected == after(message, *standing)


@pytest.mark.parametrize(
    "message",
    [
        "undo everything",
        "drop all the filters",
        "scratch all of that",
        "back to the beginning",
        "annule tout",
        "retire tous les critères",
        "on reprend du début",
    ],
)
def test_everything_that_goes_is_a_fresh_start(message: str) -> None:
    assert after(message, TABLES, GREEN, CHEAP) == ""


@pytest.mark.parametrize(
    "message", ["remove all lamps", "everything in green", "tout en vert"]
)
def test_all_of_something_is_not_everything(message: str) -> None:
    assert after(message, TABLES, GREEN) != ""


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("colour equals Blue and price less_than 300", "forget the green, blue"),
        ("colour equals Blue and price less_than 300", "oublie le vert, en bleu"),
        ("price less_than 300 and in_stock equals True", "any colour, in stock"),
        (
            "price less_than 300 and in_stock equals True",
            "peu importe la couleur, mais en stock",
        ),
    ],
)
def test_what_is_asked_beside_a_removal_is_added(expected: str, message: str) -> None:
    told = after(message, GREEN, CHEAP)

    assert set(expected.split(" and ")) == set(told.split(" and "))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("colour equals Blue", "not green, blue"),
        ("colour equals Blue", "pas vert, bleu"),
        ("colour not_in Green|Blue", "not green or blue"),
    ],
)
def test_a_comma_behind_what_stands_turns_to_the_new_value(
    expected: str, message: str
) -> None:
    assert expected == after(message, GREEN)


@pytest.mark.parametrize("message", ["glass, not oak", "du verre, pas du chêne"])
def test_a_denied_value_that_stands_is_the_old_one(message: str) -> None:
    assert after(message, TABLES, OAK) == (
        "category equals Table and material equals Glass"
    )


@pytest.mark.parametrize(
    "message",
    [
        "blue is okay as well",
        "I would also take blue",
        "blue could also work",
        "je prendrais aussi du bleu",
        "le bleu serait bien aussi",
        "pourquoi pas bleu aussi",
    ],
)
def test_what_is_accepted_too_is_an_alternative(message: str) -> None:
    assert after(message, GREEN) == "colour in Green|Blue"


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("price less_than 400", "change 300 to 400"),
        ("price less_than 400", "change the price to under 400"),
        ("price less_than 400", "raise the limit to 400"),
        ("price less_than 400", "passe la limite à 400"),
        ("price less_than 400", "augmente le budget à 400"),
        ("seats greater_or_equal 6", "at least 6"),
        ("seats greater_or_equal 6", "au moins 6"),
        ("seats greater_or_equal 6", "make it 6 seats"),
    ],
)
def test_a_new_number_keeps_the_bound_of_the_old(expected: str, message: str) -> None:
    kept = CHEAP if expected.startswith("seats") else ROOMY
    told = after(message, CHEAP, ROOMY)

    assert {expected, shown(kept)} == set(told.split(" and "))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("M|L", "L instead of S"),
        ("M|L", "L, not S"),
        ("M|L", "remplace S par L"),
        ("L", "L instead"),
    ],
)
def test_one_of_a_list_is_exchanged_alone(expected: str, message: str) -> None:
    sizes = Rule("size", "in", ("S", "M"))
    operator = "in" if "|" in expected else "equals"

    assert f"size {operator} {expected}" == after(message, sizes)


def test_a_bound_that_leaves_nothing_ends_the_other() -> None:
    span = (
        Rule("price", "greater_or_equal", 100),
        Rule("price", "less_or_equal", 200),
    )

    assert after("over 250 instead", *span) == "price greater_than 250"
    assert "less_or_equal 300" in after("300 instead of 200", *span)
    assert "greater_or_equal 50" in after("make it 50", *span)


def test_an_exclusion_is_corrected_by_another() -> None:
    black = Rule("colour", "not_in", ("Black",))

    assert after("not gold instead", black) == "colour not_in Gold"


def test_a_period_that_leaves_nothing_ends_the_other_bound() -> None:
    span = (
        Rule("added", "on_or_after", "2025-01-01"),
        Rule("added", "on_or_before", "2025-12-31"),
    )

    assert after("since March 2026 instead", *span) == "added in_period since 2026-03"
    assert after("plutôt avant 2024", *span) == "added in_period before 2024"


def test_an_amount_beyond_all_that_was_seen_corrects_another_field() -> None:
    dear = Rule("price", "less_or_equal", 200)

    assert "seats greater_or_equal 4" in after("at least 500 instead", dear, ROOMY)

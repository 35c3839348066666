"""Conversations of our own: what each message does to the tree."""

from __future__ import annotations

from datetime import date
from time import process_time

import pytest

from tests.unit.lexicon.sources import library, shop
from tests.unit.lexicon.test_read import shown
from vitrine.lexicon.read import read
from vitrine.registry.profiles import Registry
from vitrine.session import Session, Turn, advance
from vitrine.tree.model import EMPTY, Group, Rule

TODAY = date(2026, 11, 30)
LAMPS = Rule("category", "vocab_text_equals", "Lamp")
RED = Rule("colour", "equals", "Red")
CHEAP = Rule("price", "less_than", 100)


def turn(message: str, *rules: Rule, registry: Registry | None = None) -> Turn:
    tree = Group("and", rules) if rules else EMPTY
    return read(message, tree, registry or shop(), today=TODAY)


def after(message: str, *rules: Rule) -> str:
    session = Session("s", "t", "u", "c", "shop", Group("and", rules))
    said = turn(message, *rules)
    step = advance(session, said, shop(), message=message, language="en")
    return shown(step.session.tree)[1:-1]


@pytest.mark.parametrize(
    ("intent", "message"),
    [
        ("refine", "in blue"),
        ("refine", "en bleu"),
        ("refine", "only in stock"),
        ("refine", "uniquement en stock"),
        ("refine", "blue instead"),
        ("refine", "plutôt bleu"),
        ("refine", "except oak"),
        ("refine", "sauf en chêne"),
        ("expand", "also blue"),
        ("expand", "or blue"),
        ("expand", "bleu aussi"),
        ("expand", "ou bleu"),
        ("remove", "remove the colour"),
        ("remove", "enlève la couleur"),
        ("remove", "forget about red"),
        ("remove", "peu importe la couleur"),
        ("reset", "start over"),
        ("reset", "on recommence à zéro"),
        ("search", "start over with oak tables"),
        ("clarify", "the ones?"),
    ],
)
def test_a_message_edits_what_stands(intent: str, message: str) -> None:
    assert intent == turn(message, LAMPS, RED).intent


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            "category equals Lamp and colour equals Blue and price less_than 100",
            "plutôt bleu",
        ),
        (
            "category equals Lamp and colour in Red|Blue and price less_than 100",
            "also blue",
        ),
        (
            "category equals Table and colour equals Red and price less_than 100",
            "tables instead of lamps",
        ),
        (
            "category equals Table and colour equals Red and price less_than 100",
            "des tables au lieu des lampes",
        ),
        (
            "category equals Table and colour equals Red and price less_than 100",
            "instead of lamps, tables",
        ),
        ("category equals Lamp and price less_than 100", "any colour"),
        ("category equals Lamp and colour equals Red", "enlève le prix"),
        (
            "category equals Lamp and colour equals Red and price less_than 75",
            "cheaper",
        ),
        (
            "category equals Lamp and colour equals Red and price less_than 75",
            "moins cher",
        ),
        (
            "category equals Lamp and colour equals Red and price less_than 40",
            "under 40 euros",
        ),
    ],
)
def test_the_tree_after_the_message(expected: str, message: str) -> None:
    assert expected == after(message, LAMPS, RED, CHEAP)


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ("material not_in Oak", "pas en chêne"),
        ("in_stock equals True", "in stock"),
        ("added in_period last_month", "added last month"),
    ],
)
def test_a_new_field_joins_what_stands(added: str, message: str) -> None:
    assert f"{shown(LAMPS)} and {shown(RED)} and {added}" == after(message, LAMPS, RED)


def test_two_edits_follow_one_another() -> None:
    session = Session("s", "t", "u", "c", "shop")
    for message in ("lampes rouges", "ou vertes", "à moins de 80 €", "retire le rouge"):
        said = read(message, session.tree, shop(), today=TODAY)
        step = advance(session, said, shop(), message=message, language="fr")
        session = step.session
        assert step.unmet == ()

    expected = "category equals Lamp and colour equals Green and price less_than 80"

    assert expected == shown(session.tree)[1:-1]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("length greater_than 160", "longer ones"),
        ("price less_than 450", "cheaper"),
        ("price greater_than 450", "plus cher"),
    ],
)
def test_without_a_bound_the_middle_of_the_samples_is_meant(
    expected: str, message: str
) -> None:
    assert expected == shown(turn(message, LAMPS).delta)[1:-1]


def test_edit_words_without_a_tree_are_glue() -> None:
    assert turn("also blue lamps").intent == "search"


def test_a_new_subject_after_a_verb_of_search_starts_anew() -> None:
    said = turn(
        "montre-moi des chats", Rule("year", "equals", 1999), registry=library()
    )

    assert said.intent == "search"
    assert shown(said.delta)[1:-1] == "full_text_search hybrid_search chats"


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize(
    "message", ["blue", "remove red", "start over", "", "also green"]
)
def test_an_explanation_is_one_sentence_in_the_callers_language(
    language: str, message: str
) -> None:
    tree = Group("and", (LAMPS, RED))

    said = read(message, tree, shop(), today=TODAY, language=language)

    assert said.explanation.endswith((".", "?"))
    assert "\n" not in said.explanation
    assert said.by == "lexicon"


def test_a_sentence_takes_little_time() -> None:
    message = (
        "lampes en chêne ou en acier à moins de 50 €, pas noires, ajoutées en 2025"
    )
    turn(message)

    start = process_time()
    for _ in range(20):
        turn(message)

    assert process_time() - start < 20 * 0.020


@pytest.mark.parametrize(
    ("intent", "message"),
    [
        ("expand", "also blue"),
        ("expand", "blue too"),
        ("refine", "could you also check the price of blue ones"),
    ],
)
def test_more_is_added_only_where_the_word_for_it_touches(
    intent: str, message: str
) -> None:
    tree = Group(rules=(Rule("colour", "equals", "Red"),))

    assert intent == read(message, tree, shop(), today=TODAY).intent

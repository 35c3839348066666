"""Talk beside a request: why a person travels, comments, guesses, other kinds."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest

from tests.unit.lexicon.sources import field, seen, source
from vitrine.lexicon.read import read
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.session import Turn
from vitrine.tree.model import EMPTY, Group, Rule, leaves

TODAY = date(2026, 11, 30)
STAYING = Group(rules=(Rule("stay_type", "vocab_text_equals", "quiet"),))


@cache
def resort() -> Registry:
    """Inns and boat trips of a coast; no text to search."""
    manifest = source(
        "resort",
        [
            field("stay_type", "vocabulary", "inn type", "type", group="inn"),
            field("stay_price", "vocabulary", "price range", "prix", group="inn"),
            field("stay_coast", "vocabulary", "coast", "côte", group="inn"),
            field("trip_day", "vocabulary", "day", "jour", group="cruise"),
            field("trip_coast", "vocabulary", "coast", "côte", group="cruise"),
            field("trip_mood", "vocabulary", "mood", "ambiance", group="cruise"),
            field("trip_price", "vocabulary", "price range", "prix", group="cruise"),
        ],
        profiles={"trusted": {"filter": ["*"]}},
    )
    types = Sample(labels=("business", "quiet", "affaires", "calme"))
    prices = Sample(labels=("cheap", "slightly expensive", "un peu cher"))
    coasts = Sample(labels=("Northern", "Southern"))
    moods = Sample(labels=("stormy", "dating"))
    days = Sample(labels=("next Friday evening", "samedi soir prochain"))
    samples = {"stay_type": types, "stay_price": prices, "trip_price": prices}
    samples |= {"stay_coast": coasts, "trip_coast": coasts}
    return seen(manifest, samples | {"trip_day": days, "trip_mood": moods})


def said(
    message: str, tree: Group = EMPTY, language: str = "en", before: str = ""
) -> Turn:
    return read(
        message, tree, resort(), today=TODAY, language=language, asked_before=before
    )


def rules(turn: Turn) -> dict[str, object]:
    return {rule.field: rule.value for _, rule in leaves(turn.delta)}


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "I go to the coast on business, so find me a cheap inn"),
        ("en", "a cheap inn please, this is a business trip"),
    ],
)
def test_why_a_person_travels_is_no_wish(language: str, message: str) -> None:
    assert {"stay_price": "cheap"} == rules(said(message, EMPTY, language))


def test_a_thing_for_business_is_a_wish() -> None:
    assert {"stay_type": "business"} == rules(said("a business inn"))


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "It seems they are a bit expensive."),
        ("en", "That's cheap!"),
        ("en", "I guess it's cheap there, right?"),
        ("en", "I'll think about whether to take a cheap one."),
        ("fr", "On dirait que c'est un peu cher."),
        ("fr", "C'est un peu cher, n'est-ce pas ?"),
    ],
)
def test_a_comment_on_what_was_shown_filters_nothing(
    language: str, message: str
) -> None:
    assert {} == rules(said(message, STAYING, language))


def test_a_request_behind_a_comment_is_read() -> None:
    expected = {"stay_price": "cheap"}

    assert expected == rules(said("That sounds nice, but I want a cheap one", STAYING))


def test_a_guess_answers_what_was_asked() -> None:
    before = "Which price range?"

    assert {"stay_price": "cheap"} == rules(
        said("I guess it's a cheap one.", STAYING, before=before)
    )


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "How about a cruise from the northern coast?"),
        ("en", "What is the next cruise from the north coast?"),
    ],
)
def test_a_question_that_names_another_kind_is_a_search(
    language: str, message: str
) -> None:
    assert {"trip_coast": "Northern"} == rules(said(message, STAYING, language))


def test_a_value_that_one_kind_has_tells_the_kind() -> None:
    expected = {"trip_mood": "stormy", "trip_price": "cheap"}

    assert expected == rules(said("cheap and stormy please", STAYING))


@pytest.mark.parametrize(
    ("language", "message"),
    [("en", "something for a date"), ("fr", "pour un rendez-vous amoureux")],
)
def test_a_romantic_date_is_no_day(language: str, message: str) -> None:
    assert {"trip_mood": "dating"} == rules(said(message, EMPTY, language))


@pytest.mark.parametrize(
    ("expected", "language", "message"),
    [
        ({}, "en", "Are the rooms cheap?"),
        ({}, "fr", "Les chambres sont-elles un peu chères ?"),
        ({"stay_price": "cheap"}, "fr", "Est-ce qu'il y a des chambres pas chères ?"),
        ({"stay_price": "cheap"}, "fr", "Est-il possible d'avoir moins cher ?"),
    ],
)
def test_a_question_turned_round_is_about_what_was_shown(
    expected: dict[str, object], language: str, message: str
) -> None:
    assert expected == rules(said(message, STAYING, language))


def test_what_would_do_is_no_business() -> None:
    message = "une auberge pas chère ferait l'affaire"

    assert {"stay_price": "cheap"} == rules(said(message, EMPTY, "fr"))

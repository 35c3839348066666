"""A source of several kinds of thing: museums, hotels, trains."""

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
OLD_TOWN = Group(rules=(Rule("museum_area", "vocab_text_equals", "Old Town"),))
AREAS = Sample(labels=("Old Town", "Harbour"))
PRICES = Sample(labels=("cheap", "moderate", "slightly expensive"))
ROOMS = Sample(labels=("double room", "suite"))
STREETS = Sample(
    labels=("12, Kings Road, Old Town, Bristol", "4, Quay Street, Harbour, Bristol")
)
KITCHENS = Sample(labels=("Hotpot", "Korean", "Thai cuisine"))
RATES = Sample(labels=("<100", "100-200", ">200"))
TIMES = Sample(labels=("1990s", "2000s"))


@cache
def town() -> Registry:
    """What a town offers, by kind; no text to search."""
    area = ("vocabulary", "area", "quartier")
    manifest = source(
        "town",
        [
            field("museum_area", *area, group="museum"),
            field("museum_street", "vocabulary", "address", "adresse", group="museum"),
            field("museum_period", "vocabulary", "period", "époque", group="museum"),
            field("hotel_area", *area, group="hotel"),
            field("hotel_price", "vocabulary", "price range", "prix", group="hotel"),
            field("nightly", "vocabulary", "nightly rate", "tarif", group="hotel"),
            field("hotel_room", "vocabulary", "room type", "chambre", group="hotel"),
            field("stars", "number", "star", "étoile", group="hotel"),
            field("parking", "boolean", "parking", "parking", group="hotel"),
            field("restaurant_area", *area, group="restaurant"),
            field("kitchen", "vocabulary", "cuisine", "cuisine", group="restaurant"),
        ],
        profiles={"trusted": {"filter": ["*"]}},
    )
    areas = dict.fromkeys(("museum_area", "hotel_area", "restaurant_area"), AREAS)
    more = {"hotel_price": PRICES, "hotel_room": ROOMS, "museum_street": STREETS}
    more["nightly"] = RATES
    return seen(manifest, areas | more | {"kitchen": KITCHENS, "museum_period": TIMES})


def said(message: str, tree: Group = EMPTY, language: str = "en") -> Turn:
    return read(message, tree, town(), today=TODAY, language=language)


def rules(turn: Turn) -> dict[str, object]:
    return {rule.field: rule.value for _, rule in leaves(turn.delta)}


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"hotel_area": "Harbour"}, "a hotel in Harbour"),
        ({"restaurant_area": "Harbour"}, "a restaurant in Harbour"),
        ({"hotel_price": "slightly expensive"}, "a bit more expensive hotel"),
        ({"hotel_price": "cheap"}, "a hotel that is not too expensive"),
        ({"stars": 4, "hotel_area": "Old Town"}, "a 4-star hotel in Old Town"),
        ({"kitchen": "Hotpot"}, "a hot pot restaurant"),
        ({"museum_period": "1990s"}, "a museum of the 1990s"),
        ({"kitchen": "Thai cuisine"}, "a Thai restaurant"),
        ({"nightly": "<100"}, "a hotel under 100"),
        ({"nightly": "100-200"}, "a hotel between 100 and 200"),
    ],
)
def test_the_kind_that_is_named_nearest_has_the_value(
    expected: dict[str, object], message: str
) -> None:
    assert expected == rules(said(message))


def test_the_talk_goes_on_about_the_last_kind() -> None:
    assert {"museum_area": "Harbour"} == rules(said("In Harbour, rather", OLD_TOWN))


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("A 3-star hotel nearby", "en"),
        ("Can you find a 3-star hotel in the same area?", "en"),
        ("un hôtel 3 étoiles à proximité", "fr"),
    ],
)
def test_what_is_nearby_takes_the_area_over(message: str, language: str) -> None:
    expected = {"stars": 3, "hotel_area": "Old Town"}

    assert expected == rules(said(message, OLD_TOWN, language))


def test_the_town_that_every_address_ends_with_is_none_of_them() -> None:
    assert {} == rules(said("A museum in Bristol"))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"hotel_room": "suite"}, "Does it have a suite?"),
        ({}, "By the way, does it have parking?"),
        ({}, "What is its address?"),
        ({}, "It looks nice, but what is its address?"),
        ({}, "Is there any parking?"),
        ({"parking": True}, "Are there any hotels with parking?"),
    ],
)
def test_a_question_about_what_was_shown_keeps_the_value_it_names(
    expected: dict[str, object], message: str
) -> None:
    standing = Group(rules=(Rule("hotel_area", "vocab_text_equals", "Harbour"),))

    assert expected == rules(said(message, standing))


def test_a_kind_that_is_named_again_is_asked_for_anew() -> None:
    standing = Group(rules=(Rule("kitchen", "vocab_text_equals", "Korean"),))

    turn = said("I also want a hotpot restaurant", standing)

    assert "refine" == turn.intent


def test_what_only_repeats_the_assistant_sets_nothing() -> None:
    standing = Group(rules=(Rule("hotel_area", "vocab_text_equals", "Harbour"),))
    message = "I love hotpot. What is its address?"

    offered = read(
        message, standing, town(), today=TODAY, asked_before="The Red Hotpot is nice."
    )

    assert {} == rules(offered)
    assert {"kitchen": "Hotpot"} == rules(said(message, standing))


def test_another_name_for_a_kind_is_none_of_its_values() -> None:
    manifest = source(
        "screen",
        [
            field("tv_genre", "vocabulary", "genre", "genre", group="tv"),
            field("film_genre", "vocabulary", "genre", "genre", group="movie"),
        ],
        profiles={"trusted": {"filter": ["*"]}},
    )
    genres = {
        "tv_genre": Sample(labels=("série", "policier")),
        "film_genre": Sample(labels=("policier", "calme")),
    }
    screen = seen(manifest, genres)

    turn = read("une série policière", EMPTY, screen, today=TODAY, language="fr")

    assert {"tv_genre": "policier"} == rules(turn)

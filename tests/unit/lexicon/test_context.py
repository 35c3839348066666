"""A conversation: what was asked before, what is asked back, where from and to."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest

from tests.unit.lexicon.sources import field, seen, shop, source
from vitrine.lexicon.context import wanted
from vitrine.lexicon.read import read
from vitrine.lexicon.sentence import sentence
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.session import Turn
from vitrine.tree.model import EMPTY, Group, Rule, leaves

TODAY = date(2026, 11, 30)
STANDING = Group(rules=(Rule("berths", "equals", 2),))


@cache
def ferries() -> Registry:
    """Crossings: two towns, a day, a time, berths, a flag; no text to search."""
    manifest = source(
        "ferries",
        [
            field("origin_town", "vocabulary", "Origin town", "Ville de départ"),
            field("destination_town", "vocabulary", "Destination town", "Destination"),
            field("sailing_day", "date", "Sailing date", "Date de traversée"),
            field("sailing_time", "time", "Sailing time", "Heure de traversée"),
            field("berths", "number", "Berths", "Couchettes"),
            field("cheap", "boolean", "Cheap", "Bon marché"),
        ],
        profiles={"trusted": {"filter": ["*"]}},
    )
    towns = Sample(labels=("Calais", "Dover"))
    return seen(manifest, {"origin_town": towns, "destination_town": towns})


def said(message: str, before: str = "", tree: Group = EMPTY) -> Turn:
    return read(message, tree, ferries(), today=TODAY, asked_before=before)


def rules(turn: Turn) -> dict[str, object]:
    return {rule.field: rule.value for _, rule in leaves(turn.delta)}


@pytest.mark.parametrize(
    ("expected", "before", "message"),
    [
        ({"destination_town": "Roscoff"}, "What is your destination?", "Roscoff."),
        ({"origin_town": "Roscoff"}, "What origin town?", "Roscoff."),
        ({"berths": 4}, "How many berths do you need?", "4"),
        ({"sailing_time": "17:30"}, "What time do you sail?", "At 5:30 pm."),
        ({"sailing_day": "march_7"}, "When do you sail?", "March 7th please"),
    ],
)
def test_a_bare_value_answers_what_was_asked(
    expected: dict[str, object], before: str, message: str
) -> None:
    assert expected == rules(said(message, before, STANDING))


def test_a_statement_asks_for_nothing() -> None:
    heard = sentence("x", ferries(), "en")

    assert wanted("Berths: 2. The destination town is Dover.", heard) == ()


def test_the_product_answers_a_question_about_a_size() -> None:
    tree = Group(rules=(Rule("category", "equals", "Lamp"),))
    turn = read(
        "red", tree, shop(), today=TODAY, asked_before="Which colour do you want?"
    )

    assert {"colour": "Red"} == rules(turn)


@pytest.mark.parametrize(
    "message", ["Is it cheap?", "What's the sailing time?", "OK, is it cheap?"]
)
def test_a_question_about_what_was_shown_filters_nothing(message: str) -> None:
    assert EMPTY == said(message, "Here is one from Dover.", STANDING).delta


@pytest.mark.parametrize(
    "message", ["from Calais to Dover", "to Dover, leaving from Calais"]
)
def test_a_small_word_tells_where_from_and_where_to(message: str) -> None:
    expected = {"origin_town": "Calais", "destination_town": "Dover"}

    assert expected == rules(said(message, "Where do you sail?", STANDING))


def test_small_talk_is_no_value() -> None:
    before = "Shall I book it?"

    assert EMPTY == said("I'm fine. Thanks!", before, STANDING).delta


@cache
def vans() -> Registry:
    """Vans to rent: two cities, two days, seats; no text to search."""
    manifest = source(
        "vans",
        [
            field("from_city", "vocabulary", "Origin city", "Ville de départ"),
            field("to_city", "vocabulary", "Destination city", "Ville d'arrivée"),
            field("pickup_date", "date", "Pickup date", "Date de retrait"),
            field("return_date", "date", "Return date", "Date de retour"),
            field("beds", "number", "Number of beds", "Nombre de lits"),
            field("price", "number", "Price per day", "Prix par jour"),
            field("stars", "number", "Star rating", "Étoiles"),
        ],
        profiles={"trusted": {"filter": ["*"]}},
    )
    cities = Sample(labels=("Lyon", "Toronto, Ontario", "Paris, CA", "Vegas"))
    return seen(manifest, {"to_city": cities})


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            {"pickup_date": "march_3", "return_date": "march_8"},
            "I need a van from March 3rd to the 8th",
        ),
        ({"return_date": "day_8"}, "I need it until the 8th"),
        ({"return_date": "march_8"}, "I will return it on March 8th"),
        ({"beds": 1}, "With one bed"),
        ({"stars": 4}, "a 4-star van"),
        ({"from_city": "Lyon"}, "leaving from Lyon"),
        ({"to_city": "Toronto, Ontario"}, "going to Toronto, Ontario"),
        ({"to_city": "Las Vegas"}, "I am going to Las Vegas"),
        ({"to_city": "Lyon, RA"}, "I am going to Lyon, RA"),
    ],
)
def test_a_trip_has_two_ends(expected: dict[str, object], message: str) -> None:
    turn = read(message, EMPTY, vans(), today=TODAY)

    assert expected == rules(turn)


@pytest.mark.parametrize(
    ("expected", "before"),
    [
        ({"beds": 2}, "How many beds would you like?"),
        ({"stars": 2}, "What star rating?"),
    ],
)
def test_a_number_answers_the_one_that_was_asked_for(
    expected: dict[str, object], before: str
) -> None:
    turn = read("2", EMPTY, vans(), today=TODAY, asked_before=before)

    assert expected == rules(turn)


def test_any_frees_a_field_only_where_it_names_one() -> None:
    tree = Group(rules=(Rule("beds", "equals", 1),))

    more = read("Any other vans with 3 beds?", tree, vans(), today=TODAY)
    freed = read("any beds", tree, vans(), today=TODAY)

    assert {"beds": 3} == rules(more)
    assert "remove" == freed.intent


@pytest.mark.parametrize(
    "message", ["all that is from Armor or Brandt", "tout ce qui est Armor ou Brandt"]
)
def test_a_long_list_may_go_on_with_a_name_that_was_not_seen(message: str) -> None:
    manifest = source("tools", [field("brand", "vocabulary", "Brand", "Marque")])
    brands = Sample(labels=("Armor", *(f"Maker {number}" for number in range(20))))

    turn = read(message, EMPTY, seen(manifest, {"brand": brands}), today=TODAY)

    assert {"brand": ("Armor", "Brandt")} == rules(turn)

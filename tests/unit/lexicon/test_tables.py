"""Questions about a table: a column that is asked for, and values beside the others."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest

from tests.unit.lexicon.sources import field, seen, source
from vitrine.lexicon.asked import asked
from vitrine.lexicon.mentions import mentions
from vitrine.lexicon.read import read
from vitrine.lexicon.sentence import sentence
from vitrine.lexicon.shapes import likeness, looks, shape
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.tree.model import EMPTY, Group, Node

TODAY = date(2026, 11, 30)


@cache
def regattas() -> Registry:
    """A table of races whose values are hardly known, without any text to search."""
    manifest = source(
        "regattas",
        [
            field("skipper", "vocabulary", "Skipper", "Barreur"),
            field("home_club", "vocabulary", "Home club", "Club d'attache"),
            field("guest_club", "vocabulary", "Guest club", "Club invité"),
            field("harbour", "vocabulary", "Harbour", "Port"),
            field("country", "vocabulary", "Country", "Pays"),
            field("day", "vocabulary", "Date", "Date"),
            field("laps_for", "number", "Laps for", "Tours pour"),
            field("laps_against", "number", "Laps against", "Tours contre"),
            field("leg_1", "number", "Leg 1", "Étape 1"),
            field("season", "number", "Season", "Saison"),
            field("prize", "number", "Prize ($)", "Prix ($)"),
            field("result", "vocabulary", "Result", "Résultat"),
        ],
        profiles={"trusted": {"filter": ["*"]}},
    )
    samples = {
        "skipper": Sample(labels=("Anna Storm",)),
        "harbour": Sample(labels=("Port Ellen",)),
        "day": Sample(labels=("May 3, 2009",)),
        "result": Sample(labels=("12-7-3",)),
    }
    return seen(manifest, samples)


def shown(node: Node) -> str:
    if isinstance(node, Group):
        inner = f" {node.operator} ".join(shown(rule) for rule in node.rules)
        return f"not({inner})" if node.negated else f"({inner})"
    return f"{node.field} {node.operator.removeprefix('vocab_text_')} {node.value}"


def meant(message: str) -> str:
    turn = read(message, EMPTY, regattas(), today=TODAY)
    return shown(turn.delta)[1:-1]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("home_club equals Dover", "Which skipper has a home club of Dover?"),
        (
            "guest_club equals Isle of Man and home_club equals Dover",
            "What date has a guest club of Isle of Man and a home club of Dover?",
        ),
        (
            "laps_for greater_than 9 and laps_against less_than 4",
            "How many seasons have laps for larger than 9, and laps against under 4?",
        ),
        ("laps_against equals 12", "Name the harbour with 12 laps against"),
        ("leg_1 greater_than 30", "Which skipper has a leg 1 of more than 30?"),
        ("season greater_than 2009", "Which harbour was used after season 2009?"),
        ("season less_than 2009", "Which skipper has a season before 2009?"),
        ("prize greater_than 1500", "Which skipper has a prize over $1,500?"),
        (
            "laps_for between (5, 9)",
            "Which skipper has laps for between 5 and 9?",
        ),
        (
            "laps_for greater_than 5 and laps_for less_than 9",
            "Which skipper has laps for over 5 and under 9?",
        ),
        ("home_club equals Dover", "What was the season with Dover as the home club?"),
        ("result equals 14-2-2", "What is the skipper with a result of 14-2-2?"),
        ("guest_club equals blue fin", "What is the date with guest club blue fin?"),
        ("home_club equals Le Cap", 'Which skipper has a home club of "Le Cap"?'),
    ],
)
def test_what_stands_beside_a_name_is_its_value(expected: str, message: str) -> None:
    assert expected == meant(message)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            "(home_club equals Dover or home_club equals Hull)",
            "Which skipper has a home club of Dover or Hull?",
        ),
        (
            "(home_club equals Dover or home_club equals Hull)",
            "Which skipper is of the home club 'Dover' or the home club 'Hull'?",
        ),
        (
            "home_club not_in ('Dover',)",
            "Which skippers are there whose home club is not Dover?",
        ),
        (
            "home_club equals sail or oar",
            "What is the season with a home club of sail or oar?",
        ),
    ],
)
def test_values_beside_a_name_are_listed_and_denied(
    expected: str, message: str
) -> None:
    assert expected == meant(message)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("result equals 14-2-2", "Which skipper finished with 14-2-2?"),
        ("day equals June 21, 2010", "What was the result on June 21, 2010?"),
        ("country equals Norway", "What is the harbour of the skipper from Norway?"),
        ("skipper equals Jon Bell", "What was Jon Bell's result?"),
        ("skipper equals jon bell", "what is the result for jon bell"),
    ],
)
def test_loose_words_go_to_the_column_they_look_like(
    expected: str, message: str
) -> None:
    assert expected == meant(message)


@pytest.mark.parametrize(
    "message",
    [
        "What is the name of all skippers?",
        "How many races are there?",
        "List the harbour and the country.",
        "What is the highest number of laps for?",
    ],
)
def test_a_question_about_a_column_is_no_filter(message: str) -> None:
    assert EMPTY == read(message, EMPTY, regattas(), today=TODAY).delta


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            "(laps_for equals 5 or laps_for equals 9)",
            "Which skipper has laps for 5 or 9?",
        ),
        (
            "(laps_for greater_than 5 or season less_than 1980)",
            "Which skipper has laps for over 5 or season before 1980?",
        ),
    ],
)
def test_alternatives_of_one_field_or_of_two(expected: str, message: str) -> None:
    assert expected == meant(message)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("day", "May 3, 2009"),
        ("score", "14-2-2"),
        ("country", "Norway"),
        ("year", "1998"),
        ("code", "APG"),
        ("person", "Jon Bell"),
        ("group", "Hull Mariners"),
    ],
)
def test_a_text_looks_like_a_kind_of_thing(kind: str, text: str) -> None:
    assert {kind} == looks(text, "en")


def test_names_are_told_apart_by_their_small_words() -> None:
    said = sentence("laps against and laps for", regattas(), "en")

    assert [["laps_against"], ["laps_for"]] == [
        [f.key for f in m.fields] for m in mentions(said)
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"harbour"}, "What is the harbour of the skipper with a result of 3?"),
        ({"harbour", "country"}, "Name the harbour and country for season 2009"),
        ({"season"}, "With a leg 1 of 3, what is the lowest season?"),
        (set(), "when the skipper is Jon and the season is 2009"),
    ],
)
def test_the_asked_column_stands_behind_the_questions_word(
    columns: set[str], message: str
) -> None:
    said = sentence(message, regattas(), "en")
    found = asked(said, mentions(said))

    assert columns == {m.fields[0].key for m in found if m.asked}


def test_values_are_alike_by_their_form() -> None:
    assert ("month", "number", ",", "number") == shape("may 3, 2009")
    assert likeness("15-12-4", ["28-16-8"]) > likeness("15-12-4", ["Dover"])
    assert likeness("Oslo", ()) == 0

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.colours import (
    DEFAULT_TOLERANCE,
    Colour,
    distance,
    name_of,
    parse_colour,
)
from vitrine.language.numbers import Unreadable

CHANNEL = st.integers(0, 255)


@pytest.mark.parametrize(
    "value",
    [
        "#f00",
        "FF0000",
        "#FF0000",
        "rgb(255, 0, 0)",
        {"hex": "#ff0000"},
        {"r": 255, "g": 0, "b": 0},
        [255, 0, 0],
        "red",
        "Red colour",
    ],
)
def test_every_writing_of_red_is_one_colour(value: Any) -> None:
    assert str(parse_colour(value)) == "#ff0000"


@pytest.mark.parametrize(
    ("code", "text", "lang"),
    [
        ("#ff0000", "rouges", "fr"),
        ("#ffffff", "blanches", "fr"),
        ("#8f00ff", "violettes", "fr"),
        ("#000080", "bleu marine", "fr"),
        ("#000080", "navy", "en"),
        ("#004600", "vert foncé", "fr"),
        ("#004600", "dark green", "en"),
        ("#808080", "grey", "en"),
        ("#808080", "gray", "en"),
    ],
)
def test_names_read_in_gender_number_and_shade(code: str, text: str, lang: str) -> None:
    assert code == str(parse_colour(text, lang))


@pytest.mark.parametrize(
    "value", ["", "calm", "#ff00", 5, None, {}, "rgb(300,0,0)", "dark"]
)
def test_what_is_no_colour_is_refused(value: Any) -> None:
    with pytest.raises(Unreadable):
        parse_colour(value)


@given(CHANNEL, CHANNEL, CHANNEL)
def test_the_canonical_form_reads_back(r: int, g: int, b: int) -> None:
    colour = Colour(r, g, b)

    assert colour == parse_colour(str(colour))


@given(CHANNEL, CHANNEL, CHANNEL, st.sampled_from(["en", "fr"]))
def test_every_colour_has_a_name_that_reads(r: int, g: int, b: int, lang: str) -> None:
    assert parse_colour(name_of(Colour(r, g, b), lang), lang)


def test_the_distance_is_a_box_of_channels() -> None:
    assert distance(Colour(0, 0, 0), Colour(10, 40, 20)) == 40
    assert 0 < DEFAULT_TOLERANCE < 128

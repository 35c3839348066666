from datetime import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.clock import find_times, parse_time
from vitrine.language.folding import tokens


@pytest.mark.parametrize(
    ("expected", "text", "lang"),
    [
        ("19:30", "19:30", "en"),
        ("19:00", "7 pm", "en"),
        ("19:00", "7pm", "en"),
        ("00:15", "12:15 am", "en"),
        ("12:00", "noon", "en"),
        ("06:30", "half past six", "en"),
        ("16:45", "quarter to 5 in the afternoon", "en"),
        ("11:00", "eleven o'clock", "en"),
        ("19:30", "19 h 30", "fr"),
        ("19:30", "19h30", "fr"),
        ("08:00", "8h", "fr"),
        ("07:30", "sept heures et demie", "fr"),
        ("19:45", "8 heures moins le quart du soir", "fr"),
        ("00:00", "minuit", "fr"),
    ],
)
def test_times_read_as_written_and_as_said(expected: str, text: str, lang: str) -> None:
    assert time.fromisoformat(expected) == parse_time(text, lang)


@pytest.mark.parametrize("text", ["7", "25:00", "noon sharp", "", "13:75"])
def test_what_is_no_time_reads_as_none(text: str) -> None:
    assert parse_time(text, "en") is None


def test_times_are_found_in_a_sentence() -> None:
    found = find_times(tokens("a table for 4 at 7:30 pm or at noon"), "en")

    assert [span.time for span in found] == [time(19, 30), time(12)]


@given(st.times().map(lambda value: value.replace(microsecond=0)))
def test_every_written_time_reads_back(value: time) -> None:
    assert value == parse_time(value.isoformat(), "fr")

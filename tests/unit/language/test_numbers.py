from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.numbers import Ambiguous, parse_number
from vitrine.language.sentences import format_number


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_c02_every_space_groups_thousands(space: str, lang: str) -> None:
    assert Decimal("14000.12") == parse_number(f"14{space}000,12", lang)


@pytest.mark.parametrize(
    ("value", "other", "text", "lang"),
    [
        ("1226", "1.226", "1.226", "fr"),
        ("3.350", "3350", "3.350", "en"),
        ("3.350", "3350", "3,350", "fr"),
    ],
)
def test_c01_a_mark_with_two_readings_follows_the_locale_and_says_so(
    value: str, other: str, text: str, lang: str
) -> None:
    assert Ambiguous(Decimal(value), Decimal(other), text) == parse_number(text, lang)


@pytest.mark.parametrize(
    ("value", "text", "lang"),
    [
        ("3350", "3,350", "en"),
        ("1234567.89", "1,234,567.89", "en"),
        ("1234567.89", "1.234.567,89", "fr"),
        ("100000", "1,00,000", "en"),
        ("12500.5", "12'500.5", "en"),
        ("0.350", "0.350", "fr"),
        ("1234.567", "1234.567", "fr"),
        ("3.5", "3,5", "en"),
        ("-5", "\u22125", "en"),
        ("5000", "5k", "en"),
        ("2500000", "2,5M", "fr"),
        ("5000000", "5 millions", "fr"),
        ("0.5", "1/2", "en"),
        ("2.5", "2½", "fr"),
        ("100000", "1e5", "en"),
        ("1", "001", "en"),
        ("12", "１２", "en"),
    ],
)
def test_digits_read_with_their_marks(value: str, text: str, lang: str) -> None:
    assert Decimal(value) == parse_number(text, lang)


@pytest.mark.parametrize(
    ("value", "text", "lang"),
    [
        (77, "soixante-dix-sept", "fr"),
        (71, "soixante et onze", "fr"),
        (99, "quatre-vingt-dix-neuf", "fr"),
        (1984, "mille neuf cent quatre-vingt-quatre", "fr"),
        (3_200_000, "trois millions deux cent mille", "fr"),
        (95, "nonante-cinq", "fr"),
        (21_000, "twenty-one thousand", "en"),
        (105, "one hundred and five", "en"),
        (-5, "minus five", "en"),
    ],
)
def test_number_words_add_up(value: int, text: str, lang: str) -> None:
    assert value == parse_number(text, lang)


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1.2.3", "1,,2", "5.", "12-13", "two three", "1e999", "1/0", "."],
)
def test_what_is_no_number_reads_as_none(text: str) -> None:
    assert parse_number(text, "en") is None


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=2)
    .filter(lambda value: abs(value) < 10**15)
    .filter(lambda value: value == value.quantize(Decimal("0.01"))),
    st.sampled_from(["en", "fr"]),
)
def test_a_number_written_by_the_locale_reads_back(value: Decimal, lang: str) -> None:
    assert value == parse_number(format_number(value, lang), lang)


@given(st.text(max_size=80), st.sampled_from(["en", "fr"]))
def test_no_text_raises(text: str, lang: str) -> None:
    parse_number(text, lang)

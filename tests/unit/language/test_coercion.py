from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.coercion import (
    is_null_word,
    to_bool,
    to_decimal,
    to_float,
    to_int,
    to_list,
    to_text,
)
from vitrine.language.numbers import Unreadable


@pytest.mark.parametrize("value", ["2000", 2000, 2000.0, Decimal(2000), "2,000"])
def test_n02_a_year_in_any_writing_becomes_one_int(value: Any) -> None:
    assert to_int(value) == 2000


def test_n03_a_code_keeps_its_zeros_as_text_and_only_as_text() -> None:
    assert to_text("001") == "001"
    assert to_int("001") == 1


@pytest.mark.parametrize(
    "value",
    [True, None, [], "x", 1.5, "1.5", float("nan"), 2**31, -(2**31) - 1, "3.350"],
)
def test_what_is_no_32_bit_int_is_refused_with_a_sentence(value: Any) -> None:
    with pytest.raises(Unreadable, match=r"\.$"):
        to_int(value, 32)


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_64_bit_int_survives(value: int) -> None:
    assert value == to_int(value) == to_int(str(value))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_survives(value: float) -> None:
    assert value == to_float(value)


@pytest.mark.parametrize("value", ["16777217", "3.5e38", "0.123456789"])
def test_more_digits_than_a_32_bit_float_holds_are_refused(value: str) -> None:
    with pytest.raises(Unreadable):
        to_float(value, 32)


@pytest.mark.parametrize("value", [0.1, "0.1", "16777216"])
def test_a_32_bit_float_takes_what_it_can_show_again(value: Any) -> None:
    assert float(value) == to_float(value, 32)


def test_an_ambiguous_number_is_never_coerced_in_silence() -> None:
    with pytest.raises(Unreadable, match=r"1226 or 1\.226"):
        to_decimal("1.226", "fr")


@pytest.mark.parametrize(
    ("expected", "value", "lang"),
    [
        (True, True, "en"),
        (True, "Vrai", "fr"),
        (False, "non", "fr"),
        (True, "yes", "en"),
        (False, 0, "en"),
    ],
)
def test_boolean_words_read_in_the_language(
    expected: bool,
    value: Any,
    lang: str,
) -> None:
    assert expected is to_bool(value, lang)


@pytest.mark.parametrize("value", [2, "maybe", None, 1.0, ""])
def test_anything_else_is_no_boolean(value: Any) -> None:
    with pytest.raises(Unreadable):
        to_bool(value)


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (["a, b", "c"], '["a, b", "c"]'),
        (["red", "blue"], "red, blue"),
        (["red, dark", "blue"], "red, dark; blue"),
        (["a, b", "c"], '"a, b", c'),
        (["red"], "red"),
        ([], " "),
        ([1, 2], (1, 2)),
        ([5], 5),
        ([Decimal("1.5")], "[1.5]"),
    ],
)
def test_a_list_that_arrives_as_one_string_is_parted(
    expected: list[Any], value: Any
) -> None:
    assert expected == to_list(value)


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (["1,5"], "1,5"),
        (["1,5", "2,5"], "1,5; 2,5"),
        (["1,5", "2,5"], "1,5, 2,5"),
        (["1", "2", "3"], "1,2,3"),
    ],
)
def test_a_decimal_comma_parts_nothing(expected: list[str], value: str) -> None:
    assert expected == to_list(value, numeric=True, lang="fr")


@pytest.mark.parametrize("value", ["[1, [2]]", "[", {"a": 1}, None, "[" * 5000])
def test_what_is_no_flat_list_is_refused(value: Any) -> None:
    with pytest.raises(Unreadable):
        to_list(value)


@pytest.mark.parametrize(("value", "lang"), [("Unknown", "en"), ("inconnue", "fr")])
def test_words_for_no_value_are_known(value: str, lang: str) -> None:
    assert is_null_word(value, lang)

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.money import Money, from_minor, parse_money, to_minor
from vitrine.language.numbers import Unreadable
from vitrine.language.units import (
    KINDS,
    Measure,
    convert,
    parse_measure,
    to_unit,
    unit_of,
)
from vitrine.language.words import languages, words

PAIRS = [(kind, one, two) for kind, u in KINDS.items() for one in u for two in u]


def test_two_metres_on_a_centimetre_field_are_200() -> None:
    assert str(to_unit("2 m", "cm")) == "200"


@pytest.mark.parametrize(
    ("amount", "unit", "text", "lang"),
    [
        ("63", "in", "5'3", "en"),
        ("12", "in", '12"', "en"),
        ("180", "cm", "1 m 80", "fr"),
        ("16", "GB", "16 Go", "fr"),
        ("2", "m2", "2 m²", "fr"),
        ("2", "ft2", "2 sq ft", "en"),
        ("12", "in", "twelve inches", "en"),
        ("-5", "C", "-5 °C", "fr"),
        ("30", "cm", "30cm", "en"),
        ("90", "kmh", "90 km/h", "en"),
        ("3.5", "kg", "3,5 kilos", "fr"),
        ("5000000", None, "5 M", "en"),
    ],
)
def test_amounts_read_with_their_unit(
    amount: str, unit: str | None, text: str, lang: str
) -> None:
    assert Measure(Decimal(amount), unit) == parse_measure(text, lang)


@pytest.mark.parametrize(
    ("expected", "amount", "source", "target"),
    [
        ("212", "100", "C", "F"),
        ("25.4", "1", "in", "mm"),
        ("1.609344", "1", "mi", "km"),
        ("1500", "1.5", "kg", "g"),
        ("48", "2", "d", "h"),
        ("2000", "2", "GB", "MB"),
    ],
)
def test_conversions_are_exact(
    expected: str, amount: str, source: str, target: str
) -> None:
    assert expected == str(convert(Decimal(amount), source, target))


@given(st.sampled_from(PAIRS), st.decimals(-(10**6), 10**6, places=3, allow_nan=False))
def test_a_conversion_there_and_back_returns_the_amount(
    pair: tuple[str, str, str], amount: Decimal
) -> None:
    _, one, two = pair

    back = convert(convert(amount, one, two), two, one)

    assert abs(back - amount) <= Decimal("1e-9")


@pytest.mark.parametrize(
    ("value", "unit"), [("2 kg", "cm"), ("2 foo", "cm"), ("", "m")]
)
def test_an_amount_of_something_else_is_refused(value: str, unit: str) -> None:
    with pytest.raises(Unreadable):
        to_unit(value, unit)


def test_every_unit_has_a_factor_and_names_in_every_language() -> None:
    known = {unit for units in KINDS.values() for unit in units}

    assert all(known == set(words(lang, "units")) for lang in languages())
    assert all(unit_of(unit, lang) for unit in known for lang in languages())


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_c01_three_digits_before_a_currency_are_a_group(lang: str) -> None:
    assert Money(Decimal(1226), "EUR", Decimal("1.226")) == parse_money("1.226 €", lang)


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
def test_c02_french_prices_keep_their_thousands(space: str) -> None:
    price = f"14{space}000,12 EUR"

    assert Money(Decimal("14000.12"), "EUR") == parse_money(price, "fr")


@pytest.mark.parametrize(
    ("amount", "currency", "text", "lang"),
    [
        ("1500", "USD", "$1,500", "en"),
        ("5000", "EUR", "5k€", "fr"),
        ("2000", "INR", "2000 rupees", "en"),
        ("5000000", "EUR", "5 millions d'euros", "fr"),
        ("20.50", "USD", "US$ 20.50", "en"),
        ("20", "EUR", "20EUR", "fr"),
        ("20", "CHF", "20 francs suisses", "fr"),
        ("0.5", "", "50 cents", "en"),
    ],
)
def test_symbols_names_and_codes_stand_on_either_side(
    amount: str, currency: str, text: str, lang: str
) -> None:
    assert Money(Decimal(amount), currency) == parse_money(text, lang)


@pytest.mark.parametrize("text", ["20", "euros", "20 foo", ""])
def test_an_amount_without_a_currency_is_no_money(text: str) -> None:
    assert parse_money(text, "en") is None


@given(st.integers(-(10**12), 10**12), st.sampled_from(["EUR", "JPY", "KWD"]))
def test_cents_and_amounts_are_two_writings_of_one(cents: int, currency: str) -> None:
    assert cents == to_minor(from_minor(cents, currency), currency)


def test_less_than_a_cent_is_refused() -> None:
    with pytest.raises(Unreadable):
        to_minor(Decimal("0.005"), "EUR")

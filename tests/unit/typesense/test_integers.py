"""Numbers, dates and times as int64: exact at every bound."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.typesense import integers

WHOLE = st.integers(integers.SMALLEST, integers.LARGEST)
# Fifteen siblings at each end of each of fifteen lengths, and fourteen at the top.
MOST_PREFIXES = 15 * 2 * 15 + 14


def number(**more: Any) -> Field:
    return Field(key="n", type=FieldType.NUMBER, label={"en": "n"}, **more)


def of(kind: FieldType) -> Field:
    return Field(key="d", type=kind, label={"en": "d"})


@pytest.mark.parametrize(
    ("expected", "field", "value"),
    [
        (4990, number(currency="EUR"), 4990),
        (2**31, number(integer=True), 2**31),
        (10_100_000, number(), 10.1),
        (333_333, number(), 1 / 3),
        (0, of(FieldType.DATE), "1970-01-01"),
        (19_782, of(FieldType.DATE), "2024-02-29"),
        (1_000_001, of(FieldType.DATETIME), "1970-01-01T00:00:01.000001Z"),
        (0, of(FieldType.DATETIME), "1970-01-01T02:00:00+02:00"),
        (34_200_000_000, of(FieldType.TIME), "09:30:00"),
    ],
)
def test_a_value_has_one_integer(expected: int, field: Field, value: Any) -> None:
    assert expected == integers.stored(field, value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (number(integer=True), 2**63),
        (number(integer=True), 1.5),
        (number(currency="EUR"), 49.9),
        (number(), 1e300),
        (number(), float("nan")),
        (number(), float("inf")),
        (number(), True),
        (number(), "12"),
        (of(FieldType.DATE), "tomorrow"),
        (of(FieldType.TIME), "25:00"),
    ],
)
def test_what_has_no_integer_is_refused(field: Field, value: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        integers.stored(field, value)


@pytest.mark.parametrize(
    ("expected", "low", "high", "opened"),
    [
        ((2, 5), Decimal("1.2"), Decimal("5.9"), (False, False)),
        ((2, 5), Decimal(1), Decimal(6), (True, True)),
        ((1, 6), Decimal(1), Decimal(6), (False, False)),
        ((2, 5), Decimal("1.2"), Decimal("5.9"), (True, True)),
        ((integers.SMALLEST, 5), None, Decimal(5), (False, False)),
        ((integers.SMALLEST, integers.LARGEST), None, Decimal(10) ** 40, (False, True)),
    ],
)
def test_bounds_move_to_the_integers_inside(
    expected: tuple[int, int],
    low: Decimal | None,
    high: Decimal | None,
    opened: tuple[bool, bool],
) -> None:
    found = integers.span(
        number(integer=True), low, high, low_open=opened[0], high_open=opened[1]
    )

    assert expected == found


@pytest.mark.parametrize(
    "value", [Decimal("0.1234567"), Decimal(2) ** 70, Decimal(-9) ** 41]
)
def test_a_value_that_no_record_holds_has_no_integer(value: Decimal) -> None:
    assert integers.member(number(), value) is None


def test_the_widest_range_needs_the_most_prefixes() -> None:
    widest = integers.cover(integers.SMALLEST, integers.LARGEST - 1)

    assert len(widest) == MOST_PREFIXES


@given(WHOLE, WHOLE, WHOLE)
def test_prefixes_cover_exactly_the_range(one: int, two: int, other: int) -> None:
    low, high = sorted((one, two))

    covered = integers.cover(low, high)

    assert len(covered) <= MOST_PREFIXES
    for whole in (low, high, other, low - 1, high + 1):
        if integers.SMALLEST <= whole <= integers.LARGEST:
            inside = bool(set(integers.prefixes(whole)) & set(covered))
            assert (low <= whole <= high) == inside


@given(st.decimals(-(10**9), 10**9, places=6))
def test_what_is_stored_is_shown_again(value: Decimal) -> None:
    whole = integers.stored(number(), value)

    assert value == Decimal(integers.shown(number(), whole))


@pytest.mark.parametrize(
    ("expected", "price"),
    [("..2500", 0), ("2500..5000", 2500), ("2500..5000", 4999), ("5000..", 5000)],
)
def test_a_band_is_half_open(expected: str, price: int) -> None:
    field = number(currency="EUR", steps=(2500, 5000))

    assert expected == integers.band_shown(field, integers.band(field, price))


@pytest.mark.parametrize(
    ("expected", "kind", "whole"),
    [
        ("2024-02-29", FieldType.DATE, 19_782),
        ("1970-01-01T00:00:01+00:00", FieldType.DATETIME, 1_000_000),
        ("09:30:00", FieldType.TIME, 34_200_000_000),
    ],
)
def test_moments_are_shown_in_iso(expected: str, kind: FieldType, whole: int) -> None:
    assert expected == integers.shown(of(kind), whole)

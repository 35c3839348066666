from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.disclosure.answer import Total
from vitrine.disclosure.counts import bucket, merged, told, told_list
from vitrine.search.engine import Count

NUMBERS = st.integers(min_value=0, max_value=10**7)


@pytest.mark.parametrize("number", [0, 1, 9])
def test_below_k_every_number_is_the_same(number: int) -> None:
    """E04: nothing is narrowed down to one."""
    assert told(Count(number), 10) == Total(10, "fewer_than")


@pytest.mark.parametrize(
    ("number", "lower"),
    [
        (10, 10),
        (19, 10),
        (20, 20),
        (49, 20),
        (50, 50),
        (99, 50),
        (100, 100),
        (999, 500),
        (1_000, 1_000),
        (83_521, 50_000),
    ],
)
def test_other_numbers_are_a_buckets_lower_end(number: int, lower: int) -> None:
    assert told(Count(number), 10) == Total(lower, "about")


@pytest.mark.parametrize(("number", "lower"), [(25, 25), (49, 25), (50, 50)])
def test_a_larger_k_begins_the_buckets(number: int, lower: int) -> None:
    assert told(Count(number), 25) == Total(lower, "about")
    assert told(Count(24), 25) == Total(25, "fewer_than")


def test_a_lower_bound_stays_a_lower_bound() -> None:
    assert told(Count(130, exact=False), 10) == Total(100, "at_least")
    assert told(Count(130, exact=False), None) == Total(130, "at_least")


def test_an_uncapped_profile_has_the_number() -> None:
    assert told(Count(3), None) == Total(3, "exact")


@given(NUMBERS, st.integers(min_value=2, max_value=60))
def test_a_bucket_holds_its_number_and_many_neighbours(number: int, k: int) -> None:
    if number < k:
        return

    lower = bucket(number, k)

    assert k <= lower <= number < max(2.5 * lower, 10)
    assert bucket(lower, k) == lower


@given(NUMBERS, NUMBERS, st.integers(min_value=2, max_value=60))
def test_buckets_never_go_against_the_numbers(one: int, other: int, k: int) -> None:
    low, high = sorted((max(one, k), max(other, k)))

    assert bucket(low, k) <= bucket(high, k)


@given(st.lists(NUMBERS, max_size=12), st.integers(min_value=2, max_value=60))
def test_no_list_has_a_single_hidden_count(counts: list[int], k: int) -> None:
    hidden = [t for t in told_list(counts, k) if t.kind == "fewer_than"]

    assert len(hidden) != 1 or len(counts) == 1
    assert len(hidden) >= sum(n < k for n in counts)


def test_the_smallest_other_goes_with_the_only_hidden_one() -> None:
    kinds = [t.kind for t in told_list([500, 3, 40], 10)]

    assert kinds == ["about", "fewer_than", "fewer_than"]


def test_a_value_listed_twice_is_one_value() -> None:
    """K01: 39 and 75 of the same value are 114."""
    assert merged([("red", 39), ("blue", 2), ("red", 75), ("none", 0)]) == {
        "red": 114,
        "blue": 2,
    }

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.disclosure.test_till import CAPS
from vitrine.disclosure.watching import coverage, likeness


@pytest.mark.parametrize(
    ("percent", "today", "searches"),
    [
        (100.0, 150, 15),  # a full page of new documents each time
        (50.0, 150, 30),  # half of what is shown was seen before
        (0.0, 74, 7),  # below half of the day it says nothing
        (0.0, 0, 0),
        (100.0, 150, 3),
    ],
)
def test_a_day_is_as_like_a_crawl_as_its_pages_are_new(
    percent: float, today: int, searches: int
) -> None:
    assert percent == likeness(today, searches, page=10, caps=CAPS)


def test_a_wider_cap_is_half_used_later() -> None:
    assert likeness(100, 10, page=10, caps=replace(CAPS, day=500)) == 0.0


@pytest.mark.parametrize(("percent", "documents"), [(3.0, 5_000), (0.0, 0)])
def test_coverage_is_of_the_source(percent: float, documents: int) -> None:
    assert percent == coverage(150, documents)

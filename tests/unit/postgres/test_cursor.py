"""Positions: what goes into a cursor comes back, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.postgres.cursor import Place, place_of
from vitrine.problems import Invalid

GOOD = Place("2026-01-01T00:00:00.000001Z", "00000000-0000-0000-0000-00000000000a")


@given(
    st.datetimes(),
    st.uuids(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["strict", "typo", "prefix", "partial", "semantic"]),
)
def test_a_place_comes_back_whole(at: Any, key: Any, score: float, mode: Any) -> None:
    written = at.strftime("%Y").rjust(4, "0") + at.strftime("-%m-%dT%H:%M:%S.%fZ")
    place = Place(written, str(key), 1, score, mode, "term", 7, "0123abcd")

    assert place == place_of(place.position)


@pytest.mark.parametrize(
    ("index", "value"),
    [
        (0, "2026-01-01T00:00:00Z"),
        (0, "'; DROP TABLE x --"),
        (0, 5),
        (1, "0000000000000000000000000000000A"),
        (1, ""),
        (1, 7),
        (2, 2),
        (2, "1"),
        (3, "0.5"),
        (4, "fuzzy"),
        (5, None),
        (6, "1"),
        (6, -1),
        (6, 2**31),
        (7, "0123abc"),
        (7, "0123ABCD"),
        (7, 5),
    ],
)
def test_a_changed_place_is_refused(index: int, value: Any) -> None:
    position = list(GOOD.position)
    position[index] = value

    with pytest.raises(Invalid, match="cursor"):
        place_of(tuple(position))


def test_no_position_is_the_first_page() -> None:
    assert place_of(None) is None

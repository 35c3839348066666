"""The two-sample comparison: a half where nothing can be told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from infra.bench.timing import compared, edge_of


@pytest.mark.parametrize(
    ("expected", "left", "right"),
    [
        (0.5, (1, 2, 3), (1, 2, 3)),
        (0.5, (2, 2), (2, 2)),
        (1.0, (4, 5), (1, 2, 3)),
        (0.0, (1, 2), (3, 4)),
        (0.875, (2, 3), (1, 2)),
    ],
)
def test_an_edge_is_the_share_of_pairs_in_which_the_left_is_larger(
    expected: float, left: Sequence[float], right: Sequence[float]
) -> None:
    assert expected == edge_of(left, right)


def test_one_job_against_itself_is_asked_equally_often() -> None:
    asked: list[str] = []

    figures = compared(lambda: asked.append("one"), lambda: asked.append("other"), 30)

    assert asked.count("one") == asked.count("other") == 40
    assert ["other", "one", "one", "other"] == asked[:4]
    assert 0 <= figures["edge"] <= 1

"""Each problem is a document of its own, with a status and a stable type."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from vitrine import problems
from vitrine.problems import BudgetSpent, Fault, Invalid, Problem


def every(kind: type[Problem] = Problem) -> Iterator[type[Problem]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == problems.__name__:
            yield from every(child)


@pytest.mark.parametrize("kind", list(every()), ids=lambda kind: kind.code)
def test_each_kind_stands_in_the_tree_with_its_status(kind: type[Problem]) -> None:
    drawn = (problems.__doc__ or "").splitlines()

    assert any(kind.__name__ in line and str(kind.status) in line for line in drawn)


def test_codes_are_unique() -> None:
    codes = [kind.code for kind in every()]

    assert len(codes) == len(set(codes))


def test_a_body_leaves_empty_members_out() -> None:
    body = BudgetSpent("Spent.", budget="day", way_on=None).body()

    assert "urn:vitrine:problem:budget-spent" == body["type"]
    assert (429, "Spent.", "day") == (body["status"], body["detail"], body["budget"])
    assert "way_on" not in body


def test_a_wait_becomes_a_header() -> None:
    assert {"Retry-After": "60"} == BudgetSpent(retry_after=60).headers()
    assert {} == BudgetSpent().headers()


def test_faults_are_told_whole_and_the_first_speaks() -> None:
    faults = [Fault("/a", "x", "First.", "Mend it."), Fault("/b", "y", "Second.")]

    problem = Invalid(faults)

    assert "First." == problem.detail
    assert ["/a", "/b"] == [error["pointer"] for error in problem.body()["errors"]]

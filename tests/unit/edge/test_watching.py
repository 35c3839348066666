from __future__ import annotations

import json
from contextlib import suppress
from io import StringIO
from typing import Any

import pytest

from tests.unit.edge.test_telemetry import ALICE, HANDLER, Context, lines
from vitrine.edge import telemetry
from vitrine.edge.watching import FIGURES, measured, refusals
from vitrine.problems import BudgetSpent, Busy, Invalid, TooFast


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run something as a function would, and give what it wrote."""
    stream = StringIO()
    kept = HANDLER.setStream(stream)

    def run(work: Any) -> list[dict[str, Any]]:
        telemetry.observed(lambda _event, _context: work())({}, Context())
        return lines(stream.getvalue() + capsys.readouterr().out)

    yield run
    HANDLER.setStream(kept)


@pytest.mark.parametrize("figure", FIGURES)
def test_each_figure_is_a_metric(written: Any, figure: str) -> None:
    name, _ = FIGURES[figure]

    found = written(lambda: measured(ALICE, {figure: 7.0}))

    assert [7.0] in [each[name] for each in found if name in each]


def test_a_shown_canary_says_whose_it_was_and_no_name(written: Any) -> None:
    found = written(lambda: measured(ALICE, {"canaries": 2, "coverage": 3.0}))

    (line,) = [each for each in found if each.get("message") == "canary"]
    assert (line["level"], line["canaries"]) == ("WARNING", 2)
    assert (line["identity"], line["client"]) == (ALICE.identity, "desk")
    assert "alice" not in json.dumps(found)


@pytest.mark.parametrize(
    ("refused", "budget"),
    [
        (BudgetSpent("spent", budget="day", retry_after=9), "day"),
        (TooFast("slowly", retry_after=1), None),
        (Busy(retry_after=60), None),
    ],
)
def test_a_refusal_is_one_line_and_one_metric(
    written: Any, refused: Any, budget: str | None
) -> None:
    def work() -> None:
        with suppress(type(refused)), refusals(ALICE, "products"):
            raise refused

    found = written(work)

    (line,) = [each for each in found if each.get("message") == "refused"]
    assert (line["code"], line.get("budget")) == (refused.code, budget)
    assert (line["surface"], line["identity"]) == ("gallery", ALICE.identity)
    assert [1.0] in [each["Refused"] for each in found if "Refused" in each]


def test_a_fault_of_the_request_is_no_refusal(written: Any) -> None:
    def work() -> None:
        with suppress(Invalid), refusals(ALICE, "products"):
            raise Invalid([])

    assert not [each for each in written(work) if "Refused" in each]

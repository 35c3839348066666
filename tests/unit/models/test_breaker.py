from __future__ import annotations

import pytest

from vitrine.models.breaker import CLOSED, LEASE, LONGEST, REST, WINDOW, Circuit

NOW = 1_000_000


def after(*moments: int, circuit: Circuit = CLOSED) -> Circuit:
    for moment in moments:
        circuit = circuit.failed(moment)
    return circuit


@pytest.mark.parametrize(
    ("standing", "moments"),
    [
        ("closed", ()),
        ("closed", (NOW,)),
        ("closed", (NOW, NOW)),
        ("open", (NOW, NOW, NOW)),
        ("open", (NOW - 100, NOW - 50, NOW)),
        ("closed", (NOW - WINDOW - 1, NOW, NOW)),
    ],
)
def test_the_third_failure_in_a_row_opens(
    standing: str, moments: tuple[int, ...]
) -> None:
    assert standing == after(*moments).stands(NOW)


def test_an_answer_begins_the_count_anew() -> None:
    after(NOW, NOW)

    assert after(NOW, NOW, circuit=CLOSED).stands(NOW) == "closed"


def test_it_rests_half_a_minute_then_lets_one_probe() -> None:
    opened = after(NOW, NOW, NOW)

    assert opened.stands(NOW + REST - 1) == "open"
    assert opened.stands(NOW + REST) == "ripe"
    assert opened.probed(NOW + REST).stands(NOW + REST) == "open"
    assert opened.probed(NOW + REST).stands(NOW + REST + LEASE) == "ripe"


def test_each_failed_probe_doubles_the_rest_up_to_five_minutes() -> None:
    circuit, rests = after(NOW, NOW, NOW), []
    for _ in range(6):
        rests.append(circuit.rest)
        circuit = circuit.probed(circuit.until).failed(circuit.until)

    assert rests == [30, 60, 120, 240, LONGEST, LONGEST]


def test_turns_that_were_already_asking_lengthen_no_rest() -> None:
    opened = after(NOW, NOW, NOW)

    assert opened == after(NOW + 1, NOW + 2, NOW + REST - 1, circuit=opened)

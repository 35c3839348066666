from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.unit.disclosure.shop import field, manifest
from vitrine.disclosure.numbers import countable
from vitrine.registry.fields import Choice, Field
from vitrine.registry.profiles import registry_for
from vitrine.tree.conditions import (
    FALSE,
    TRUE,
    All,
    Between,
    Condition,
    Contains,
    Member,
    Near,
    Not,
    Present,
    Text,
)
from vitrine.tree.conditions import Any as Either

REGISTRY = registry_for(manifest(), "closed", tenant="demo", documents=5_000)


def of(kind: str, **more: Any) -> Field:
    return Field.model_validate(field("f", kind, **more))


COLOUR, ROOM, SKU, NAME = (
    REGISTRY.filters[key] for key in ("colour", "rooms", "sku", "name")
)
PRICE = of("number", currency="EUR", steps=(2_500, 10_000, 40_000))
WIDTH = of("number", unit="cm", steps=(20, 60))
BARE, DAY, INSTANT, HOUR = of("number"), of("date"), of("datetime"), of("time")
PAINT = of("colour", choices=(Choice(value="#c0392b", code="r"),))
RED, HALL = Member(COLOUR, ("red",)), Member(ROOM, ("hall",))
KNOWN = Member(SKU, ("SOF-1", "SOF-2"))


def counted(condition: Condition, text: str | None = None) -> Condition | None:
    asked = None if text is None else Text(text, "keyword_search")
    return countable(condition, asked, REGISTRY)


@pytest.mark.parametrize(
    "narrowing",
    [
        TRUE,
        RED,
        Not(RED),
        Member(COLOUR, ("red", "blue")),
        All((RED, HALL, Not(Present(ROOM)))),
        Either((RED, Member(COLOUR, ("blue",)))),
        Between(PRICE, Decimal(2_500), Decimal(10_000)),
        Near(PAINT, "#ff0000", 30),
        Text("oak chair", "hybrid_search"),
        Between(DAY, "2024-01-01", "2024-03-01", high_open=True),
    ],
)
def test_a_narrowing_is_counted_as_it_is(narrowing: Condition) -> None:
    assert counted(narrowing) == narrowing
    assert counted(narrowing, "oak chair") == narrowing


@pytest.mark.parametrize(
    "tracker",
    [
        Either((KNOWN, All((RED, HALL)))),
        Either((RED, HALL)),
        Either((RED, All((HALL, RED)))),
        Not(All((RED, HALL))),
        Not(Either((RED, HALL))),
        All((RED, KNOWN)),
        Not(KNOWN),
        Member(NAME, ("brume",)),
        Contains(SKU, "sof1", at_start=True),
        Present(SKU),
        Near(of("colour"), "#ff0000", 30),
        Member(PRICE, (Decimal(4_990),)),
        Not(Between(PRICE, None, Decimal(10_000))),
        Between(BARE, Decimal(1), None),
        Between(HOUR, "08:00:00", None),
        FALSE,
    ],
)
def test_what_could_pad_or_leave_out_tells_no_number(tracker: Condition) -> None:
    """E04: a count is moved across its edge by what is known."""
    assert counted(tracker) is None
    assert counted(All((RED, tracker))) is None


@pytest.mark.parametrize(
    "text",
    [
        "SOF-1 or SOF-2",
        "SOF-1 OR oak chair",
        "chêne ou noyer",
        "oak or, chair",
        "chair -oak",
        "-oak",
        'chair -"oak"',
    ],
)
def test_a_text_with_alternatives_or_denials_tells_no_number(text: str) -> None:
    assert counted(RED, text) is None
    assert counted(All((RED, Text(text, "keyword_search")))) is None


@pytest.mark.parametrize("text", ["oak chair", "hand-made", '"oak chair"', "6205-2RS"])
def test_plain_words_tell_theirs(text: str) -> None:
    assert RED == counted(RED, text)


@pytest.mark.parametrize(
    ("asked", "wider"),
    [
        ((3_000, 30_000), (2_500, 40_000, True)),
        ((2_500, 9_999), (2_500, 10_000, True)),
        ((10_001, None), (10_000, None, False)),
        ((None, 30_000), (None, 40_000, True)),
        ((100, 50_000), (None, None, False)),
        ((10_000, 10_000), (10_000, 10_000, False)),
    ],
)
def test_a_limit_between_two_steps_is_counted_at_the_outer_one(
    asked: tuple[Any, Any], wider: tuple[Any, Any, bool]
) -> None:
    low, high = (None if v is None else Decimal(v) for v in asked)

    found = counted(Between(PRICE, low, high))

    assert isinstance(found, Between)
    assert wider == (found.low, found.high, found.high_open)


def test_an_open_limit_on_a_step_stays() -> None:
    test = Between(WIDTH, Decimal(20), Decimal(60), low_open=True, high_open=True)

    assert counted(test) == test
    moved = counted(replace(test, low=Decimal(21)))
    assert moved == replace(test, low_open=False)


@pytest.mark.parametrize(
    ("test", "wider"),
    [
        (Between(DAY, "2024-01-17", None), Between(DAY, "2024-01-01", None)),
        (
            Between(DAY, None, "2024-01-17", high_open=True),
            Between(DAY, None, "2024-02-01", high_open=True),
        ),
        (
            Between(DAY, None, "2024-12-01"),
            Between(DAY, None, "2025-01-01", high_open=True),
        ),
        # Paris is an hour, in summer two, ahead.
        (
            Between(INSTANT, "2024-01-31T23:00:00Z", "2024-06-30T22:00:00Z"),
            Between(
                INSTANT, "2024-01-31T23:00:00Z", "2024-07-31T22:00:00Z", high_open=True
            ),
        ),
        (
            Between(INSTANT, "2024-03-10T12:30:00Z", None),
            Between(INSTANT, "2024-02-29T23:00:00Z", None),
        ),
        (Between(DAY, None, "9999-12-31"), Between(DAY, None, None)),
    ],
)
def test_dates_are_counted_by_whole_months_of_the_tenants_zone(
    test: Between, wider: Between
) -> None:
    assert wider == counted(test)

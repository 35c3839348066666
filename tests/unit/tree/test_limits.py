"""How large a number a filter may name: refused at the first look, on either engine."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests import trees
from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.typesense import integers
from vitrine.validate import check

SAFE = 2**53 - 1
MILLIONTHS = (2**63 - 1) // 10**6


def number(key: str, **more: Any) -> Field:
    return Field(key=key, type=FieldType.NUMBER, label={"en": key}, **more)


FIELDS = (
    number("short", integer=True, bits=32),
    number("long", integer=True),
    number("price", currency="EUR"),
    number("yen", currency="JPY"),
    number("weight", unit="kg"),
)


def registry(engine: EngineName) -> Registry:
    return trees.registry_of(FIELDS, engine=engine)


def codes(engine: EngineName, key: str, operator: str, value: Any) -> list[str]:
    raw = {"field": key, "operator": operator, "value": value}
    checked = check(raw, registry(engine), today=trees.TODAY)
    return [fault.code for fault in checked.faults]


EDGES = [
    ("short", 2**31 - 1, 2**31),
    ("short", -(2**31), -(2**31) - 1),
    ("long", SAFE, SAFE + 1),
    ("long", -SAFE, -SAFE - 1),
    ("price", 90_071_992_547_409, 90_071_992_547_410),
    ("yen", SAFE, SAFE + 1),
]


@pytest.mark.parametrize("engine", list(EngineName))
@pytest.mark.parametrize(("key", "inside", "outside"), EDGES)
def test_whole_numbers_end_alike_on_both_engines(  # N02
    engine: EngineName, key: str, inside: int, outside: int
) -> None:
    for value in (inside, str(inside)):
        assert codes(engine, key, "equals", value) == []
        assert codes(engine, key, "less_than", value) == []
    for wide in (outside, str(outside), float(outside)):
        assert codes(engine, key, "equals", wide) == ["out_of_range"]
        assert codes(engine, key, "greater_than", wide) == ["out_of_range"]
        assert codes(engine, key, "between", sorted([0, outside])) == ["out_of_range"]


@pytest.mark.parametrize(
    ("engine", "inside", "outside"),
    [
        (EngineName.POSTGRES, 10**15, 10**15 + 1),
        (EngineName.TYPESENSE, MILLIONTHS, MILLIONTHS + 1),
    ],
)
def test_decimals_end_where_their_engine_keeps_them_exactly(
    engine: EngineName, inside: int, outside: int
) -> None:
    assert codes(engine, "weight", "less_or_equal", inside) == []
    assert codes(engine, "weight", "less_or_equal", outside) == ["out_of_range"]


def test_a_refusal_names_the_limits() -> None:
    raw = {"field": "short", "operator": "equals", "value": 3_000_000_000}
    (fault,) = check(raw, registry(EngineName.POSTGRES), today=trees.TODAY).faults

    assert fault.pointer == "/value"
    assert fault.remedy == "Send a number from -2147483648 to 2147483647."


@pytest.mark.parametrize(("key", "inside", "outside"), EDGES)
def test_what_no_filter_can_name_is_not_published(
    key: str, inside: int, outside: int
) -> None:
    field = next(f for f in FIELDS if f.key == key)
    cents = 100 if key == "price" else 1

    assert integers.stored(field, inside * cents) == inside * cents
    with pytest.raises(ValueError, match="more than this field can hold"):
        integers.stored(field, outside * cents)
    assert integers.stored(FIELDS[-1], Decimal(MILLIONTHS)) == MILLIONTHS * 10**6


@pytest.mark.parametrize("more", [{}, {"currency": "EUR"}, {"unit": "cm"}])
def test_a_width_is_one_of_whole_numbers(more: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="32 bits are for whole numbers"):
        number("n", bits=32, **more)

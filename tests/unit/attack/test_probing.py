"""The probes for a private field take every way that a caller has."""

from __future__ import annotations

import pytest

from infra.attack.probing import Private, requests
from infra.attack.tool import rule

VALUE = "STK00000042"
NAMES = [
    name
    for name, _ in requests(
        Private("stock_id", VALUE, rule("category", "equals", "sofa"))
    )
]


@pytest.mark.parametrize(
    "way",
    [
        f"filter equals {VALUE}",
        "MCP argument sort",
        "MCP falling order",
        f"filter between {VALUE}",
        f"text '{VALUE}'",
        f"text '{VALUE[:5]}'",  # a prefix
        "text 'STxK00000042'",  # did you mean
        f"validated greater_than {VALUE}",  # the text of an error
        f"explained equals {VALUE}",
        f"MCP look-up '{VALUE}'",
        f"MCP filter equals {VALUE}",
        f"counted less_or_equal {VALUE}",
        "MCP description",
    ],
)
def test_a_private_field_is_probed_by(way: str) -> None:
    assert way in NAMES


def test_there_are_more_than_a_hundred_and_fifty_probes() -> None:
    assert len(set(NAMES)) > 150

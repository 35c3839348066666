"""A box around a colour: what an index is asked for, and what each row is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.postgres.binds import Binds
from vitrine.postgres.colours import KEYS, cell, cells
from vitrine.postgres.compile import compiled
from vitrine.postgres.scope import Scope, Way
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.conditions import Any as AnyOf
from vitrine.tree.conditions import Condition, Member, Near, Not, Text

PAINT = Field(key="paint", type=FieldType.COLOUR, label={"en": "paint"})
PAINTS = PAINT.model_copy(update={"key": "paints", "multi": True})
OWN = PAINTS.model_copy(update={"key": "own", "column": "meta:own"})
colours = st.integers(0, 0xFFFFFF).map("#{:06x}".format)
tolerances = st.integers(0, 255)
WIDTHS = {"": 0x10, "m": 0x20, "w": 0x40}


def said(condition: Condition, way: Way = "sought") -> tuple[str, dict[str, Any]]:
    binds = Binds()
    text = compiled(condition, Scope("vitrine.things").come(way), binds)
    return text.as_string(), binds.values


def channels(colour: str) -> list[int]:
    return [*bytes.fromhex(colour[1:])]


def is_near(colour: str, leaf: Near) -> bool:
    pairs = zip(channels(colour), channels(leaf.colour), strict=True)
    return all(abs(one - other) <= leaf.tolerance for one, other in pairs)


def pattern(leaf: Near) -> str:
    (found,) = said(leaf, "met")[1].values()
    return str(found)


@given(colours, tolerances, colours)
def test_the_pattern_is_the_box(centre: str, tolerance: int, colour: str) -> None:
    leaf = Near(PAINT, centre, tolerance)

    assert is_near(colour, leaf) == bool(re.search(pattern(leaf), colour))


@given(colours, tolerances, st.data())
def test_the_pattern_holds_at_the_edges_of_the_box(
    centre: str, tolerance: int, data: st.DataObject
) -> None:
    """D: a step beyond a bound is out, the bound itself is in."""
    leaf = Near(PAINT, centre, tolerance)
    steps = st.sampled_from((-tolerance - 1, -tolerance, tolerance, tolerance + 1))
    edge = [min(255, max(0, c + data.draw(steps))) for c in channels(centre)]
    colour = "#" + bytes(edge).hex()

    assert is_near(colour, leaf) == bool(re.search(pattern(leaf), colour))


@given(colours, tolerances, colours)
def test_cells_miss_no_colour_of_the_box(
    centre: str, tolerance: int, colour: str
) -> None:
    leaf = Near(PAINTS, centre, tolerance)
    asked = cells(leaf)

    if asked is not None and is_near(colour, leaf):
        held = {_cell(colour, mark) for mark in WIDTHS}
        assert held & set(asked)


def _cell(colour: str, mark: str) -> str:
    width = WIDTHS[mark]
    firsts = (c // width * width for c in channels(colour))
    return mark + "".join(format(f, "02x")[0] for f in firsts)


@given(colours, tolerances)
def test_a_box_asks_for_a_bounded_number_of_cells(centre: str, tolerance: int) -> None:
    asked = cells(Near(PAINTS, centre, tolerance))

    assert asked is None or 0 < len(set(asked)) == len(asked) <= KEYS


@pytest.mark.parametrize(
    ("mark", "number", "tolerance"),
    [("", 1, 0), ("", 8, 8), ("", 27, 16), ("m", 27, 32), ("m", 64, 48), ("w", 27, 64)],
)
def test_the_wider_the_box_the_larger_its_cells(
    mark: str, number: int, tolerance: int
) -> None:
    asked = cells(Near(PAINTS, "#808080", tolerance)) or []

    assert number == len(asked)
    assert all(len(key) == len(mark) + 3 and key.startswith(mark) for key in asked)


def test_a_box_that_touches_every_cell_asks_for_none() -> None:
    leaf = Near(PAINTS, "#808080", 255)

    assert cells(leaf) is None
    assert "&&" not in said(leaf)[0]


def test_many_colours_are_one_match_of_a_row_behind_which_the_index_is_asked() -> None:
    text, values = said(Near(PAINTS, "#102030", 8))

    assert '"v"."paints_cells" && ' in text
    assert "vitrine.dear(" in text
    assert text.index("regexp_like") < text.index("&&")
    assert ["012", "013", "022", "023", "112", "113", "122", "123"] in [
        *values.values()
    ]


def test_one_colour_is_found_by_its_cell() -> None:
    text, values = said(Near(PAINT, "#b5473c", 48))

    assert 'vitrine.cell("v"."paint") = ANY(' in text
    assert 7 * 7 * 7 == max(len(v) for v in values.values() if isinstance(v, list))
    assert "vitrine.cell" not in said(Near(PAINT, "#b5473c", 65))[0]


@pytest.mark.parametrize(
    ("way", "condition"),
    [
        ("met", Near(PAINTS, "#b5473c", 48)),
        ("sought", Not(Near(PAINTS, "#b5473c", 48))),
        ("sought", Not(Member(PAINTS, ("#b5473c",)))),
        ("named", AnyOf((Near(PAINTS, "#b5473c", 48), Text("red")))),
        ("sought", Near(OWN, "#b5473c", 48)),
    ],
)
def test_where_no_index_serves_a_row_is_only_looked_at(
    way: Way, condition: Condition
) -> None:
    assert "&&" not in said(condition, way)[0]


def test_an_equal_colour_is_sought_by_its_cell() -> None:
    text, values = said(Member(PAINTS, ("#B5473C", "#101010")))

    assert '"v"."paints_cells" && ' in text
    assert "vitrine.dear(" in text
    assert ["111", "b43"] in [*values.values()]
    assert "b43" == cell("#b5473c")

"""Conditions as SQL: where a test stands decides how it is asked."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any as Anything

import pytest

from vitrine.postgres.binds import Binds
from vitrine.postgres.compile import compiled
from vitrine.postgres.ranges import wide
from vitrine.postgres.scope import Scope, letter_of
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.samples import Sample
from vitrine.tree.conditions import (
    All,
    Any,
    Between,
    Condition,
    Contains,
    Linked,
    Member,
    Near,
    Not,
    Present,
    Text,
)


def field(key: str, kind: FieldType, **more: Anything) -> Field:
    return Field(key=key, type=kind, label={"en": key}, **more)


WIDTH = field("width", FieldType.NUMBER, column="meta:width")
MADE = field("made", FieldType.DATE, column="meta:made")
PIXELS = field("pixels", FieldType.NUMBER, integer=True)
KIND = field("kind", FieldType.KEYWORD)
STYLE = field("style", FieldType.VOCABULARY, column="meta:style")
STYLES = field("styles", FieldType.VOCABULARY, column="meta:styles", multi=True)
TITLE = field("title", FieldType.TEXT)
TAGS = field("tags", FieldType.VOCABULARY, multi=True)
PAINTS = field("paints", FieldType.COLOUR, multi=True)
PERSON = field("person", FieldType.RELATION)
CITY = field("city", FieldType.TEXT, column="meta:city")
CITIES = field("cities", FieldType.TEXT, column="meta:cities", multi=True)
CODE = field("code", FieldType.IDENTIFIER)
SCOPE = Scope("vitrine.things", "fr")
NARROW = Between(WIDTH, Decimal(1), Decimal(2))


def said(condition: Condition, scope: Scope = SCOPE) -> tuple[str, dict[str, Anything]]:
    binds = Binds()
    return compiled(condition, scope, binds).as_string(None), binds.values


def test_a_narrow_range_is_a_semi_join_inside_and() -> None:
    text, values = said(All((NARROW, Present(KIND))))

    assert "EXISTS (SELECT n.id FROM" in text
    assert '"vitrine"."things_numbers"' in text
    assert [v for v in values.values() if isinstance(v, str)] == ["width"]


def test_a_range_inside_or_is_an_array_for_the_bitmaps() -> None:
    text, _ = said(Any((NARROW, Present(KIND))))

    assert '"v".id = ANY(ARRAY(SELECT n.id' in text


def test_ranges_alone_in_an_or_are_one_semi_join() -> None:
    """An array is searched row by row where another filter finds the rows."""
    made = Between(MADE, "2026-01-01", "2026-02-01")
    text, _ = said(All((Any((NARROW, made)), Present(KIND))))

    assert text.count("UNION ALL") == 1
    assert '"v".id IN (SELECT n.id' in text
    assert "ARRAY(" not in text


def test_a_range_under_not_is_a_plain_filter() -> None:
    text, _ = said(Not(NARROW))

    assert "vitrine.number_of" in text
    assert "things_numbers" not in text
    assert text.endswith("IS NOT TRUE")


@pytest.mark.parametrize(
    ("low", "high", "sample", "expected"),
    [
        (Decimal(1), Decimal(2), Sample(low=0, high=100), False),
        (Decimal(0), Decimal(50), Sample(low=0, high=100), True),
        (Decimal(99), None, Sample(low=0, high=100), False),
        (None, Decimal(50), Sample(low=0, high=100), True),
        (Decimal(1), None, Sample(), True),
        (Decimal(1), Decimal(2), Sample(), False),
        (Decimal(200), Decimal(300), Sample(low=0, high=100), False),
    ],
)
def test_a_wide_range_is_told_by_the_observed_extent(
    low: Decimal | None, high: Decimal | None, sample: Sample, expected: bool
) -> None:
    scope = Scope("vitrine.things", samples=MappingProxyType({"width": sample}))

    assert expected == wide(Between(WIDTH, low, high), scope)


@pytest.mark.parametrize(
    ("way", "condition", "expected"),
    [
        ("sought", Member(CITY, ("lyon", "oslo")), True),
        ("named", Member(CITY, ("lyon",)), True),
        ("met", Member(CITY, ("lyon",)), False),
        ("sought", Any((Member(CITY, ("lyon",)), Present(KIND))), True),
        ("named", Any((Member(CITY, ("lyon",)), Present(KIND))), False),
        ("sought", Member(CITY, ("lyon", "[x")), False),
        ("sought", Member(CITY, ("27 rue",)), False),
        ("sought", Member(CITY, ("true",)), False),
        ("sought", Member(CITY, ("2a467707-5a06",)), False),
        ("sought", Member(CITIES, ("lyon",)), False),
        ("sought", Member(TITLE, ("lyon",)), False),
    ],
)
def test_a_text_is_found_by_its_index_where_that_knows_it(
    way: Anything, condition: Condition, expected: bool
) -> None:
    text, values = said(condition, SCOPE.come(way))

    assert expected == ("vitrine.said_in" in text)
    if expected:
        assert ["city lyon"] == values["b_1"][:1]


def test_alternatives_are_found_by_indexes_and_then_told_apart_in_the_row() -> None:
    """Else the index of texts is asked again for each row that it found."""
    either = Any((Member(CITY, ("lyon",)), Near(PAINTS, "#102030", 8)))
    text, _ = said(either, SCOPE.come("sought"))

    assert text.index("said_in") < text.index(") AND (") < text.index("regexp_like")
    assert (
        1
        == text.count("said_in")
        == text.count("regexp_like")
        == text.count("&& %(b_3")
    )


def test_a_long_text_is_told_apart_in_the_row() -> None:
    _, values = said(Member(CITY, ("x" * 100,)), SCOPE.come("sought"))

    assert [["x" * 100], ["city " + "x" * 60]] == list(values.values())


@pytest.mark.parametrize(("way", "expected"), [("sought", True), ("met", False)])
def test_a_wide_range_is_asked_of_its_table_where_any_order_does(
    way: Anything, expected: bool
) -> None:
    extent = MappingProxyType({"width": Sample(low=0, high=10)})
    scope = Scope("vitrine.things", samples=extent).come(way)

    text, _ = said(Between(WIDTH, Decimal(1), Decimal(9)), scope)

    assert expected == ("things_numbers" in text)


@pytest.mark.parametrize(
    ("way", "low", "expected"),
    [
        ("sought", 2_400, True),
        ("sought", 2_025, True),
        ("sought", 2_000, False),
        ("named", 2_400, False),
    ],
)
def test_a_scarce_range_is_gathered_before_anything_else(
    way: Anything, low: int, expected: bool
) -> None:
    """Beside a text the words find few rows, and each is asked for its number."""
    extent = MappingProxyType({"width": Sample(low=1926, high=2026)})
    scope = Scope("vitrine.things", samples=extent).come(way)

    text, _ = said(Between(WIDTH, Decimal(low), None), scope)

    assert expected == ("ARRAY(SELECT n.id" in text)
    assert expected != ("EXISTS (SELECT n.id" in text)


def test_an_extent_around_zero_is_no_unknown_one() -> None:
    scope = Scope("t", samples=MappingProxyType({"width": Sample(low=-100, high=100)}))

    assert not wide(Between(WIDTH, Decimal(0), Decimal(5)), scope)
    assert wide(Between(WIDTH, Decimal(-50), Decimal(0)), scope)


def test_dates_are_measured_in_days() -> None:
    observed = MappingProxyType({"made": Sample(low="2020-01-01", high="2026-01-01")})
    scope = Scope("vitrine.things", samples=observed)

    assert not wide(Between(MADE, "2025-01-01", "2025-02-01"), scope)
    assert wide(Between(MADE, "2021-01-01", None), scope)


@pytest.mark.parametrize(
    ("condition", "fragments", "values"),
    [
        (Member(KIND, ("photo",)), ['"v"."kind" = ANY(', "::text[]"], [["photo"]]),
        (Member(TAGS, ("a", "b")), ['"v"."tags" && '], [["a", "b"]]),
        (Member(STYLE, ("x",)), ['"v".meta @> ', "::jsonb"], ['{"style": "x"}']),
        (Member(STYLES, ("x",)), ['"v".meta @> '], ['{"styles": ["x"]}']),
        (Member(WIDTH, (Decimal("1.50"),)), [".meta @> "], ['{"width": 1.50}']),
        (Member(PIXELS, (Decimal(3),)), ["::bigint[]"], [[3]]),
        (Member(PIXELS, (Decimal("3.5"),)), ["FALSE"], []),
        (Member(KIND, ("a\x00",)), ["FALSE"], []),
        (Member(KIND, ("a,b", "c")), ["= ANY("], [["a,b", "c"]]),
        (Member(CODE, ("6205-2RS",)), ["vitrine.squash("], [["62052rs"]]),
        (Contains(TITLE, "100%_"), ["LIKE", "ESCAPE '\\'"], ["100%_"]),
        (Contains(TITLE, "x\x00"), ["FALSE"], []),
        (Present(TITLE), ["<> ''"], []),
        (Present(TAGS), ["cardinality("], []),
        (Between(PIXELS, Decimal(3)), [">=", "::bigint"], [3]),
        (Linked(PERSON, ("client",)), ["things_roles", "role_key"], ["client"]),
        (Linked(PERSON, name="Marie"), ["things_names", "plainto"], ["Marie"]),
        (Linked(PERSON), ["FALSE"], []),
        (Text("calme"), ["querytree", "fr_unaccent"], ["calme"]),
        (All(), ["TRUE"], []),
        (Any(), ["FALSE"], []),
    ],
)  # F08: a list is an array; F10: wildcards are escaped by the server's own function
def test_each_test_binds_what_it_compares(
    condition: Condition, fragments: list[str], values: list[Anything]
) -> None:
    text, bound = said(condition)

    assert [f for f in fragments if f in text] == fragments
    assert values == list(bound.values())


def test_every_bound_value_is_cast() -> None:
    parts = (NARROW, Member(KIND, ("a",)), Contains(TITLE, "b"), Text("c"))
    text, values = said(All((*parts, Near(PAINTS, "#102030", 16), Not(All(parts)))))

    for name in values:
        assert f"%({name})s::" in text
    assert text.count("%(") == text.count(")s::")


def test_a_closed_letter_is_filtered_and_its_negation_too() -> None:
    scope = Scope("vitrine.things", "en", letters="ab")

    positive, _ = said(Text("calm"), scope)
    negative, _ = said(Text("calm -secret"), scope)

    assert positive.count("ts_filter") == 1
    assert positive.count("@@") == 2
    assert negative.count("@@") == 1


SCOPED = Scope("vitrine.things", "en", scoped=True)


def test_a_text_enters_the_index_at_the_callers_marks() -> None:
    text, _ = said(All((Text("calm"), NARROW)), SCOPED)

    assert '"v"."scoped" @@ vitrine.scoped_query(' in text
    assert "vitrine.is_plain(" in text


def test_where_no_index_is_entered_a_text_is_a_test_of_the_row() -> None:
    """What a vector with marks costs for one row reads fifty without."""
    for condition in (Any((Text("calm"), NARROW)), Not(Text("calm"))):
        assert "scoped" not in said(condition, SCOPED)[0]
    assert "scoped" not in said(Text("calm"), SCOPED.come("met"))[0]


def test_a_closed_letter_is_left_to_the_row_where_marks_find_it() -> None:
    text, _ = said(Text("calm -secret"), replace(SCOPED, letters="ab"))

    assert "ts_match_vq(ts_filter(" in text
    assert "is_plain" not in text


@pytest.mark.parametrize(
    ("weight", "letter"), [(15, "a"), (8, "a"), (7, "b"), (4, "b"), (2, "c"), (1, "d")]
)
def test_weights_are_letters(weight: int, letter: str) -> None:
    assert letter == letter_of(weight)


def test_compiling_is_linear() -> None:
    """Twenty leaves in alternating groups stay twenty tests."""
    node: Condition = NARROW
    for level in range(19):
        group = Any if level % 2 else All
        node = group((node, Member(KIND, (str(level),))))

    assert said(node)[0].count('"kind" = ANY') == 19

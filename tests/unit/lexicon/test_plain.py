"""Plain turns of speech: no taller than, none at all, whose is unknown, as a name."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.unit.lexicon.sources import contacts, library, shop
from vitrine.lexicon.read import read
from vitrine.registry.profiles import Registry
from vitrine.tree.model import EMPTY, leaves

TODAY = date(2026, 11, 30)


def rules(message: str, registry: Registry, language: str = "en") -> set[Any]:
    turn = read(message, EMPTY, registry, today=TODAY, language=language)
    return {(r.field, r.operator, r.value) for _, r in leaves(turn.delta)}


@pytest.mark.parametrize(
    ("expected", "message", "language"),
    [
        (("height", "less_or_equal", "30 cm"), "no taller than 30 cm", "en"),
        (("height", "less_or_equal", "30 cm"), "pas plus haut que 30 cm", "fr"),
        (("width", "greater_or_equal", "2 m"), "not narrower than 2 m", "en"),
    ],
)
def test_a_denied_comparison_is_the_other_bound(
    expected: tuple[str, str, str], message: str, language: str
) -> None:
    assert expected in rules(message, library(), language)


@pytest.mark.parametrize(
    ("expected", "message"),
    [("width", "wider than 2 m"), ("height", "taller than 2 m")],
)
def test_a_comparative_names_its_dimension_in_metres_too(
    expected: str, message: str
) -> None:
    assert {(expected, "greater_than", "2 m")} == rules(message, library())


@pytest.mark.parametrize(
    ("message", "language"),
    [("nothing above 100 euros", "en"), ("rien au-dessus de 100 euros", "fr")],
)
def test_nothing_above_is_at_most(message: str, language: str) -> None:
    assert {("price", "less_or_equal", 100)} == rules(message, shop(), language)


@pytest.mark.parametrize(
    ("expected", "message", "language"),
    [
        ("material", "lamps that don't have any material", "en"),
        ("material", "les lampes qui n'ont aucune matière", "fr"),
        ("category", "things whose category is unknown", "en"),
        ("category", "ceux dont la catégorie n'est pas précisée", "fr"),
        ("sku", "all where the SKU is missing", "en"),
    ],
)
def test_none_is_said_in_many_ways(expected: str, message: str, language: str) -> None:
    assert (expected, "is_empty", None) in rules(message, shop(), language)


@pytest.mark.parametrize(
    ("message", "language"),
    [("without an email in Lyon", "en"), ("sans e-mail à Lyon", "fr")],
)
def test_without_one_thing_denies_no_other(message: str, language: str) -> None:
    expected = {("email", "is_empty", None), ("city", "vocab_text_equals", "Lyon")}

    assert expected == rules(message, contacts(), language)


@pytest.mark.parametrize(
    ("message", "language"),
    [("size M, black, table", "en"), ("taille M, noir, table", "fr")],
)
def test_a_known_value_behind_its_name_ends_there(message: str, language: str) -> None:
    expected = {
        ("size", "equals", "M"),
        ("colour", "equals", "Black"),
        ("category", "vocab_text_equals", "Table"),
    }

    assert expected == rules(message, shop(), language)


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("Quillfeather as city, please", "en"),
        ("ceux avec Quillfeather comme ville", "fr"),
    ],
)
def test_a_name_may_follow_its_value(message: str, language: str) -> None:
    expected = {("city", "vocab_text_equals", "Quillfeather")}

    assert expected == rules(message, contacts(), language)

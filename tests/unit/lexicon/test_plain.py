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


@pytest.mark.parametrize(
    ("message", "language"),
    [("a table, 6 places", "fr"), ("a table with 6 seats", "en")],
)
def test_an_amount_says_the_number_of_by_itself(message: str, language: str) -> None:
    assert ("seats", "equals", 6) in rules(message, shop(), language)


@pytest.mark.parametrize(
    ("expected", "message", "language"),
    [
        (("price", "less_than", 80), "lamps below EUR 80", "en"),
        (("price", "less_or_equal", 2000), "lampes à 2000 maximum", "fr"),
        (("length", "greater_than", "1 m"), "plus d'un mètre de long", "fr"),
        (("length", "greater_than", "1 m"), "more than a metre long", "en"),
        (
            ("added", "in_period", "since this_year"),
            "added since the start of the year",
            "en",
        ),
        (
            ("added", "in_period", "before 6_months_ago"),
            "added over 6 months ago",
            "en",
        ),
        (
            ("added", "in_period", "before 6_months_ago"),
            "ajoutés il y a plus de 6 mois",
            "fr",
        ),
        (
            ("added", "in_period", "until 2024-06-30"),
            "ajoutés le 30 juin 2024 au plus tard",
            "fr",
        ),
    ],
)
def test_amounts_and_days_are_said_in_many_ways(
    expected: tuple[str, str, object], message: str, language: str
) -> None:
    assert expected in rules(message, shop(), language)


@pytest.mark.parametrize(
    ("expected", "message", "language"),
    [
        (("in_stock", "equals", False), "lamps that are sold out", "en"),
        (("in_stock", "equals", False), "lampes indisponibles", "fr"),
        (("colour", "equals", "Blue"), "a sky blue lamp", "en"),
        (("price", "less_than", 1000), "moins de mille euros", "fr"),
        (("seats", "less_than", 4), "fewer than 4 seats", "en"),
    ],
)
def test_words_of_the_shop(
    expected: tuple[str, str, object], message: str, language: str
) -> None:
    assert expected in rules(message, shop(), language)


def test_neither_denies_all_that_follows_a_name() -> None:
    denied = rules("whose material is neither oak nor steel", shop())

    assert {("material", "vocab_text_not_in", ("Oak", "Steel"))} == denied


def test_outside_denies_a_place() -> None:
    expected = {("city", "vocab_text_not_in", ("Lyon",))}

    assert expected == rules("people outside Lyon", contacts())


def test_a_decade_of_two_figures_behind_its_word() -> None:
    expected = {("year", "between", (1990, 1999))}

    assert expected == rules("l'année : dans les années 90", library(), "fr")


def test_a_name_holds_initials() -> None:
    assert ("photographer", "contains", "J.M. Haddad") in rules(
        "pictures by J.M. Haddad", library()
    )


@pytest.mark.parametrize(
    ("message", "language"),
    [("added before 2024 or never", "en"), ("ajoutés avant 2024 ou jamais", "fr")],
)
def test_never_is_an_alternative_to_a_day(message: str, language: str) -> None:
    expected = {("added", "in_period", "before 2024"), ("added", "is_empty", None)}

    assert expected == rules(message, shop(), language)

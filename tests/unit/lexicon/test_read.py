"""Sentences of our own, read over three small sources."""

from __future__ import annotations

from datetime import date

import pytest

from tests.unit.lexicon.sources import contacts, library, shop
from vitrine.lexicon.read import read
from vitrine.registry.profiles import Registry
from vitrine.tree.model import EMPTY, Group, Node
from vitrine.validate import validate

TODAY = date(2026, 11, 30)


def shown(node: Node) -> str:
    """Write a tree on one line."""
    if isinstance(node, Group):
        inner = f" {node.operator} ".join(shown(rule) for rule in node.rules)
        return f"not({inner})" if node.negated else f"({inner})"
    value = (
        "|".join(map(str, node.value)) if isinstance(node.value, tuple) else node.value
    )
    operator = node.operator.removeprefix("vocab_text_")
    return f"{node.field} {operator}" + ("" if value is None else f" {value}")


def meant(registry: Registry, message: str, language: str = "en") -> str:
    turn = read(message, EMPTY, registry, today=TODAY, language=language)
    assert turn.intent == "search", turn
    return shown(turn.delta)[1:-1]


@pytest.mark.parametrize(
    ("language", "message", "text"),
    [
        (
            "fr",
            (
                "quelque chose de calme pour l'en-tête de la newsletter, en paysage, "
                "pas ceux du printemps dernier"
            ),
            "calme",
        ),
        (
            "en",
            (
                "something calm for the newsletter header, landscape format, "
                "not last spring's"
            ),
            "calm",
        ),
    ],
)
def test_the_headline_sentence(language: str, message: str, text: str) -> None:
    expected = (
        f"full_text_search hybrid_search {text} and orientation equals landscape"
        " and not(taken in_period last_spring)"
    )

    assert expected == meant(library(), message, language)


@pytest.mark.parametrize(
    ("expected", "messages"),
    [
        (
            ("category equals Lamp and material equals Oak and price less_than 50"),
            ["lampes en chêne à moins de 50 €", "lamps in oak under 50 euros"],
        ),
        (
            "category equals Garden chair and colour in Black|Green",
            ["chaises de jardin noires ou vertes", "garden chairs, black or green"],
        ),
        (
            "category in Lamp|Cushion cover",
            ["lampes et housses de coussin", "lamps and cushion covers"],
        ),
        (
            "category equals Table and price between 100|200",
            ["tables entre 100 et 200 €", "tables between 100 and 200 euros"],
        ),
        (
            "category equals Table and length greater_than 2 m",
            ["tables de plus de 2 m de long", "tables longer than 2 m"],
        ),
        (
            "category equals Lamp and price is_empty",
            ["lampes sans prix", "lamps without a price"],
        ),
        (
            "category equals Lamp and in_stock equals True",
            ["lampes en stock", "lamps in stock"],
        ),
        ("in_stock equals False", ["pas en stock", "not in stock"]),
        (
            "category equals Table and material not_in Steel|Glass",
            [
                "tables sans acier ni verre",
                "tables in neither steel nor glass",
                "tables, except steel or glass",
            ],
        ),
        (
            "category equals Table and added in_period last_month",
            ["tables ajoutées le mois dernier", "tables added last month"],
        ),
        ("category equals Sofas & Beds", ["canapés", "sofas"]),
        ("size equals 38", ["taille 38", "size 38"]),
        (
            "category equals Table and seats greater_or_equal 6",
            ["tables d'au moins 6 places", "tables with at least 6 seats"],
        ),
        (
            "material equals Oak and material equals Glass",
            ["en chêne et verre", "oak and glass"],
        ),
    ],
)
def test_a_sentence_means_the_same_in_both_languages(
    expected: str, messages: list[str]
) -> None:
    assert {expected} == {meant(shop(), message) for message in messages}


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("in_stock equals False", "out of stock"),
        ("in_stock equals False", "en rupture de stock"),
        ("price is_empty and length is_empty", "without price and length"),
        ("price is_empty", "with unknown price"),
        ("size in M|L", "size M or L"),
        (
            "category in Lamp|Garden chair and colour equals Black",
            "lampes ou chaises de jardin noires",
        ),
        ("price between 45|55", "around 50 euros"),
        (
            "price between 1000|2000 and added in_period 2026",
            "priced from 1000 to 2000 added in 2026",
        ),
        ("name contains Brume", "name Brume"),
        ("name contains slim line", "dont le nom contient « slim line »"),
        ("sku equals 6205-2RS", "SKU 6205-2RS"),
        ("colour equals Gold", "dorées"),
        ("material not_in Oak", "anything but oak"),
        ("category equals Table and price greater_than 1500", "tables over 1.5k"),
        ("price less_or_equal 300", "300 € maximum"),
        ("added in_period before 2025-06", "not added since June 2025"),
    ],
)
def test_a_phrase_of_the_shop(expected: str, message: str) -> None:
    found = meant(shop(), message)

    assert (
        set(expected.split(" and ")) == set(found.split(" and ")) or found == expected
    )


def test_an_or_between_two_phrases_parts_them() -> None:
    expected = (
        "((colour equals Blue and category equals Lamp)"
        " or (colour equals Red and category equals Table))"
    )

    assert expected == meant(shop(), "blue lamps or red tables")


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            "full_text_search hybrid_search folding and category equals Table",
            "a folding table",
        ),
        (
            "full_text_search hybrid_search pliante and category equals Table",
            "une table pliante",
        ),
        ('full_text_search hybrid_search "slim line"', 'products "slim line"'),
        ("full_text_search hybrid_search -dog beach", "beach not dog"),
    ],
)
def test_words_that_no_field_covers_are_searched(expected: str, message: str) -> None:
    assert set(expected.split()) == set(meant(shop(), message).split())


@pytest.mark.parametrize(
    "message",
    [
        "",
        "?!",
        "the",
        "show me",
        "montre-moi",
        "products",
        "what is the price?",
        "quel est le prix ?",
    ],
)
def test_what_asks_for_nothing_is_asked_about(message: str) -> None:
    """N07: never an unfiltered listing; a question about a column is no filter."""
    turn = read(message, EMPTY, shop(), today=TODAY)

    assert turn.intent == "clarify"
    assert not turn.delta
    assert turn.clarify is not None


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            "tint near #ff0000 and width greater_than 2 m",
            "rouges de plus de 2 m de large",
        ),
        ("photographer contains Jane Doe", "by Jane Doe"),
        (
            "photographer contains Lee Miller and year less_than 1950",
            "by Lee Miller, year below 1950",
        ),
        ("tags in castle|bridge", "châteaux ou ponts"),
        (
            "tags equals castle and tags equals bridge",
            "castles and bridges",
        ),
        ("rights equals royalty-free", "libres de droits"),
        ("taken in_period 2024..2025", "taken between 2024 and 2025"),
        ("title is_empty", "sans titre"),
        (
            "width greater_or_equal 1.5 m and height greater_or_equal 1 m",
            "at least 1.5 m wide and 1 m high",
        ),
        ("year between 1960|1969", "from the 1960s, year"),
    ],
)
def test_pictures(expected: str, message: str) -> None:
    assert expected == meant(library(), message)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            "people person_name Marie and met in_period last_month",
            "what did I say to Marie last month?",
        ),
        (
            "people person_name Marie and met in_period last_month",
            "qu'est-ce que j'ai dit à Marie le mois dernier ?",
        ),
        ("people with_role Supplier", "all suppliers"),
        ("people with_role Supplier", "tous les fournisseurs"),
        (
            "people with_role Client and people without_role VIP",
            "clients not yet tagged VIP",
        ),
        (
            "city equals Lyon and newsletter equals False",
            "à Lyon, pas abonnés à la newsletter",
        ),
        ("owner equals Ana Sousa", "owned by Ana Sousa"),
        ("email is_empty", "without an email"),
        ("revenue greater_than 5000000", "chiffre d'affaires de plus de 5 millions"),
    ],
)
def test_contacts(expected: str, message: str) -> None:
    assert expected == meant(contacts(), message)


@pytest.mark.parametrize(
    ("registry", "message"),
    [
        (
            shop(),
            "lampes en chêne à moins de 50 €, pas noires, ajoutées depuis mars 2025",
        ),
        (library(), "calm, landscape format, not last spring's, wider than 1.5 m"),
        (contacts(), "clients not yet tagged VIP, revenue over 100k"),
    ],
)
def test_every_tree_is_valid_and_stays_as_it_is(
    registry: Registry, message: str
) -> None:
    turn = read(message, EMPTY, registry, today=TODAY)

    once = validate(turn.delta, registry, today=TODAY)
    twice = validate(once.tree, registry, today=TODAY)

    assert once.faults == ()
    assert once.tree == twice.tree


def test_the_same_message_gives_the_same_turn() -> None:
    turns = [
        read("blue or red oak lamps", EMPTY, shop(), today=TODAY) for _ in range(3)
    ]

    assert turns[0] == turns[1] == turns[2]

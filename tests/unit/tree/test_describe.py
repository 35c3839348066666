"""One sentence for a tree, the same each time, in English and in French."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from tests import trees
from tests.notation import tree
from vitrine.language.words import words
from vitrine.registry.fields import Choice, Field
from vitrine.registry.operators import OPERATORS, FieldType
from vitrine.tree.describe import describe, describe_changes, describe_unmet
from vitrine.tree.merge import merge
from vitrine.tree.model import Group, Rule
from vitrine.validate import check

OAK = Choice(value="oak", code="c1", labels={"en": "oak", "fr": "chêne"})
ELM = Choice(value="elm", code="c2", labels={"fr": "orme"})
FIELDS = (
    Field(
        key="price",
        type=FieldType.NUMBER,
        label={"en": "price", "fr": "prix"},
        currency="EUR",
    ),
    Field(
        key="width",
        type=FieldType.NUMBER,
        label={"en": "width", "fr": "largeur"},
        unit="cm",
    ),
    Field(
        key="wood",
        type=FieldType.KEYWORD,
        label={"en": "wood", "fr": "bois"},
        choices=(OAK, ELM),
    ),
    Field(key="made", type=FieldType.DATE, label={"en": "made", "fr": "fait le"}),
    Field(key="seen", type=FieldType.DATETIME, label={"en": "seen", "fr": "vu le"}),
    Field(
        key="shape",
        type=FieldType.ORIENTATION,
        label={"en": "shape", "fr": "format"},
    ),
    Field(key="hue", type=FieldType.COLOUR, label={"en": "hue", "fr": "teinte"}),
    Field(key="stock", type=FieldType.BOOLEAN, label={"en": "stock", "fr": "stock"}),
)
REGISTRY = trees.registry_of(FIELDS)


@pytest.mark.parametrize(
    ("text", "english", "french"),
    [
        ("(and)", "everything", "tout"),
        (
            "(and full_text_search:hybrid_search:calm shape:equals:landscape)",
            "about “calm”; shape: landscape",
            "à propos de « calm » ; format : paysage",
        ),
        (
            "price:less_than:1226.5",
            "price: less than 1,226.5 €",
            "prix : moins de 1 226,5 €",
        ),
        (
            "width:between:[10,200]",
            "width: from 10 cm to 200 cm",
            "largeur : de 10 cm à 200 cm",
        ),
        ('wood:in:["oak","elm"]', "wood: oak or elm", "bois : chêne ou orme"),
        (
            'wood:not_in:["oak","elm"]',
            "wood: none of oak or elm",
            "bois : aucun parmi chêne ou orme",
        ),
        (
            "(and (not made:in_period:last_spring))",
            "not (made: last spring)",
            "sauf (fait le : le printemps dernier)",
        ),
        (
            "made:on_or_before:2026-05-01",
            "made: up to 1 May 2026",
            "fait le : jusqu’à 1er mai 2026",
        ),
        (
            "seen:after:2026-05-01T22:30:00Z",
            "seen: after 2 May 2026 00:30",
            "vu le : après 2 mai 2026 00:30",
        ),
        ("stock:equals:true", "stock: yes", "stock : oui"),
        ("hue:equals:#ff0000", "hue: red (#ff0000)", "teinte : rouge (#ff0000)"),
        (
            "(or wood:equals:oak (and stock:equals:false width:is_empty))",
            "(wood: oak or (stock: no and width missing))",
            "(bois : chêne ou (stock : non et largeur : rien d’indiqué))",
        ),
    ],
)
def test_a_tree_is_one_sentence(text: str, english: str, french: str) -> None:
    said = {lang: describe(tree(text), REGISTRY, lang) for lang in ("en-GB", "fr")}

    plain = str.maketrans("\u202f\u00a0", "  ")
    assert english == said["en-GB"].translate(plain)
    assert french == said["fr"].translate(plain)


def test_changes_and_what_is_unmet_are_said() -> None:
    old = tree("(and wood:equals:oak)")
    changed = merge(old, "refine", tree("wood:equals:elm"), REGISTRY)
    missed = merge(old, "remove", tree("hue"), REGISTRY)

    expected = "wood: elm instead of wood: oak"
    assert expected == describe_changes(changed.changes, REGISTRY, "en")
    expected = "il n’y avait rien à retirer pour teinte"
    assert expected == describe_unmet(missed.unmet, REGISTRY, "fr")


@given(trees.SEEDS)
@settings(max_examples=100, deadline=None)
def test_every_tree_that_runs_can_be_said(seed: int) -> None:
    rng = Random(seed)
    registry = trees.registry(rng)
    checked = check(trees.tree(rng, registry), registry, today=trees.TODAY).require()

    for lang in ("en", "fr"):
        assert (
            describe(checked, registry, lang) == describe(checked, registry, lang) != ""
        )


def test_a_value_that_could_not_be_read_is_said_as_it_was() -> None:
    raw = Group(
        rules=(Rule("made", "before", "soonish"), Rule("hue", "near", "glitter"))
    )

    expected = "made: before soonish; hue: close to glitter"
    assert expected == describe(raw, REGISTRY, "en")


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_each_operator_has_its_words(lang: str) -> None:
    plain = {"equals", "in", "in_period", "with_role", "person_name"}
    spoken = {op for ops in OPERATORS.values() for op in ops} - plain
    templated = {
        op
        for op in spoken
        if not op.startswith(("vocab_", "not_")) and "search" not in op
    }

    assert set() == {
        op for op in templated if f"tree.{op}" not in words(lang, "sentences")
    }

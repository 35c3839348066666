"""Whatever is typed: no exception, and a tree that validates or a question."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.lexicon.sources import contacts, library, shop
from vitrine.lexicon.read import read
from vitrine.registry.profiles import Registry
from vitrine.tree.model import EMPTY, Group, Rule
from vitrine.validate import validate

TODAY = date(2026, 11, 30)
TEXT = """
    lamp lampes oak chêne red rouge or ou and et , ; not pas ne sans without with no
    price prix size taille 38 M L under moins de over plus 50 € euros 2 m 1.5 cm between
    entre last month mois dernier since depuis 2024 1960s années before avant instead of
    plutôt que remove enlève also aussi start over cheaper moins cher Marie to à by par
    Jane Doe VIP client suppliers newsletter " « » ( ) ? ! landscape en paysage for the
    pour l'en-tête new neither nor ni sauf except never jamais unknown inconnu title is
    contains 1/2 10k -3 #f00 * and/or … 2024-13-45 31/02/2020 99999999999999999999
"""
WORDS = TEXT.split()
# what is said can still be impossible: the turn then asks
IMPOSSIBLE = {"bad_value", "out_of_range"}
REGISTRIES = {"shop": shop(), "library": library(), "contacts": contacts()}
TREE = Group("and", (Rule("price", "less_than", 100), Rule("colour", "equals", "Red")))


def check(message: str, registry: Registry, tree: Group, language: str) -> None:
    turn = read(message, tree, registry, today=TODAY, language=language)

    if turn.intent in {"reset", "clarify"}:
        assert turn.delta == EMPTY
        return
    loose = turn.intent == "remove"
    found = validate(turn.delta, registry, today=TODAY, language=language, loose=loose)
    assert turn.delta
    assert [f for f in found.faults if f.code not in IMPOSSIBLE] == []


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", REGISTRIES)
@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
def test_any_words_are_read_or_asked_about(
    name: str, language: str, words: list[str]
) -> None:
    tree = TREE if name == "shop" and len(words) % 2 else EMPTY

    check(" ".join(words), REGISTRIES[name], tree, language)


@settings(max_examples=120, deadline=None)
@given(message=st.text(max_size=80))
def test_any_characters_are_read_or_asked_about(message: str) -> None:
    check(message, shop(), TREE, "fr")

"""Quotation marks of every kind, and apostrophes that quote nothing."""

from __future__ import annotations

import pytest

from tests.unit.lexicon.sources import shop
from vitrine.lexicon.quotes import propose
from vitrine.lexicon.sentence import sentence


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (["Le Cap"], 'from "Le Cap" on'),
        (["Le Cap"], "from 'Le Cap'?"),
        (["Le Cap"], "from `` Le Cap '' ."),
        (["slim line"], "dont le nom contient « slim line »"),
        (["Ali", "New Bay"], "'Ali' or 'New Bay'"),
        (["Father's Day"], "the film 'Father's Day'"),
        (["Last Call"], 'who wrote "Last Call?'),
        ([], "the players' names"),
        ([], "l'été d'une ville"),
        ([], 'nothing: ""'),
    ],
)
def test_quotes(expected: list[str], message: str) -> None:
    said = sentence(message, shop(), "en")

    assert expected == [find.what for find in propose(said)]

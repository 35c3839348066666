"""The words of texts and queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.problems import Invalid
from vitrine.typesense.words import Terms, edits, nearest, terms, words


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (("ecran",), "l'écran"),
        (("ecran",), "L’écran"),
        (("t", "shirt"), "T-shirt"),
        (("10", "5", "cm"), "10.5\u00a0cm"),
        (("6205", "2rs"), "6205-2RS"),
        (("日本語",), "日本語"),
        (("hidden", "true"), "`) || hidden:=true"),
        ((), "* ! — 🎁"),
    ],
)
def test_a_text_is_cut_into_folded_words(expected: tuple[str, ...], text: str) -> None:
    assert expected == words(text)


@given(st.text())
def test_a_word_is_never_cut_by_the_server(text: str) -> None:
    found = words(text)

    assert all(0 < len(word.encode()) <= 100 for word in found)
    assert found == words(" ".join(found))


@pytest.mark.parametrize(
    ("expected", "query"),
    [
        (Terms((("oak", "lamp"),)), "oak lamp oak"),
        (Terms((("oak",),), ("chair",)), "oak -chair"),
        (Terms((("ts01", "h", "18011", "005"),)), "TS01-H-18011-005"),  # S03
        (Terms((("oak", "lamp"),), (), phrase=True), '"oak lamp"'),
        (Terms((("oak",),), ("bed", "linen"), phrase=True), 'oak -"bed linen"'),
        (Terms((("oak",),)), "*oak*"),
        (Terms((("table", "chene"),)), "une table en chêne pour le"),
        (Terms((("the",),)), "the"),
        (Terms((("oak",), ("white", "lamp"))), "oak or white lamp"),
        (Terms((("chene",), ("noyer",))), "ou chêne ou noyer ou"),
        (Terms((("ou",),)), '"ou"'),
        (Terms((("oak",), ("pine",)), ("red",)), "oak -red OR pine"),
    ],
)
def test_a_query_says_what_is_wanted_and_what_not(expected: Terms, query: str) -> None:
    assert expected == terms(query)


@pytest.mark.parametrize("query", ["", "*", "**", "-oak", '""', "!!!", "  ", "🎁"])
def test_a_query_without_a_wanted_word_is_no_listing(query: str) -> None:
    with pytest.raises(Invalid):
        terms(query)


def test_a_query_has_a_bounded_number_of_words() -> None:
    with pytest.raises(Invalid):
        terms(" ".join(f"w{n}" for n in range(31)))


@pytest.mark.parametrize(
    ("expected", "one", "other"),
    [
        (0, "oak", "oak"),
        (1, "oka", "oak"),
        (1, "lampe", "lamp"),
        (2, "lampadere", "lampadaire"),
        (3, "oak", "xyz"),
        (3, "oak", "oakzzzzzz"),
    ],
)
def test_edits_count_swaps_as_one(expected: int, one: str, other: str) -> None:
    assert expected == edits(one, other, 2)


def test_the_nearest_word_is_close_then_frequent_then_first() -> None:
    counted = {"lampes": 3, "lampee": 9, "lampadaire": 90}

    assert nearest("lampe", counted, 1) == "lampee"
    assert nearest("zzz", counted, 1) is None

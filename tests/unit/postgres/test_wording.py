"""Queries in websearch syntax, before PostgreSQL reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.postgres.wording import wording


@pytest.mark.parametrize(
    ("said", "lang", "expected"),
    [
        ("calm sea", "en", "calm sea"),
        ("les étés à Paris", "fr", "étés Paris"),
        ("calme ou serein", "fr", "calme or serein"),
        ("calme OU serein", "fr", "calme or serein"),
        ("calm OR serene", "en", "calm or serene"),
        ("où est le phare", "fr", "phare"),
        ("TS01-H-18011-005", "en", '"TS01-H-18011-005"'),
        ("a -b", "en", "-b"),
        ("sea -storm", "en", "sea -storm"),
        ("sea - storm", "en", "sea storm"),
        ("sea --storm", "en", "sea -storm"),
        ('"open sea', "en", '"open sea"'),
        ('-"open sea" sky', "en", '-"open sea" sky'),
        ("l'été", "fr", '"l\'été"'),
        ("jean.dupont@poste.fr", "fr", '"jean.dupont@poste.fr"'),
        ("or calm", "en", "calm"),
        ("A lamp, (bright) chair.", "en", "lamp bright chair"),
        ("-storm, C++ a.b.", "en", '-storm "C++" "a.b."'),
        ("+++ !! ()", "en", ""),
        ("a\x00b \ud800", "en", "b"),
        ("5'3\"", "en", '"5\'3"'),
    ],
)
def test_traps_are_closed(said: str, lang: str, expected: str) -> None:
    """S03: a hyphen within a word is part of it."""
    assert expected == wording(said, lang).text


@given(st.text(max_size=60), st.sampled_from(["fr", "en", "de"]))
def test_wording_is_idempotent_and_safe(said: str, lang: str) -> None:
    once = wording(said, lang)

    assert once.text == wording(once.text, lang).text
    assert "\x00" not in once.text
    once.text.encode()


@pytest.mark.parametrize(
    ("said", "lang", "expected"),
    [
        ("quelque chose de calme pour la newsletter", "fr", False),
        ("un canapé bleu dans un salon, près d'une fenêtre ouverte", "fr", True),
        ("red oak table", "en", False),
        ("a red table of oak for the hall", "en", True),
        ("round red oak table", "en", True),
        ("red red red red red red", "en", False),
        ("red -oak -ash -elm -fir -yew", "en", False),
        ("oak or ash or elm or fir or yew", "en", True),
    ],
)
def test_a_sentence_says_four_things(said: str, lang: str, expected: bool) -> None:
    assert expected == wording(said, lang).is_sentence


def test_what_is_denied_is_kept_apart() -> None:
    read = wording('sea -"open water" or sky -storm', "en")

    assert ("sea", "sky") == tuple(t.text for t in read.wanted)
    assert read.denied == '-"open water" -storm'


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("armch", ("armch",)),
        ("red armch", ("red", "armch")),
        ("ab", None),
        ("a -b", None),
        ('"red armchair"', None),
        ("red or blue", None),
        ("6205-2RS", None),
    ],
)
def test_only_plain_words_have_prefixes(
    said: str, expected: tuple[str, ...] | None
) -> None:
    assert expected == wording(said, "fr").prefixes


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Fauteuïl", "fauteuil"),
        ("lit", None),
        ("2024", None),
        ("a" * 41, None),
        ("-fauteuil", None),
        ('"fauteuil"', None),
    ],
)
def test_only_plain_longer_words_are_corrected(said: str, expected: str | None) -> None:
    (term,) = wording(said, "en").terms

    assert expected == term.correctable

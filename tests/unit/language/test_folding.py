import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.folding import detect, fold, squash, stem, tokens


@pytest.mark.parametrize(
    ("folded", "text"),
    [
        ("oeuvre", "Œuvre"),
        ("ex aequo", "ex æquo"),
        ("strasse", "Straße"),
        ("l'ete", "L’été"),
        ("14 000", "14\u202f000"),
        ("a b", "  a\u00a0 b "),
        ("m2", "m²"),
        ("がらす", "がらす"),
        ("lodz", "Łódź"),
    ],
)
def test_case_accents_ligatures_and_spaces_fold(folded: str, text: str) -> None:
    assert folded == fold(text)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    once = fold(text)

    assert once == fold(once)


@given(st.text())
def test_folding_does_not_depend_on_the_normal_form(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(
        unicodedata.normalize("NFD", text)
    )


@given(st.text(max_size=80))
def test_tokens_lie_in_order_and_carry_their_own_text(text: str) -> None:
    found = tokens(text)

    assert [t.text for t in found] == [text[t.start : t.end] for t in found]
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["l'", "en", "tete", "d'", "oeuvre"], "l'en-tête d'œuvre"),
        (["men", "'s", "t", "shirts"], "men's t-shirts"),
        (["don't", "aujourd'hui"], "don't aujourd’hui"),
        (["10", "€", "-", "rouge"], "10€ -rouge"),
        (["6205-2rs", "15/03/2024", "2024-q3"], "6205-2RS 15/03/2024 2024-Q3"),
        (["1.226", "€"], "1.226 €"),
        (["<=", "5"], "<=5"),
    ],
)
def test_sentences_are_cut_at_words_and_signs(words: list[str], text: str) -> None:
    assert words == [token.folded for token in tokens(text)]


@pytest.mark.parametrize(
    "family",
    [
        "imprimé imprimée imprimés imprimées",
        "cheval chevaux",
        "tableau tableaux",
        "blanc blanche blancs blanches",
        "gris grise grises",
        "heureux heureuse",
        "violet violette violettes",
        "beau belle beaux",
    ],
)
def test_french_number_and_gender_share_a_stem(family: str) -> None:
    assert len({stem(word, "fr") for word in family.split()}) == 1


@pytest.mark.parametrize(
    "family",
    [
        "dress dresses",
        "box boxes",
        "watch watches",
        "city cities",
        "movie movies",
        "knife knives",
        "woman women",
    ],
)
def test_english_plurals_share_a_stem(family: str) -> None:
    assert len({stem(word, "en") for word in family.split()}) == 1


@pytest.mark.parametrize(
    ("one", "two"), [("fille", "fil"), ("muse", "musée"), ("fils", "fil")]
)
def test_short_french_words_stay_apart(one: str, two: str) -> None:
    assert stem(one, "fr") != stem(two, "fr")


def test_identifiers_squash_to_letters_and_digits() -> None:
    assert len({squash(code) for code in ("6205-2RS", "62052RS", "6205 2rs")}) == 1


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "red dresses under 2000 rupees"),
        ("fr", "robes rouges à moins de 2000 roupies"),
        ("fr", "seulement pour homme"),
        ("en", "6205-2RS"),
    ],
)
def test_function_words_tell_the_language(lang: str, text: str) -> None:
    assert lang == detect(text)

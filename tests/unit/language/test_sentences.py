from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.folding import tokens
from vitrine.language.periods import MONTHS, normalise_period, resolve_period
from vitrine.language.phrases import find, is_stop, synonyms, translate
from vitrine.language.quantities import find_comparisons, find_numbers
from vitrine.language.sentences import (
    format_date,
    format_number,
    join,
    quote,
    say,
    say_period,
)
from vitrine.language.spoken import find_period, read_period
from vitrine.language.words import language, languages, lexeme, words

LANGS = st.sampled_from(["en", "fr"])


def paths(tree: Any, *, free: bool = False) -> Any:
    """Return the keys of a data file; only irregular words are a language's own."""
    if not isinstance(tree, dict) or free:
        return type(tree).__name__
    return {k: paths(v, free=k in {"irregular", "gaps"}) for k, v in tree.items()}


def test_every_language_fills_the_same_keys() -> None:
    english, *others = (paths(lexeme(lang)) for lang in languages())

    assert all(english == other for other in others)


def test_a_tag_finds_its_language_or_english() -> None:
    assert language("fr-CA") == "fr"
    assert language("zh-Hans") == language(None) == "en"


@pytest.mark.parametrize(
    ("name", "text", "lang"),
    [
        ("last_spring", "not those of last spring", "en"),
        ("last_spring", "pas ceux du printemps dernier", "fr"),
        ("last_month", "le mois dernier", "fr"),
        ("last_30_days", "les 30 derniers jours", "fr"),
        ("last_3_months", "in the last three months", "en"),
        ("since 2024-02", "since February 2024", "en"),
        ("since march", "depuis mars", "fr"),
        ("2019", "in 2019", "en"),
        ("before 2010", "avant 2010", "fr"),
        ("after 1965", "after 1965", "en"),
        ("until 2024-05-12", "jusqu'au 12 mai 2024", "fr"),
        ("since 2019", "2019 or later", "en"),
        ("2010..2015", "entre 2010 et 2015", "fr"),
        ("2010..2015", "2010-2015", "en"),
        ("2025-03..2025-06", "between March and June 2025", "en"),
        ("2025-03..2025-06", "March to June 2025", "en"),
        ("2024-05-12..2024-05-20", "du 12 au 20 mai 2024", "fr"),
        ("2024-05-12", "le 12 mai 2024", "fr"),
        ("2024-05-12", "May 12th, 2024", "en"),
        ("may_1", "1er mai", "fr"),
        ("2024-03-15", "15/03/2024", "fr"),
        ("1960s", "from the 1960s", "en"),
        ("century_19", "du XIXe siècle", "fr"),
        ("next_week", "la semaine prochaine", "fr"),
        ("summer_2024", "l'été 2024", "fr"),
        ("2024-Q3", "third quarter of 2024", "en"),
        ("3_days_ago", "il y a 3 jours", "fr"),
        ("today", "aujourd'hui", "fr"),
        ("last_weekend", "le week-end dernier", "fr"),
        ("yesterday", "last day", "en"),
        ("monday", "on Monday", "en"),
        ("2024-W05", "week 5 of 2024", "en"),
        ("last_1_weeks", "in the past week", "en"),
        ("century_18..century_19", "18th and 19th centuries", "en"),
        ("century_18..century_19", "du XVIIIe au XIXe siècle", "fr"),
    ],
)
def test_periods_are_found_as_people_say_them(name: str, text: str, lang: str) -> None:
    assert [name] == [span.name for span in find_period(tokens(text), lang)]


@pytest.mark.parametrize(
    ("names", "text", "lang"),
    [
        (["day_12"], "on the 12th", "en"),
        (["march_3..march_8"], "from March 3rd to the 8th", "en"),
        (["this_month_3..this_month_8"], "from the 3rd of this month to the 8th", "en"),
        (["2026-03-03..2026-03-08"], "from March 3rd, 2026 to the 8th", "en"),
        (["friday_next_week"], "Friday next week", "en"),
        (["friday_next_week"], "vendredi de la semaine prochaine", "fr"),
        (["next_month_5"], "le 5 du mois prochain", "fr"),
        (["day_12"], "le 12", "fr"),
        ([], "the 3rd floor", "en"),
        ([], "how may I help", "en"),
        (["may"], "in may", "en"),
        ([], "what is on now", "en"),
    ],
)
def test_days_are_found_without_their_month(
    names: list[str], text: str, lang: str
) -> None:
    assert names == [span.name for span in find_period(tokens(text), lang)]


def test_decades_share_their_plural() -> None:
    found = find_period(tokens("des années 1960 et 1970"), "fr")

    assert [span.name for span in found] == ["1960s", "1970s"]


@pytest.mark.parametrize("text", ["over 2000 euros", "from 2000 euros", "12 shirts"])
def test_an_amount_is_no_year(text: str) -> None:
    assert find_period(tokens(text), "en") == []


@pytest.mark.parametrize(
    ("name", "other", "lang"),
    [("2024-03-04", "2024-04-03", "en"), ("2024-04-03", "2024-03-04", "fr")],
)
def test_a_numeric_date_follows_the_locale_and_tells_the_other(
    name: str, other: str, lang: str
) -> None:
    (span,) = find_period(tokens("03/04/2024"), lang)

    assert (name, other) == (span.name, span.other)


def test_a_year_that_nothing_introduces_is_marked() -> None:
    assert find_period(tokens("casio 2000"), "en")[0].bare
    assert not find_period(tokens("casio in 2000"), "en")[0].bare


@pytest.mark.parametrize("text", ["last_spring", "Last spring", "the last spring"])
def test_a_whole_text_reads_as_a_period(text: str) -> None:
    assert read_period(text, "en") == "last_spring"


@given(st.text(max_size=60), LANGS)
def test_found_periods_are_canonical_and_apart(text: str, lang: str) -> None:
    found = find_period(tokens(text), lang)

    assert all(normalise_period(span.name) == span.name for span in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize(
    ("operator", "low", "high", "unit", "text", "lang"),
    [
        ("less_than", 2000, None, "INR", "under 2000 rupees", "en"),
        ("less_than", 2000, None, "INR", "à moins de 2 000 roupies", "fr"),
        ("greater_than", 3, None, "m", "de plus de 3 m de large", "fr"),
        ("greater_or_equal", 50, None, "cm", "profondeur minimale 50 cm", "fr"),
        ("less_or_equal", 1200, None, None, "no more than 1200", "en"),
        ("greater_than", 5_000_000, None, "EUR", "plus de 5 millions d'euros", "fr"),
        ("greater_or_equal", 50, None, "EUR", "50 € ou plus", "fr"),
        ("greater_or_equal", 4, None, None, "4 stars or more", "en"),
        ("between", 10, 20, "cm", "entre 10 et 20 cm", "fr"),
        ("between", 10, 20, "USD", "from $10 to $20", "en"),
        ("between", 10, 20, "EUR", "10-20€", "fr"),
        ("between", 5000, 10_000, None, "5k to 10k", "en"),
        ("greater_or_equal", 5, None, None, "≥ 5", "en"),
        ("greater_than", 21, None, None, "more than twenty-one", "en"),
    ],
)
def test_comparisons_are_found_with_amount_and_unit(
    *, operator: str, low: int, high: int | None, unit: str | None, text: str, lang: str
) -> None:
    (found,) = find_comparisons(tokens(text), lang)

    assert operator == found.operator
    assert (low, high) == (found.low.amount, found.high.amount if found.high else None)
    assert unit == (found.low.currency or found.low.unit)


@pytest.mark.parametrize(
    ("dimension", "operator", "text", "lang"),
    [
        ("height", "greater_than", "taller than 2 metres", "en"),
        ("depth", "greater_or_equal", "at least 50 cm deep", "en"),
        ("width", "greater_than", "plus de 3 m de large", "fr"),
        ("price", "less_than", "moins cher que 50 €", "fr"),
        ("height", "greater_or_equal", "au moins 1 m 20 de haut", "fr"),
        ("weight", "greater_than", "weighing more than 2 kg", "en"),
    ],
)
def test_the_words_around_an_amount_name_its_dimension(
    dimension: str, operator: str, text: str, lang: str
) -> None:
    (found,) = find_comparisons(tokens(text), lang)

    assert (dimension, operator) == (found.dimension, found.operator)


@pytest.mark.parametrize(
    ("amounts", "text", "lang"),
    [
        (["12", "256"], "iphone 12 256 GB", "en"),
        (["12500"], "12 500 images", "fr"),
        (["1000000"], "1 000 000 views", "en"),
        ([], "un château ou un pont", "fr"),
        (["5"], "5 in red", "en"),
        (["-5"], "below -5", "en"),
        (["21"], "twenty-one prints", "en"),
    ],
)
def test_numbers_are_found_and_articles_are_not(
    amounts: list[str], text: str, lang: str
) -> None:
    found = find_numbers(tokens(text), lang)

    assert amounts == [str(quantity.amount) for quantity in found]


def test_c01_a_number_in_a_sentence_keeps_its_second_reading() -> None:
    (quantity,) = find_numbers(tokens("plus de 1.226 km"), "fr")

    assert (quantity.amount, quantity.other) == (Decimal(1226), Decimal("1.226"))


@given(st.text(max_size=60), LANGS)
def test_scanning_any_text_stays_inside_it(text: str, lang: str) -> None:
    found = tokens(text)

    assert all(q.end <= len(found) for q in find_numbers(found, lang))
    assert all(c.end <= len(found) for c in find_comparisons(found, lang))


@pytest.mark.parametrize(
    ("key", "table", "text", "lang"),
    [
        ("reset", "edits", "Start over", "en"),
        ("remove", "edits", "enlève le filtre", "fr"),
        ("price-", "comparatives", "moins chères", "fr"),
        ("except", "negation", "sauf les rouges", "fr"),
        ("landscape", "orientation", "en paysage", "fr"),
        ("without", "nulls", "without a price", "en"),
    ],
)
def test_cues_are_found_by_their_longest_phrase(
    key: str, table: str, text: str, lang: str
) -> None:
    assert key == find(tokens(text), lang, table)[0].key


def test_an_accent_counts_where_it_parts_two_words() -> None:
    assert find_period(tokens("dès 2020"), "fr")[0].name == "since 2020"
    assert find_period(tokens("des 2020"), "fr")[0].name == "2020"
    assert find(tokens("rouge ou bleu"), "fr", "questions") == []


def test_everyday_words_translate_both_ways() -> None:
    assert "robe" in translate("dresses", "en", "fr")
    assert "dress" in translate("robes", "fr", "en")
    assert "gown" in synonyms("robe", "fr")
    assert translate("zzz", "en", "fr") == ()


@pytest.mark.parametrize("text", ["les", "à"])
def test_french_articles_are_stop_words(text: str) -> None:
    assert is_stop(tokens(text)[0], "fr")


@pytest.mark.parametrize(
    ("said", "count", "lang"),
    [
        ("1 result", 1, "en"),
        ("0 results", 0, "en"),
        ("0 résultat", 0, "fr"),
        ("1\u202f200 résultats", 1200, "fr"),
    ],
)
def test_sentences_agree_in_number(said: str, count: int, lang: str) -> None:
    assert said == say("results", lang, count=count)


def test_lists_numbers_dates_and_quotes_follow_the_locale() -> None:
    assert join(["a", "b", "c"], "fr") == "a, b et c"
    assert join(["a", "b"], "en", "or") == "a or b"
    assert format_number(1226.5, "fr") == "1\u202f226,5"
    assert format_date(date(2024, 5, 1), "fr") == "1er mai 2024"
    assert format_date(date(2024, 5, 12), "en") == "12 May 2024"
    assert quote("x", "fr") == "«\u00a0x\u00a0»"


def test_an_unknown_sentence_is_an_error() -> None:
    with pytest.raises(KeyError):
        say("no.such.key", "en")


@pytest.mark.parametrize(
    ("said", "name", "lang"),
    [
        ("le printemps dernier", "last_spring", "fr"),
        ("the last 30 days", "last_30_days", "en"),
        ("depuis le 12 mai 2024", "since 2024-05-12", "fr"),
        ("jusqu’au 12 mai 2024", "until 2024-05-12", "fr"),
        ("entre mars 2025 et juin 2025", "2025-03..2025-06", "fr"),
        ("the 19th century", "century_19", "en"),
        ("Q3 2024", "2024-Q3", "en"),
        ("last Monday", "last_monday", "en"),
        ("soon", "soon", "en"),
    ],
)
def test_periods_are_said_in_the_language(said: str, name: str, lang: str) -> None:
    assert said == say_period(name, lang)


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize(
    "name",
    [
        *(
            "today",
            "last_weekend",
            "last_half",
            "next_summer",
            "may_12",
            "monday",
            "q3",
        ),
        *("last_1_years", "next_2_weeks", "3_days_ago", "winter_2023", "2024-W05"),
        *("2024-H1", "1990s", "since last_month", "before q2", *MONTHS),
    ],
)
def test_every_name_resolves_and_can_be_said(name: str, lang: str) -> None:
    assert resolve_period(name, date(2026, 11, 30))
    assert "{" not in say_period(name, lang)


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_every_colour_code_of_the_lists_is_written_canonically(lang: str) -> None:
    codes = list(words(lang, "colours/names"))

    assert codes == [code.lower() for code in codes if len(code) == 7]

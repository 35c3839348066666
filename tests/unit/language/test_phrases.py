from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.language.folding import tokens
from vitrine.language.phrases import find, phrases
from vitrine.language.words import words

TABLES = [
    *("comparison/before", "comparison/after", "comparatives", "superlatives"),
    *("dimensions", "negation", "conjunctions", "edits", "booleans", "nulls"),
    *("orientation", "questions", "sorting", "colours/names", "concepts", "units"),
    *("currencies", "calendar/quarters", "periods/bounds", "periods/after", "clock"),
]


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("table", TABLES)
def test_every_phrase_of_the_data_finds_itself(table: str, lang: str) -> None:
    compiled = phrases(lang, table)

    for key, names in words(lang, table).items():
        for name in names:
            found = tokens(name)
            span = compiled.at(found, 0)

            assert span is not None, name
            assert span.end == len(found), name
            assert key in span.keys, name


@given(st.text(max_size=60), st.sampled_from(TABLES), st.sampled_from(["en", "fr"]))
def test_phrases_are_found_in_order_and_apart(text: str, table: str, lang: str) -> None:
    spans = find(tokens(text), lang, table)

    assert spans == sorted(spans, key=lambda span: span.start)
    assert all(a.end <= b.start for a, b in pairwise(spans))

"""Readable labels to codes."""

from __future__ import annotations

from random import Random
from string import ascii_lowercase
from time import process_time

import pytest

from vitrine.registry.fields import Choice, Field
from vitrine.registry.operators import FieldType
from vitrine.search.engine import Found
from vitrine.typesense.labels import resolved, similarity

BRAND = Field(
    key="brand",
    type=FieldType.VOCABULARY,
    label={"en": "brand"},
    choices=(
        Choice(value="Terre d'Ocre", code="b1", labels={"en": "Ochre", "fr": "Ocre"}),
        Choice(value="Nordvik", code="b2"),
        Choice(value="Écume", code="b3"),
    ),
)


@pytest.mark.parametrize(
    ("expected", "label", "language"),
    [
        (Found(("b1",), ("Ocre",)), "terre d’ocre", "fr"),
        (Found(("b1",), ("Ochre",)), "OCRE", "en"),
        (Found(("b3",), ("Écume",)), "ecume", "fr"),
        (Found(("b2",), ("Nordvik",)), "nordvick", "en"),
        (Found((), (), ("Nordvik", "Ochre", "Écume")), "nordik pole star", "en"),
        (Found((), (), ("Ochre", "Nordvik", "Écume")), "ikea", "en"),
        # a short needle in a long label, a label in a long needle
        (Found(("b1",), ("Ocre",)), "terre", "fr"),
        (Found(("b3",), ("Écume",)), "something by ecume or so", "fr"),
    ],
)
def test_a_label_means_its_code_or_tells_the_nearest(
    expected: Found, label: str, language: str
) -> None:
    assert expected == resolved(BRAND, label, language)


@pytest.mark.parametrize(
    ("expected", "one", "other"),
    # As SELECT similarity(one, other) with pg_trgm.
    [(1.0, "word", "word"), (0.36363637, "word", "two words"), (0.0, "a", "b")],
)
def test_similarity_is_that_of_pg_trgm(expected: float, one: str, other: str) -> None:
    assert expected == pytest.approx(similarity(one, other))


def test_a_list_of_labels_that_mean_nothing_costs_little() -> None:
    rng = Random(1)
    words = ["".join(rng.choices(ascii_lowercase, k=7)) for _ in range(3_000)]
    choices = tuple(
        Choice(value=" ".join(rng.sample(words, 3)), code=f"c{n}") for n in range(5_000)
    )
    field = Field(key="v", type=FieldType.VOCABULARY, label={}, choices=choices)
    resolved(field, "first", "en")
    start = process_time()

    for number in range(200):
        resolved(field, f"nothing of this kind {number}", "en")

    assert process_time() - start < 5

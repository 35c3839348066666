"""Readable labels to codes."""

from __future__ import annotations

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
        (Found((), (), ("Nordvik", "Ochre", "Écume")), "ikea", "en"),
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

from __future__ import annotations

import pytest

from vitrine.disclosure.bands import band
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType

PRICE = Field(key="price", type=FieldType.NUMBER, label={"en": "price"}, currency="EUR")
WIDTH = Field(key="width", type=FieldType.NUMBER, label={"en": "width"}, unit="cm")


@pytest.mark.parametrize(
    ("field", "stored", "tongue", "expected"),
    [
        (PRICE, "10000..20000", "en", ("100..200", "€100.00 – €200.00")),
        (PRICE, "..2550", "en", ("..25.5", "under €25.50")),
        (PRICE, "150000..", "fr", ("1500..", "à partir de 1 500,00 €")),
        (WIDTH, "20..40", "fr", ("20..40", "20 cm – 40 cm")),
        (WIDTH, "37", "en", ("37", "37")),
    ],
)
def test_a_band_is_told_in_the_unit_that_filters_take(
    field: Field, stored: str, tongue: str, expected: tuple[str, str]
) -> None:
    value, label = band(field, stored, tongue)

    spaced = label.replace("\N{NO-BREAK SPACE}", " ").replace("\u202f", " ")
    assert expected == (value, spaced)

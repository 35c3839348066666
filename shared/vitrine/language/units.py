"""Units of measure, with exact factors, and their conversion.

Factors are exact by definition: the SI Brochure (9th edition) for metric units,
the international yard and pound agreement of 1959 for inch to pound, IEC
80000-13 for binary sizes. A month and a year have no length in days, so they
are a kind of their own.
"""

import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Any, Final

from vitrine.language.coercion import shown, to_decimal
from vitrine.language.folding import fold
from vitrine.language.numbers import Ambiguous, Reading, Unreadable, parse_number, parts
from vitrine.language.words import FALLBACK, words

__all__ = [
    "KINDS",
    "Measure",
    "convert",
    "kind_of",
    "parse_measure",
    "to_unit",
    "unit_of",
]

# kind: unit → how many of the kind's first unit
KINDS: Final[dict[str, dict[str, str]]] = {
    "length": {
        "m": "1",
        "mm": "0.001",
        "cm": "0.01",
        "dm": "0.1",
        "km": "1000",
        "in": "0.0254",
        "ft": "0.3048",
        "yd": "0.9144",
        "mi": "1609.344",
        "nmi": "1852",
    },
    "area": {
        "m2": "1",
        "mm2": "0.000001",
        "cm2": "0.0001",
        "km2": "1000000",
        "ha": "10000",
        "ac": "4046.8564224",
        "ft2": "0.09290304",
        "in2": "0.00064516",
    },
    "mass": {
        "g": "1",
        "mg": "0.001",
        "kg": "1000",
        "t": "1000000",
        "oz": "28.349523125",
        "lb": "453.59237",
    },
    "volume": {
        "l": "1",
        "ml": "0.001",
        "cl": "0.01",
        "dl": "0.1",
        "m3": "1000",
        "cm3": "0.001",
        "gal": "3.785411784",
        "pt": "0.473176473",
        "floz": "0.0295735295625",
    },
    "duration": {
        "s": "1",
        "ms": "0.001",
        "min": "60",
        "h": "3600",
        "d": "86400",
        "wk": "604800",
    },
    "months": {"mo": "1", "yr": "12"},
    "data": {
        "B": "1",
        "bit": "0.125",
        "kB": "1e3",
        "MB": "1e6",
        "GB": "1e9",
        "TB": "1e12",
        "PB": "1e15",
        "KiB": "1024",
        "MiB": "1048576",
        "GiB": "1073741824",
        "TiB": "1099511627776",
    },
    "temperature": {"K": "1", "C": "1", "F": "1"},
    "speed": {"ms1": "3.6", "kmh": "1", "mph": "1.609344"},
    "power": {"W": "1", "kW": "1000", "hp": "745.69987158227022"},
    "frequency": {"Hz": "1", "kHz": "1e3", "MHz": "1e6", "GHz": "1e9"},
    "voltage": {"V": "1"},
    "charge": {"mAh": "1"},
    "pixels": {"px": "1", "Mpx": "1e6"},
    "density": {"dpi": "1"},
    "ratio": {"pct": "1"},
}
_KIND_OF: Final = {unit: kind for kind, units in KINDS.items() for unit in units}
_NINE_FIFTHS: Final = Decimal("1.8")
_ZERO_C: Final = Decimal("273.15")
_ZERO_F: Final = Decimal("459.67")

_FEET: Final = re.compile(
    r"(\d+)\s*(?:'|ft|feet|foot)\s*(\d+(?:\.\d+)?)\s*(?:\"|''|in)?"
)
_METRES: Final = re.compile(r"(\d+)\s*m\s*(\d{2})(?:\s*cm)?")


@dataclass(frozen=True, slots=True)
class Measure:
    """An amount in a unit, with the reading that the locale did not choose."""

    amount: Decimal
    unit: str | None
    other: Decimal | None = None


def kind_of(unit: str) -> str | None:
    """Return what a unit measures (length, mass …), None for an unknown one."""
    return _KIND_OF.get(unit)


def convert(amount: Decimal, source: str, target: str) -> Decimal:
    """Convert an amount between two units of one kind, to 28 digits.

    Raises Unreadable where the units measure different things.
    """
    kind = _KIND_OF.get(source)
    if kind is None or kind != _KIND_OF.get(target):
        raise Unreadable(f"{source} cannot be converted to {target}.")
    if source == target:
        return amount
    with localcontext() as context:
        context.prec = 40
        wide = _changed(amount, source, target, kind)
    with localcontext() as context:
        context.prec = 28
        return _plain(+wide)


def _changed(amount: Decimal, source: str, target: str, kind: str) -> Decimal:
    if kind == "temperature":
        return _from_kelvin(_to_kelvin(amount, source), target)
    units = KINDS[kind]
    return amount * Decimal(units[source]) / Decimal(units[target])


def _to_kelvin(amount: Decimal, unit: str) -> Decimal:
    if unit == "F":
        return (amount + _ZERO_F) / _NINE_FIFTHS
    return amount + _ZERO_C if unit == "C" else amount


def _from_kelvin(amount: Decimal, unit: str) -> Decimal:
    if unit == "F":
        return amount * _NINE_FIFTHS - _ZERO_F
    return amount - _ZERO_C if unit == "C" else amount


def _plain(amount: Decimal) -> Decimal:
    """Drop trailing zeros without falling into exponents: 200, not 2E+2."""
    if amount == amount.to_integral_value():
        return amount.quantize(Decimal(1)) if amount.adjusted() < 28 else amount  # noqa: PLR2004 - the digits of Decimal's context
    return amount.normalize()


@lru_cache(maxsize=16)
def _names(lang: str) -> tuple[dict[str, str], dict[str, str]]:
    table: dict[str, list[str]] = words(lang, "units")
    exact = {name: unit for unit, names in table.items() for name in [*names, unit]}
    folded = {fold(name): unit for name, unit in reversed(exact.items())}
    return exact, folded


def unit_of(name: str, lang: str = FALLBACK) -> str | None:
    """Return the unit of a name or abbreviation; case decides where it can."""
    exact, folded = _names(lang)
    name = name.strip()
    return exact.get(name) or folded.get(fold(name).rstrip("."))


def parse_measure(text: str, lang: str = FALLBACK) -> Measure | None:
    """Read an amount with or without its unit: ``2 m``, ``5'3``, ``1 m 80``."""
    if found := _compound(fold(text)):
        return found
    if (bare := parse_number(text, lang)) is not None:
        return _measure(bare, None)
    for head, tail in parts(text.strip(), lang):
        unit = unit_of(tail, lang)
        reading = parse_number(head, lang) if unit else None
        if reading is not None:
            return _measure(reading, unit)
    return None


def _compound(text: str) -> Measure | None:
    if match := _FEET.fullmatch(text):
        return Measure(Decimal(match[1]) * 12 + Decimal(match[2]), "in")
    if match := _METRES.fullmatch(text):
        return Measure(Decimal(match[1]) * 100 + Decimal(match[2]), "cm")
    return None


def _measure(reading: Reading, unit: str | None) -> Measure:
    if isinstance(reading, Ambiguous):
        return Measure(reading.value, unit, reading.other)
    return Measure(reading, unit)


def to_unit(value: Any, unit: str, lang: str = FALLBACK) -> Decimal:
    """Return a value in a field's unit: ``2 m`` on a cm field is 200.

    A bare number is in the field's unit already. Raises Unreadable for text
    with two readings, an unknown unit, or one that measures something else.
    """
    if not isinstance(value, str):
        return to_decimal(value, lang)
    found = parse_measure(value, lang)
    if found is None:
        raise Unreadable(f"{shown(value)} is not an amount in {unit}.")
    if found.other is not None:
        raise Unreadable(
            f"{shown(value)} can be read as {found.amount} or {found.other}; "
            "write the number without a group mark."
        )
    return convert(found.amount, found.unit or unit, unit)

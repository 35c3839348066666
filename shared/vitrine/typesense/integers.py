"""Numbers, dates and times as int64, so that every comparison is exact.

The server's own ``float`` has 32 bits: 16777216 equals 16777217 there.
Money is whole cents, whole numbers are themselves, other numbers are millionths,
dates are days and instants microseconds since 1970, times microseconds since
midnight. An instant without a zone is taken as UTC.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from functools import lru_cache
from typing import Any

from vitrine.registry.capabilities import WHOLE, EngineName, reach
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType

SMALLEST = -(2**63) + 1
LARGEST = 2**63 - 1
MILLION = 1_000_000
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = 16
_BASE = 16

ORDERED = frozenset(
    {FieldType.NUMBER, FieldType.DATE, FieldType.DATETIME, FieldType.TIME}
)


def scale(field: Field) -> int:
    """Give the integers per unit: one for cents and whole numbers, else a million."""
    return 1 if field.integer or field.currency else MILLION


def stored(field: Field, value: Any) -> int:
    """Turn a record's value into its integer; raise ``ValueError`` if none fits.

    Decimals are rounded to millionths, half to even; whole numbers and cents must
    be whole.
    """
    whole = _whole(field, value)
    # Refused at import: a value that no filter can name again would be shown and never
    # be found.
    least, most = _limits_of(field)
    if not least <= whole <= most:
        raise ValueError("more than this field can hold")
    return whole


def _limits_of(field: Field) -> tuple[int, int]:
    """Give the integers that a filter can name again, and no others."""
    if field.type is not FieldType.NUMBER:
        return SMALLEST, LARGEST
    least, most = reach(EngineName.TYPESENSE, field)
    per_unit = scale(field)
    if field.currency:
        return -int(WHOLE), int(WHOLE)
    return int(least * per_unit), int(most * per_unit)


def _whole(field: Field, value: Any) -> int:
    if field.type is not FieldType.NUMBER:
        return moment(field.type, value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("not a number")  # noqa: TRY004 - one kind of fault
    scaled = _scaled(field, value)
    if scale(field) == 1 and scaled != scaled.to_integral_value():
        raise ValueError("not a whole number")
    return int(scaled.to_integral_value(ROUND_HALF_EVEN))


def _scaled(field: Field, value: float | Decimal) -> Decimal:
    number = Decimal(str(value))
    if not number.is_finite() or number.adjusted() > 30:  # noqa: PLR2004 - far past 2**63
        raise ValueError("outside of 64 bits")
    return number * scale(field)


def moment(kind: FieldType, value: Any) -> int:
    """Turn an ISO date, instant or time, or such an object, into its integer.

    A date or an instant may also be in seconds since 1970, as Typesense keeps them.
    """
    if kind is FieldType.DATE:
        return _date(value).toordinal() - _EPOCH_DAY
    if kind is FieldType.TIME:
        at = value if isinstance(value, time) else time.fromisoformat(str(value))
        seconds = (at.hour * 60 + at.minute) * 60 + at.second
        return seconds * MILLION + at.microsecond
    return (instant(value) - _EPOCH) // timedelta(microseconds=1)


def instant(value: Any) -> datetime:
    """Read an ISO instant, such an object, or seconds since 1970; UTC unless said."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return _EPOCH + _since(value)
    at = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _since(seconds: float | Decimal) -> timedelta:
    try:
        since = timedelta(seconds=float(seconds))
        _ = _EPOCH + since
    except OverflowError:
        raise ValueError("not a moment of this calendar") from None
    return since


def _date(value: Any) -> date:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return instant(value).date()
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else date.fromisoformat(str(value))


def shown(field: Field, whole: int) -> str:
    """Give an integer back as a plain decimal or an ISO date, instant or time."""
    if field.type is FieldType.NUMBER:
        return f"{(Decimal(whole) / scale(field)).normalize():f}"
    if field.type is FieldType.DATE:
        return date.fromordinal(whole + _EPOCH_DAY).isoformat()
    instant = _EPOCH + timedelta(microseconds=whole)
    return (instant.time() if field.type is FieldType.TIME else instant).isoformat()


def member(field: Field, value: Any) -> int | None:
    """Turn a wanted value into its integer, None where no record can hold it."""
    low, high = span(field, value, value)
    return low if low == high else None


def span(
    field: Field,
    low: Any,
    high: Any,
    *,
    low_open: bool = False,
    high_open: bool = False,
) -> tuple[int, int]:
    """Give the closed range of integers between two bounds, empty if low > high.

    An absent bound is the smallest or largest integer.
    """
    first = SMALLEST if low is None else _bound(field, low, upper=False, out=low_open)
    last = LARGEST if high is None else _bound(field, high, upper=True, out=high_open)
    return max(first, SMALLEST), min(last, LARGEST)


def _bound(field: Field, value: Any, *, upper: bool, out: bool) -> int:
    if field.type is not FieldType.NUMBER:
        whole = moment(field.type, value)
        exactly = True
    else:
        number = Decimal(str(value))
        if not number.is_finite() or number.adjusted() > 30:  # noqa: PLR2004 - far past 2**63
            return LARGEST + 1 if number > 0 else SMALLEST - 1
        scaled = number * scale(field)
        # Inwards: between two integers there is no stored value that the bound could
        # part.
        rounding = ROUND_FLOOR if upper else ROUND_CEILING
        whole = int(scaled.to_integral_value(rounding))
        exactly = whole == scaled
    step = -1 if upper else 1
    return whole + step if out and exactly else whole


def prefixes(whole: int) -> list[str]:
    """Give the hexadecimal prefixes of an integer, shortest first."""
    # Shifted above zero: so the order of the digits is that of the numbers, negative
    # ones too.
    digits = f"{whole + 2**63:016x}"
    return [digits[:length] for length in range(1, _DIGITS + 1)]


def cover(low: int, high: int) -> list[str]:
    """Give the fewest prefixes that cover a closed range exactly: at most 464.

    One of a document's own prefixes is among them if and only if its number lies
    in the range, which a list of strings can also deny; numeric filters can't say
    "none of the values" (Typesense 0.24.1).
    """
    found: list[str] = []
    first, last = low + 2**63, high + 2**63
    for length in range(_DIGITS, 0, -1):
        # What does not fill a longer block stays at this length, at both ends.
        inner = -(-first // _BASE), (last + 1) // _BASE
        if length == 1 or inner[0] >= inner[1]:
            found += (f"{n:0{length}x}" for n in range(first, last + 1))
            break
        ends = (range(first, inner[0] * _BASE), range(inner[1] * _BASE, last + 1))
        found += (f"{n:0{length}x}" for end in ends for n in end)
        first, last = inner[0], inner[1] - 1
    return found


def band(field: Field, whole: int) -> str:
    """Name the band of an integer: ``b`` and how many of the steps it reaches."""
    return f"b{bisect_right(_limits(field.steps, scale(field)), whole)}"


@lru_cache
def _limits(steps: tuple[float, ...], per_unit: int) -> tuple[int, ...]:
    scaled = (Decimal(str(step)) * per_unit for step in sorted(steps))
    return tuple(int(s.to_integral_value(ROUND_CEILING)) for s in scaled)


def band_shown(field: Field, name: str) -> str:
    """Give a band's bounds, ``low..high`` in the field's unit, high excluded.

    The first band has no low bound, the last no high one.
    """
    steps = [f"{Decimal(str(s)).normalize():f}" for s in sorted(field.steps)]
    index = int(name[1:])
    low = steps[index - 1] if index else ""
    return f"{low}..{steps[index] if index < len(steps) else ''}"

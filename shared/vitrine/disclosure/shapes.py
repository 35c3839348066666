"""How a field's stored values are shown: each is made anew from the field's type.

What shows a value is made once for a field and a language, since every hit of every
page needs it. A value that does not fit its type is left out with a warning, which
fails every test.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from typing import Any

from vitrine.disclosure.labels import labels_in
from vitrine.disclosure.prices import price
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType

PREVIEW = 280
"""Characters of a long text, cut at a word."""
ELLIPSIS = "…"
Shape = Callable[[Any], Any]
"""Gives what is shown of a stored value, None where there is nothing to show."""
_MISSING: tuple[Any, ...] = (None, "", [], ())
_MOMENTS: Mapping[FieldType, type[date | time]] = {
    FieldType.DATE: date,
    FieldType.DATETIME: datetime,
    FieldType.TIME: time,
}


class StrayValue(UserWarning):
    """A stored value that its field's type can't show; it was left out."""


def shape_of(field: Field, tongue: str, *, source: str, short: bool = False) -> Shape:
    """Make what shows a field's values in a language, ``short`` ones as previews."""
    kind = _kind(field, tongue)
    one = partial(_one, kind, f"{source}.{field.key}")

    def shown(value: Any) -> Any:
        if value in _MISSING:
            return None
        if field.multi and isinstance(value, list | tuple):
            return [v for v in map(one, value) if v is not None] or None
        said = one(value)
        return preview(said) if short and isinstance(said, str) else said

    return shown


def preview(text: str, limit: int = PREVIEW) -> str:
    """Cut a text at a word, with an ellipsis; white space becomes single spaces."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    at_word = head.rpartition(" ")[0] if text[limit - 1] != " " else head
    return (at_word or head).rstrip(" ,;:.-–—") + ELLIPSIS


def moment(kind: type[date | time], value: Any) -> str | None:
    """Write a moment as ISO 8601, None for what is none."""
    if isinstance(value, date | time):
        return value.isoformat()
    try:
        return kind.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        return None


def _one(kind: Shape, place: str, value: Any) -> Any:
    shown = kind(value)
    if shown is None:
        # The value itself is not told: warnings end in logs.
        message = f"{place}: a {type(value).__name__} can't be shown"
        warnings.warn(message, StrayValue, stacklevel=2)
    return shown


def _kind(field: Field, tongue: str) -> Shape:
    if field.type is FieldType.BOOLEAN:
        return _truth
    if field.type is FieldType.NUMBER:
        return partial(_number, field.currency, tongue)
    if field.type in _MOMENTS:
        return partial(moment, _MOMENTS[field.type])
    return partial(_text, labels_in(field, tongue))


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(labels: Mapping[str, str] | None, value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    return value if labels is None else labels.get(value)


def _number(currency: str | None, tongue: str, value: Any) -> Any:
    # A bool is an int to Python, and no number of anything.
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    # By its text: the float of 19.9 has digits that nobody wrote.
    number = Decimal(str(value))
    if not number.is_finite():
        return None
    if currency:
        return price(number, currency, tongue)
    whole = number == number.to_integral_value()
    return int(number) if whole else float(number)

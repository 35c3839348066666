"""One rule's value, read as its field means it: lossless, or refused with a remedy.

Values stay JSON. What was read once reads the same again: numbers are plain, money
is an amount in the field's currency (lowering makes cents of it), dates are ISO,
instants are UTC, periods keep their names, closed lists their stored spelling.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from vitrine.language.coercion import to_bool, to_decimal, to_float, to_list, to_text
from vitrine.language.colours import DEFAULT_TOLERANCE, parse_colour
from vitrine.language.folding import fold, squash
from vitrine.language.money import parse_money, to_minor
from vitrine.language.numbers import Unreadable
from vitrine.language.units import to_unit
from vitrine.language.words import languages, words
from vitrine.registry.fields import Field
from vitrine.registry.operators import (
    IDENTIFIER_PREFIX,
    LIST_OPERATORS,
    ORIENTATIONS,
    PAIR_OPERATORS,
    VALUELESS_OPERATORS,
    FieldType,
)
from vitrine.registry.profiles import Registry
from vitrine.tree import choices, moments
from vitrine.tree.model import LIST, STRING, Rule

WHOLE = 2**63
LARGEST = Decimal(10) ** 15
"""Past it a double no longer tells neighbouring hundredths apart."""
# A conversion such as feet to centimetres ends somewhere; no catalogue is finer.
_DECIMALS = Decimal("1e-9")
_EXACT = frozenset({"equals", "not_equals"})


@dataclass(frozen=True, slots=True)
class Context:
    """What a value is read against."""

    registry: Registry
    language: str
    today: date


class Unfit(ValueError):  # noqa: N818 - reads as the sentence it carries
    """A value that its field can't take; ``at`` is its place below the value."""

    def __init__(self, code: str, message: str, remedy: str = "", at: str = "") -> None:
        super().__init__(message)
        self.code, self.remedy, self.at = code, remedy, at


class Unfits(ValueError):  # noqa: N818 - several of them
    """Every literal of a list that its field can't take."""

    def __init__(self, unfits: Iterable[Unfit]) -> None:
        self.unfits = tuple(unfits)
        super().__init__(f"{len(self.unfits)} values are refused.")


Read = Callable[[Any, Field, Context], Any]


def normalised(rule: Rule, field: Field, context: Context) -> Rule:
    """Read a rule's value by its field; raise ``Unfits`` with each refusal."""
    try:
        return _normalised(rule, field, context)
    except Unfit as unfit:
        raise Unfits([unfit]) from unfit
    except Unreadable as unreadable:
        raise Unfits([_unreadable(unreadable, rule, field)]) from unreadable


def _normalised(rule: Rule, field: Field, context: Context) -> Rule:
    if rule.operator in VALUELESS_OPERATORS:
        return _valueless(rule)
    if rule.value is None or rule.value in ("", (), []):
        raise Unfit("missing_value", f"{rule.operator} needs a value.", _form(rule))
    if moments.named(rule, field, context.language):
        manifest = context.registry.manifest
        rule = moments.as_period(rule, context.today, manifest, context.language)
    if rule.operator == "in_period":
        return rule
    if rule.operator in PAIR_OPERATORS:
        return replace(rule, value=_pair(rule, field, context))
    if rule.operator in LIST_OPERATORS:
        return replace(rule, value=_list(rule, field, context))
    if field.type is FieldType.RELATION and rule.operator != "person_name":
        return replace(rule, value=_roles(rule, field, context))
    value = _one(_alone(rule, field), rule, field, context)
    return replace(rule, value=value)


def _valueless(rule: Rule) -> Rule:
    if rule.value not in (None, "", True, (), []):
        raise Unfit(
            "unexpected_value",
            f"{rule.operator} takes no value.",
            'Leave "value" out; is_empty and is_not_empty are each other\'s opposite.',
        )
    return replace(rule, value=None)


def _alone(rule: Rule, field: Field) -> Any:
    """Take the only value of a list of one: nothing is lost by it."""
    value = rule.value
    if field.type is FieldType.COLOUR or not isinstance(value, tuple | list):
        return value
    if len(value) == 1:
        return value[0]
    raise Unfit(
        "bad_value", f"{rule.operator} takes one value, not a list.", _form(rule)
    )


def _one(value: Any, rule: Rule, field: Field, context: Context) -> Any:
    if isinstance(value, dict) and field.type is not FieldType.COLOUR:
        raise Unfit("bad_value", "An object is no value here.", _form(rule))
    if rule.operator == "near":
        return _near(value, context)
    if rule.operator.startswith("vocab_id_"):
        return _text(value)
    read = _READERS[field.type](value, field, context)
    if rule.operator in _EXACT and field.type is FieldType.NUMBER:
        _reachable(read, field)
    if rule.operator == "starts_with" and field.type is FieldType.IDENTIFIER:
        _long_enough(read)
    return read


def _list(rule: Rule, field: Field, context: Context) -> tuple[Any, ...]:
    """Read each literal on its own; one that is unknown is never carried along."""
    # "Queens, NY" is one value of a closed list before it is two of an open one.
    whole = rule.value if isinstance(rule.value, str) else None
    if whole is not None and choices.known(field, whole):
        return (_one(whole, rule, field, context),)
    items = to_list(
        rule.value, numeric=field.type is FieldType.NUMBER, lang=context.language
    )
    if not items:
        raise Unfit("missing_value", f"{rule.operator} needs values.", _form(rule))
    if len(items) > LIST:
        raise Unfit("too_many", f"A list has at most {LIST} values.")
    return _distinct(_each(items, rule, field, context))


def _each(
    items: Iterable[Any], rule: Rule, field: Field, context: Context
) -> list[Any]:
    read: list[Any] = []
    unfits: list[Unfit] = []
    for index, item in enumerate(items):
        try:
            read.append(_one(item, rule, field, context))
        except Unfit as unfit:
            unfit.at = f"/{index}"
            unfits.append(unfit)
        except Unreadable as unreadable:
            unfits.append(_unreadable(unreadable, rule, field, f"/{index}"))
    if unfits:
        raise Unfits(unfits)
    return read


def _distinct(values: list[Any]) -> tuple[Any, ...]:
    return tuple(v for i, v in enumerate(values) if v not in values[:i])


def _pair(rule: Rule, field: Field, context: Context) -> tuple[Any, Any]:
    items = to_list(
        rule.value, numeric=field.type is FieldType.NUMBER, lang=context.language
    )
    if len(items) != 2 or None in items:  # noqa: PLR2004 - a pair
        raise Unfit(
            "bad_value",
            "between takes two values, lowest first.",
            "Send [low, high], or an operator with one bound.",
        )
    low, high = _each(items, rule, field, context)
    if moments.order(low) > moments.order(high, end=True):
        raise Unfit(
            "bad_value", f"{low} is above {high}.", "Send the lower value first."
        )
    return low, high


def _roles(rule: Rule, field: Field, context: Context) -> Any:
    items = rule.value if isinstance(rule.value, tuple | list) else (rule.value,)
    roles = _distinct(_each(items, rule, field, context))
    return roles if len(roles) > 1 else roles[0]


def _near(value: Any, context: Context) -> dict[str, Any]:
    tolerance = value.get("tolerance") if isinstance(value, dict) else None
    reach = to_decimal(DEFAULT_TOLERANCE if tolerance is None else tolerance)
    if not 0 <= reach <= 255:  # noqa: PLR2004 - a channel's width
        raise Unfit("bad_value", "A tolerance lies between 0 and 255.")
    return {"hex": _colour(value, context), "tolerance": _plain(reach)}


def _colour(value: Any, context: Context) -> str:
    return str(_spoken(context, lambda lang: parse_colour(value, lang)))


def _spoken(context: Context, read: Callable[[str], Any]) -> Any:
    """Read a word in the caller's language, then in any other that is known."""
    try:
        return read(context.language)
    except Unreadable:
        for lang in languages():
            try:
                return read(lang)
            except Unreadable:
                continue
        raise


def _text(value: Any) -> str:
    if isinstance(value, float):
        raise Unreadable(f"{value} is not text.")
    text = unicodedata.normalize("NFC", to_text(value)).strip()
    if not text:
        raise Unfit("missing_value", "The value is empty.", "Use is_empty for none.")
    if len(text) > STRING:
        raise Unfit("too_long", f"A string has at most {STRING} characters.")
    return text


def _words(value: Any) -> str:
    text = _text(value)
    if not any(sign.isalnum() for sign in text):
        raise Unfit(
            "bad_value", "The text holds no letter or digit.", "Search for a word."
        )
    return text


def _folded(value: Any) -> str:
    text = _text(value)
    if not fold(text):
        raise Unfit("bad_value", "The text holds nothing to compare with.")
    return text


def _identifier(value: Any) -> str:
    text = _text(value)
    if not squash(text):
        raise Unfit("bad_value", "An identifier needs letters or digits.")
    return text


def _long_enough(code: str) -> None:
    if len(squash(code)) < IDENTIFIER_PREFIX:
        raise Unfit(
            "bad_value",
            f"starts_with needs {IDENTIFIER_PREFIX} characters or more.",
            "Send more of the identifier.",
        )


def _number(value: Any, field: Field, context: Context) -> int | float:
    number = _amount(value, field, context)
    # Cents are kept as 64-bit integers: a hundredth of their range is left.
    whole = field.integer or field.currency
    if abs(number) >= (WHOLE // 100 if whole else LARGEST):
        raise Unfit("bad_value", f"{number} is too large for this field.")
    return _plain(number)


def _amount(value: Any, field: Field, context: Context) -> Decimal:
    if field.unit:
        number = to_unit(value, field.unit, context.language)
        return number if number == round(number, 9) else number.quantize(_DECIMALS)
    money = parse_money(value, context.language) if isinstance(value, str) else None
    if money is None or not field.currency:
        return to_decimal(value, context.language)
    if money.currency not in ("", field.currency):
        raise Unfit(
            "bad_value",
            f"The amount is in {money.currency}, the field in {field.currency}.",
            f"Send the amount in {field.currency}.",
        )
    return money.amount


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else to_float(number)


def _reachable(number: float, field: Field) -> None:
    """Refuse an exact value that no stored number can have."""
    exact = Decimal(str(number))
    if field.currency:
        to_minor(exact, field.currency)
    if field.integer and exact != exact.to_integral_value():
        raise Unfit(
            "bad_value", f"{number} is no whole number.", "Send a whole number."
        )


def _orientation(value: Any, context: Context) -> str:
    text = fold(_text(value))
    if text in ORIENTATIONS:
        return text
    for lang in (context.language, *languages()):
        for name, spellings in words(lang, "orientation").items():
            if text in map(fold, spellings):
                return str(name)
    raise Unfit(
        "unknown_value",
        f"{value!r} is no orientation.",
        f"Use {', '.join(ORIENTATIONS)}.",
    )


def _stored(value: Any, field: Field, context: Context) -> str:
    text = _text(value)
    if field.choices is None:
        return choices.sampled(text, context.registry.sample(field.key))
    found = choices.spelled(field, text)
    if len(found) == 1:
        return found[0]
    code = "ambiguous_value" if found else "unknown_value"
    message = f"{field.key}: {text!r} is not in the list."
    if found:
        message = f"{field.key}: {text!r} means several values."
    remedy = choices.remedy(field, found or choices.nearest(field, text))
    raise Unfit(code, message, remedy)


def _label(value: Any, field: Field, _: Context) -> str:
    """Spell a label of a closed vocabulary; others are left to the resolve step."""
    text = _text(value)
    found = choices.spelled(field, text)
    return found[0] if len(found) == 1 else text


_READERS: dict[FieldType, Read] = {
    FieldType.FULL_TEXT: lambda v, _f, _c: _words(v),
    FieldType.TEXT: lambda v, _f, _c: _folded(v),
    FieldType.KEYWORD: _stored,
    FieldType.IDENTIFIER: lambda v, _f, _c: _identifier(v),
    FieldType.NUMBER: _number,
    FieldType.DATE: lambda v, _f, _c: moments.day(v),
    FieldType.DATETIME: lambda v, _f, c: moments.instant(v, c.registry.manifest.zone),
    FieldType.TIME: lambda v, _f, c: moments.clock(v, c.language),
    FieldType.BOOLEAN: lambda v, _f, c: _spoken(c, lambda lang: to_bool(v, lang)),
    FieldType.VOCABULARY: _label,
    FieldType.COLOUR: lambda v, _f, c: _colour(v, c),
    FieldType.ORIENTATION: lambda v, _f, c: _orientation(v, c),
    FieldType.RELATION: lambda v, _f, _c: _words(v),
}

_FORMS: dict[FieldType, str] = {
    FieldType.NUMBER: "Send a plain JSON number.",
    FieldType.DATE: "Send an ISO date such as 2024-05-31.",
    FieldType.DATETIME: "Send an ISO date, or an instant such as 2024-05-31T14:30:00Z.",
    FieldType.TIME: "Send a time such as 14:30.",
    FieldType.BOOLEAN: "Send true or false.",
    FieldType.COLOUR: "Send #rrggbb or the name of a colour.",
}


def _unreadable(error: Unreadable, rule: Rule, field: Field, at: str = "") -> Unfit:
    if rule.operator == "in_period":
        return Unfit(
            "bad_value",
            str(error),
            "Use a name such as last_month, last_spring, last_30_days, 2024-Q3, "
            "since 2024-02 or 2024-01..2024-06.",
            at,
        )
    return Unfit("bad_value", str(error), _FORMS.get(field.type, ""), at)


def _form(rule: Rule) -> str:
    if rule.operator in LIST_OPERATORS:
        return "Send a list of values."
    if rule.operator in PAIR_OPERATORS:
        return "Send [low, high]."
    return "Send one value."

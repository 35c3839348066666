"""One rule's value, read as its field means it: lossless, or refused with a remedy.

Values stay JSON. What was read once reads the same again: numbers are plain, money
is an amount in the field's currency (lowering makes cents of it), dates are ISO,
instants are UTC, periods keep their names, closed lists their stored spelling.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from vitrine.language.coercion import to_list
from vitrine.language.numbers import Unreadable
from vitrine.registry.fields import Field
from vitrine.registry.operators import (
    LIST_OPERATORS,
    PAIR_OPERATORS,
    VALUELESS_OPERATORS,
    FieldType,
)
from vitrine.tree import choices, moments
from vitrine.tree.model import LIST, Rule
from vitrine.tree.readers import (
    READERS,
    Context,
    Unfit,
    long_enough,
    near,
    plain_text,
    reachable,
)

_EXACT = frozenset({"equals", "not_equals"})


class Unfits(ValueError):  # noqa: N818 - several of them
    """Every literal of a list that its field can't take."""

    def __init__(self, unfits: Iterable[Unfit]) -> None:
        self.unfits = tuple(unfits)
        super().__init__(f"{len(self.unfits)} values are refused.")


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
        return near(value, context)
    if rule.operator.startswith("vocab_id_"):
        return plain_text(value)
    read = READERS[field.type](value, field, context)
    if rule.operator in _EXACT and field.type is FieldType.NUMBER:
        reachable(read, field)
    if rule.operator == "starts_with" and field.type is FieldType.IDENTIFIER:
        long_enough(read)
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
    form = _FORMS.get(field.type, "")
    if measure := field.unit or field.currency:
        form = f"Send a plain JSON number, in {measure}."
    return Unfit("bad_value", str(error), form, at)


def _form(rule: Rule) -> str:
    if rule.operator in LIST_OPERATORS:
        return "Send a list of values."
    if rule.operator in PAIR_OPERATORS:
        return "Send [low, high]."
    return "Send one value."

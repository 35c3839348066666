"""What each engine can run: anything else is an error at validation.

Nothing is dropped or widened at run time, so this table must say no first.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

from vitrine.language.money import to_minor
from vitrine.registry.fields import Field
from vitrine.registry.operators import ID_OPERATORS, OPERATORS, FieldType


class EngineName(StrEnum):
    """The engines a manifest can name."""

    POSTGRES = "postgres"
    TYPESENSE = "typesense"


# Typesense has no exact substring test and no vectors in the public collection;
# links between records are a database's affair.
_TYPESENSE_LACKS: MappingProxyType[FieldType, frozenset[str]] = MappingProxyType(
    {
        FieldType.FULL_TEXT: frozenset({"semantic_search"}),
        FieldType.TEXT: frozenset({"contains", "not_contains", "starts_with"}),
        FieldType.RELATION: frozenset(OPERATORS[FieldType.RELATION]),
    }
)
# A value that orders is one number, or one text where the engine folds texts itself.
_ORDERED = frozenset(
    {FieldType.NUMBER, FieldType.DATE, FieldType.DATETIME, FieldType.TIME}
)
_SORTED = MappingProxyType(
    {
        EngineName.POSTGRES: _ORDERED
        | {FieldType.TEXT, FieldType.KEYWORD, FieldType.IDENTIFIER},
        EngineName.TYPESENSE: _ORDERED,
    }
)
TERMS = MappingProxyType({EngineName.TYPESENSE: 100})
"""Terms, operators and parentheses that one filter may have (Typesense 0.24.1)."""
WHOLE = Decimal(2**53 - 1)
"""Largest whole number that every reader of JSON keeps as it is (RFC 8259 §6)."""
# PostgreSQL compares numerics, but a double beyond this loses hundredths on its way
# through JSON; Typesense keeps millionths in 64 bits.
DECIMALS = MappingProxyType(
    {
        EngineName.POSTGRES: Decimal(10**15),
        EngineName.TYPESENSE: Decimal((2**63 - 1) // 10**6),
    }
)
LACKS = MappingProxyType(
    {
        EngineName.POSTGRES: MappingProxyType[FieldType, frozenset[str]]({}),
        EngineName.TYPESENSE: _TYPESENSE_LACKS,
    }
)


def runnable(engine: EngineName, kind: FieldType) -> tuple[str, ...]:
    """List the operators that an engine runs on a type, id operators excluded."""
    lacks = LACKS[engine].get(kind, frozenset())
    return tuple(op for op in OPERATORS[kind] if op not in lacks)


def editable(engine: EngineName, kind: FieldType) -> tuple[str, ...]:
    """List them with the id operators that a trusted editor may send."""
    return (*runnable(engine, kind), *ID_OPERATORS.get(kind, ()))


def sortable(engine: EngineName, field: Field) -> bool:
    """Tell whether an engine can order by a field."""
    return not field.multi and field.type in _SORTED[engine]


def reach(engine: EngineName, field: Field) -> tuple[Decimal, Decimal]:
    """Give the least and the largest number that a filter on a field may name.

    In the field's unit; an amount of money such that its cents are whole numbers.
    """
    if field.bits == 32:  # noqa: PLR2004 - a width
        return Decimal(-(2**31)), Decimal(2**31 - 1)
    most = WHOLE if field.integer else DECIMALS[engine]
    if field.currency:
        most = WHOLE / to_minor(Decimal(1), field.currency)
    return -most, most

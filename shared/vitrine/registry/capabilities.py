"""What each engine can run: anything else is an error at validation.

Nothing is dropped or widened at run time, so this table must say no first.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

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

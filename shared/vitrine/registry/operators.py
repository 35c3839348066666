"""The operators of each field type: what a rule may say.

*A missing value matches ``is_empty`` and the negative operators, and nothing else.*
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType


class FieldType(StrEnum):
    """The types a manifest can give a field."""

    FULL_TEXT = "full_text"
    TEXT = "text"
    KEYWORD = "keyword"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    DATE = "date"
    DATETIME = "datetime"
    TIME = "time"
    BOOLEAN = "boolean"
    VOCABULARY = "vocabulary"
    COLOUR = "colour"
    ORIENTATION = "orientation"
    RELATION = "relation"


# The pseudo-field of full text; a source has it where its profile may search.
FULL_TEXT_FIELD = "full_text_search"

_EMPTY = ("is_empty", "is_not_empty")
_EQUALS = ("equals", "not_equals")
_MEMBER = (*_EQUALS, "in", "not_in")
_MOMENT = (
    "equals",
    "before",
    "after",
    "on_or_before",
    "on_or_after",
    "between",
    "in_period",
    *_EMPTY,
)
_NUMBER = (
    *_EQUALS,
    "greater_than",
    "greater_or_equal",
    "less_than",
    "less_or_equal",
    "between",
    *_EMPTY,
)

OPERATORS: MappingProxyType[FieldType, tuple[str, ...]] = MappingProxyType(
    {
        FieldType.FULL_TEXT: ("hybrid_search", "keyword_search", "semantic_search"),
        FieldType.TEXT: (
            "contains",
            "not_contains",
            *_EQUALS,
            "starts_with",
            *_EMPTY,
        ),
        FieldType.KEYWORD: (*_MEMBER, *_EMPTY),
        FieldType.IDENTIFIER: ("equals", "in", "starts_with"),
        FieldType.NUMBER: _NUMBER,
        FieldType.DATE: _MOMENT,
        FieldType.DATETIME: _MOMENT,
        FieldType.TIME: tuple(op for op in _MOMENT if op != "in_period"),
        FieldType.BOOLEAN: ("equals", *_EMPTY),
        FieldType.VOCABULARY: (
            "vocab_text_equals",
            "vocab_text_in",
            "vocab_text_not_in",
            *_EMPTY,
        ),
        FieldType.COLOUR: ("near", *_MEMBER, *_EMPTY),
        FieldType.ORIENTATION: ("equals", "in"),
        FieldType.RELATION: ("with_role", "without_role", "person_name"),
    }
)

# What the resolve step writes and a trusted editor may send: stored ids or codes.
# Refused from models and agents.
ID_OPERATORS: MappingProxyType[FieldType, tuple[str, ...]] = MappingProxyType(
    {FieldType.VOCABULARY: ("vocab_id_in", "vocab_id_not_in")}
)

LIST_OPERATORS = frozenset(
    {
        "in",
        "not_in",
        "vocab_text_in",
        "vocab_text_not_in",
        *ID_OPERATORS[FieldType.VOCABULARY],
    }
)
PAIR_OPERATORS = frozenset({"between"})
VALUELESS_OPERATORS = frozenset(_EMPTY)
NEGATIVE_OPERATORS = frozenset(
    {
        "not_contains",
        "not_equals",
        "not_in",
        "vocab_text_not_in",
        "vocab_id_not_in",
        "without_role",
    }
)
ORIENTATIONS = ("landscape", "portrait", "square")
IDENTIFIER_PREFIX = 4
"""Fewest characters of ``starts_with`` on an identifier."""

"""The small algebra that both engines compile: what a checked tree means.

Every test is true or false of a document, never unknown: a missing value fails each
test, and ``Not`` is the complement. So "a missing value matches ``is_empty`` and
the negative operators, and nothing else" holds by construction on every engine.
``tree.lower`` makes conditions of a resolved tree; compilers read nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from vitrine.registry.fields import Field

Bound = Decimal | str
"""A number in the field's unit (cents for money), or an ISO date, instant or time."""
Method = Literal["hybrid_search", "keyword_search", "semantic_search"]


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds; without parts: true."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Any:
    """Some part holds; without parts: false."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Text:
    """The document matches a query in websearch syntax."""

    query: str
    method: Method = "hybrid_search"


@dataclass(frozen=True, slots=True)
class Member:
    """The value, or one of a multi-valued field's values, is one of these.

    Values are as stored: text folded, keyword spelling, vocabulary id or code,
    Decimal, bool, ``#rrggbb``, ISO date, orientation.
    """

    field: Field
    values: tuple[str | bool | Decimal, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The value lies between two bounds, each open, closed or absent."""

    field: Field
    low: Bound | None = None
    high: Bound | None = None
    low_open: bool = False
    high_open: bool = False


@dataclass(frozen=True, slots=True)
class Contains:
    """The folded text contains the folded needle, anywhere or at its start."""

    field: Field
    needle: str
    at_start: bool = False


@dataclass(frozen=True, slots=True)
class Present:
    """The field has a value; an empty string or list is none."""

    field: Field


@dataclass(frozen=True, slots=True)
class Near:
    """Red, green and blue each lie within ``tolerance`` (0–255) of a colour's.

    A box of three ranges, since that is what both engines can filter exactly.
    """

    field: Field
    colour: str
    tolerance: float


@dataclass(frozen=True, slots=True)
class Linked:
    """A visible contact is linked: with one of these roles, or by name."""

    field: Field
    roles: tuple[str, ...] = ()
    name: str = ""


Condition = (
    All | Any | Not | Text | Member | Between | Contains | Present | Near | Linked
)
TRUE = All()
FALSE = Any()

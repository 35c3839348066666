"""What a handler or tool may send: only ``disclosure.release`` makes an Answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Total:
    """A number as this caller may know it.

    ``kind`` is ``exact``, ``at_least`` (a lower bound), ``about`` (a bucket's lower
    end) or ``fewer_than`` (suppressed below ``number``).
    """

    number: int
    kind: str = "exact"


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet: ``value`` is for filters, ``label`` for eyes."""

    value: str
    label: str
    count: Total


@dataclass(frozen=True, slots=True)
class Remainder:
    """What the caller's own budgets still hold, in distinct documents.

    ``warning`` is set from 80 % of a budget on; ``cut`` when this page was cut.
    """

    session_left: int
    day_left: int
    resets_at: datetime
    warning: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A ready tree that would find something, with its sentence and its count."""

    sentence: str
    tree: Mapping[str, Any]
    total: Total


@dataclass(frozen=True, slots=True)
class Answer:
    """One page as it leaves: public facts, facets, and the report.

    Each hit is ``{ref, title, url?, as_of?, …output fields}``; ``report`` is JSON.
    """

    hits: tuple[Mapping[str, Any], ...]
    facets: Mapping[str, tuple[FacetValue, ...]]
    total: Total
    report: Mapping[str, Any]
    budget: Remainder | None = None
    suggestions: tuple[Suggestion, ...] = ()
    next_cursor: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

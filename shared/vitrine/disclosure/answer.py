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

    def body(self) -> dict[str, Any]:
        """Give it as JSON-able data."""
        return {"number": self.number, "kind": self.kind}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet: ``value`` is for filters, ``label`` for eyes."""

    value: str
    label: str
    count: Total

    def body(self) -> dict[str, Any]:
        """Give it as JSON-able data."""
        return {"value": self.value, "label": self.label, "count": self.count.body()}


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

    def body(self) -> dict[str, Any]:
        """Give it as JSON-able data."""
        return {
            "session_left": self.session_left,
            "day_left": self.day_left,
            "resets_at": self.resets_at.isoformat(),
            "warning": self.warning,
            "cut": self.cut,
        }


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A ready tree that would find something, with its sentence and its count."""

    sentence: str
    tree: Mapping[str, Any]
    total: Total

    def body(self) -> dict[str, Any]:
        """Give it as JSON-able data."""
        return {
            "sentence": self.sentence,
            "tree": self.tree,
            "total": self.total.body(),
        }


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

    def body(self) -> dict[str, Any]:
        """Give the execute route's JSON; ``budget`` is null for uncapped profiles."""
        facets = {key: [v.body() for v in vs] for key, vs in self.facets.items()}
        body: dict[str, Any] = {
            "hits": [dict(hit) for hit in self.hits],
            "facets": facets,
            "total": self.total.body(),
            "report": dict(self.report),
            "budget": self.budget.body() if self.budget else None,
        }
        if self.suggestions:
            body["suggestions"] = [s.body() for s in self.suggestions]
        if self.next_cursor is not None:
            body["next_cursor"] = self.next_cursor
        return body | dict(self.extra)

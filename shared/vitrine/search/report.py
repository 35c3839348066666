"""What really ran: facts that no model can write."""

from __future__ import annotations

from dataclasses import dataclass

from vitrine.search.engine import Hits, Mode


@dataclass(frozen=True, slots=True)
class Resolved:
    """A label or period as asked, and the labels or days that it was taken for."""

    field: str
    asked: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The honest account of one search.

    ``sentence`` is the executed tree in the caller's language.
    ``notes`` are stable codes of what was not done as asked.
    ``sort`` is the order that the caller chose, None where it is the source's own.
    """

    mode: Mode
    original: str | None
    fallback: str | None
    sentence: str
    resolved: tuple[Resolved, ...] = ()
    notes: tuple[str, ...] = ()
    sort: str | None = None


def report_of(hits: Hits, sentence: str, resolved: tuple[Resolved, ...] = ()) -> Report:
    """Tell what an engine did with a tree."""
    return Report(
        mode=hits.mode,
        original=hits.original,
        fallback=hits.fallback,
        sentence=sentence,
        resolved=resolved,
        notes=hits.notes,
    )

"""A scripted engine: what it gives is said beforehand, what it is asked is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from vitrine.search.engine import Count, Found, Hits, Query, Row, Wanted
from vitrine.tree.conditions import Condition


@dataclass(slots=True)
class ScriptedEngine:
    """Answer with ``hits``; count with ``counts`` in turn; know some labels."""

    hits: Hits = field(default_factory=Hits)
    counts: list[int] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    queries: list[Query] = field(default_factory=list)
    counted: list[Sequence[Condition]] = field(default_factory=list)
    looked_up: list[Sequence[Wanted]] = field(default_factory=list)

    def search(self, query: Query) -> Hits:
        """Give the scripted page."""
        self.queries.append(query)
        return replace(self.hits, rows=self.hits.rows[: query.limit])

    def count(self, _: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        """Give the scripted numbers, zero when they run out."""
        self.counted.append(conditions)
        told = [*self.counts, *[0] * len(conditions)]
        return tuple(Count(number) for number in told[: len(conditions)])

    def look_up(self, _: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Find the labels that are known."""
        self.looked_up.append(wanted)
        return tuple(self._found(each.label) for each in wanted)

    def fetch(self, _: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        """Give the rows of the page that are asked for."""
        return tuple(row for row in self.hits.rows if row.id in ids)

    def _found(self, label: str) -> Found:
        if label not in self.labels:
            return Found(nearest=tuple(sorted(self.labels)))
        return Found((self.labels[label],), (label,))

"""The tool that one would write first: ten a page, thirty a conversation, true counts.

It runs on the same engine and the same public fields. A question without a cursor is
a new conversation, and nobody is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from infra.attack.tool import Number, Question, Reply
from vitrine.caller import Caller
from vitrine.disclosure.bands import band
from vitrine.disclosure.projection import View, project
from vitrine.problems import Problem
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.seal import Refs
from vitrine.search.engine import Engine, Hits, Position, Query
from vitrine.search.resolve import resolve
from vitrine.tree.conditions import TRUE
from vitrine.tree.lower import lower
from vitrine.validate import check

PAGES = 3


@dataclass
class Naive:
    """The naive tool in one attacker's hands."""

    engine: Engine
    registry: Registry
    view: View
    calls: int = 0
    seen: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _places: list[tuple[Position, Query, int]] = field(default_factory=list)

    def ask(self, question: Question) -> Reply:
        """Search, with numbers as they are."""
        self.calls += 1
        try:
            query, number = self._query(question)
            hits = self.engine.search(query)
        except Problem as problem:
            return Reply(refused=problem.code)
        return self._reply(query, hits, number)

    def _query(self, question: Question) -> tuple[Query, int]:
        if question.cursor is not None:
            after, query, number = self._places[int(question.cursor)]
            return replace(query, after=after, facets=()), number
        registry, today = self.registry, date(2026, 11, 20)
        caller = Caller(registry.tenant, "somebody", "web")
        bare = Query(caller, registry, TRUE)
        tree = check(question.tree, registry, today=today).require()
        low = lower(resolve(tree, self.engine, bare).tree, registry, today=today)
        asked = replace(bare, condition=low.condition, text=low.text)
        return replace(asked, limit=question.limit, facets=registry.facets), 1

    def _reply(self, query: Query, hits: Hits, number: int) -> Reply:
        shown = [
            project(row, self.view) | {"ref": row.id}
            for row in hits.rows[: query.limit]
        ]
        self.seen |= {hit["ref"]: hit for hit in shown}
        cursor = None
        if hits.next is not None and number < PAGES:
            cursor = str(len(self._places))
            self._places.append((hits.next, query, number + 1))
        listed = (hits.facets or {}).items()
        return Reply(
            hits=shown,
            total=Number(hits.total, "exact" if hits.exact else "at_least"),
            facets={key: self._facet(key, values) for key, values in listed},
            cursor=cursor,
            page=query.limit,
        )

    def _facet(self, key: str, values: Sequence[tuple[str, int]]) -> dict[str, Number]:
        field = self.registry.fields[key]
        numeric = field.type is FieldType.NUMBER
        return {
            band(field, v, "en")[0] if numeric else v: Number(n, "exact")
            for v, n in values
        }


def naive(engine: Engine, registry: Registry, refs: Refs, now: Any) -> Naive:
    """Set up the naive tool over an engine."""
    return Naive(engine, registry, View(registry, "en", refs, now))

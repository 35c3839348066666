"""Explain empty searches of a large library; one JSON line comes last.

    python -m infra.bench explain [--rows 400000] [--runs 15]

Each search is a person's, too narrow by one filter. ``ratio`` is the median time of
its explanation (each filter alone, each left out, the suggestions, all counted) over
that of the same search without the filter that blocks it, facets and all: one search
of the same source. ``worst`` is the largest of them; ``over_empty`` compares with the
empty search. ``round_trips`` counts what an explanation asks of the database.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import Any

from infra.bench.asking import (
    CALLER,
    Counted,
    counting,
    interleaved,
    library,
    observed,
)
from infra.bench.bulk import multiply
from infra.local.stack import TABLE, Stack
from vitrine.postgres.search import Postgres
from vitrine.registry.profiles import Registry
from vitrine.seal import NONCE, SECRET, Refs, Ring
from vitrine.search.execute import execute
from vitrine.search.explain import explain
from vitrine.search.prepare import Ask, Parts
from vitrine.store.table import Table
from vitrine.tree.model import Group, Rule

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
PHOTO = ("kind", "in", ("photo",))
TALL = ("orientation", "equals", "portrait")
CALM = ("full_text_search", "keyword_search", "calme")
LATE = ("imported_on", "after", "2027-01-01")
Said = tuple[Any, ...]
SEARCHES: Sequence[tuple[Said, ...]] = (
    # the last rule of each blocks
    (PHOTO, TALL, CALM, ("title", "contains", "zzz")),
    (PHOTO, ("has_people", "equals", True), ("iso", "between", (900, 1_500))),
    (TALL, CALM, ("status", "in", ("draft",)), ("release_year", "greater_than", 2_400)),
    (("city", "equals", "Lyon"), PHOTO, TALL, CALM, LATE),
    (("product_width", "between", (20, 40)), TALL, ("country", "equals", "Pérou")),
)


def main(arguments: list[str]) -> int:
    """Load, explain and compare."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench explain")
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--runs", type=int, default=15)
    asked = parser.parse_args(arguments)
    with Stack(parts=("postgres", "aws")) as stack:
        rows = multiply(stack.dsn, asked.rows)
        dsn = stack.cluster.dsn(role="vitrine_service")
        engine = Postgres(counting(dsn))
        sampled = library()
        registry = replace(sampled, samples=observed(dsn, sampled.manifest))
        table = Table(stack.aws.client("dynamodb"), TABLE)
        ring = Ring([bytes(SECRET)], lambda: bytes(NONCE))
        parts = Parts(engine, table, ring, Refs(bytes(SECRET)))
        figures = _figures(parts, registry, asked.runs)
        engine.close()
    print(json.dumps({"rows": rows, **figures}))
    return 0


def _figures(parts: Parts, registry: Registry, runs: int) -> dict[str, Any]:
    found = [_compared(parts, registry, rules, runs) for rules in SEARCHES]
    explained, searched, empty, trips = zip(*found, strict=True)
    ratios = [one / other for one, other in zip(explained, searched, strict=True)]
    over = [one / other for one, other in zip(explained, empty, strict=True)]
    return {
        "ratio": round(median(ratios), 3),
        "worst": round(max(ratios), 3),
        "over_empty": round(median(over), 3),
        "explain_ms": round(median(explained), 1),
        "search_ms": round(median(searched), 1),
        "round_trips": max(trips),
    }


def _compared(
    parts: Parts, registry: Registry, rules: Sequence[Said], runs: int
) -> tuple[float, float, float, int]:
    """Give the medians of explaining, of a search that finds, and of the empty one."""

    def asked(kept: Sequence[Said]) -> Ask:
        tree = Group(rules=tuple(Rule(*rule) for rule in kept))
        return Ask(CALLER, registry, tree, NOW)

    narrow, wide = asked(rules), asked(rules[:-1])
    if execute(narrow, parts).hits or not execute(wide, parts).hits:
        raise RuntimeError(f"not blocked by its last rule: {rules}")
    before = Counted.trips
    explain(narrow, parts)
    trips = Counted.trips - before
    jobs: list[Callable[[], Any]] = [
        partial(explain, narrow, parts),
        partial(execute, wide, parts),
        partial(execute, narrow, parts),
    ]
    one, other, empty = interleaved(jobs, runs)
    return one, other, empty, trips

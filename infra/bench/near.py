"""Search near colours in a large library; one JSON line comes last.

    python -m infra.bench near [--rows 400000] [--runs 9]

Each search is asked beside the same one with an equality in the colour's place that as
many rows have, in turns and by the service's role, whose statements are stopped after
three seconds. ``ratio`` is the median of what nearness costs over the equality,
``worst`` the largest, ``slowest_ms`` the slowest search near a colour, ``stopped`` how
many were ended before their answer. ``share`` are the rows that both find, up to what a
search counts. A box that finds nothing but touches the cells of common colours looks at
the rows of these ("none, relaxed"), where the equality has none to look at.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from statistics import median
from typing import Any

from infra.bench.asking import CALLER, interleaved, library, observed
from infra.bench.bulk import multiply
from infra.local.stack import Stack
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.problems import Unavailable
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Query
from vitrine.tree.lower import lower
from vitrine.tree.model import Group, Node, Rule

TODAY = date(2026, 11, 30)


def near(code: str, tolerance: int = 48) -> Rule:
    """Ask for a palette with a colour near this one, by default as near as words do."""
    return Rule("colours", "near", {"hex": code, "tolerance": tolerance})


def either(*rules: Node) -> Group:
    """Ask for one of several."""
    return Group(operator="or", rules=rules)


def without(rule: Node) -> Group:
    """Ask for its contrary."""
    return Group(rules=(rule,), negated=True)


NOBODY = "11111111-1111-4111-8111-111111111111"
RED, GREEN = "#b5473c", "#00ff00"
CALM = Rule("full_text_search", "keyword_search", "calme")
LYON = Rule("city", "equals", "Lyon")
TALL = Rule("orientation", "equals", "portrait")
DRAWN = Rule("kind", "in", ("illustration",))
UNUSED = Rule("tags", "vocab_text_equals", NOBODY)
Rules = tuple[Node, ...]
# Each with the equality that finds about as many rows of the demo's palette.
PAIRS: Mapping[str, tuple[Rules, Rules]] = {
    "alone": ((near(RED),), (TALL,)),
    "narrow": ((near(RED, 8),), (DRAWN,)),
    "wide": ((near(RED, 96),), (without(DRAWN),)),
    "none": ((near(GREEN),), (UNUSED,)),
    "none, relaxed": ((near(GREEN, 96),), (UNUSED,)),
    "not": ((without(near(RED)),), (without(TALL),)),
    "either": ((either(near(RED), LYON),), (either(TALL, LYON),)),
    "text": ((CALM, near(RED)), (CALM, TALL)),
    "text, none": ((CALM, near(GREEN)), (CALM, UNUSED)),
    "text, not": ((CALM, without(near(RED))), (CALM, without(TALL))),
    "text, either": ((CALM, either(near(RED), LYON)), (CALM, either(TALL, LYON))),
}


def main(arguments: list[str]) -> int:
    """Load, ask in turns and compare; fail where a search was stopped."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench near")
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--runs", type=int, default=9)
    asked = parser.parse_args(arguments)
    with Stack(parts=("postgres",)) as stack:
        rows = multiply(stack.dsn, asked.rows)
        figures = measured(stack.cluster.dsn(role="vitrine_service"), asked.runs)
    load = round(os.getloadavg()[0], 1)
    print(json.dumps({"rows": rows, **figures, "load": load}))
    return 1 if figures["stopped"] else 0


def measured(dsn: str, runs: int) -> dict[str, Any]:
    """Ask every pair of a library that is loaded."""
    bare = library()
    registry = replace(bare, samples=observed(dsn, bare.manifest))
    asked = Asked(Postgres(connector(dsn)), registry)
    found = {name: asked.compared(*pair, runs) for name, pair in PAIRS.items()}
    asked.engine.close()
    ratios = [case["ratio"] for case in found.values()]
    return {
        "ratio": round(median(ratios), 2),
        "worst": max(ratios),
        "slowest_ms": max(case["ms"] for case in found.values()),
        "stopped": asked.stopped,
        "cases": found,
    }


class Asked:
    """The engine, and how many searches it was too slow for."""

    def __init__(self, engine: Postgres, registry: Registry) -> None:
        self.engine = engine
        self.stopped = 0
        self._registry = registry

    def compared(self, near: Rules, equal: Rules, runs: int) -> dict[str, Any]:
        """Give the medians of both searches, and what each finds."""
        queries = [self._query(near), self._query(equal)]
        counts = [self._total(query) for query in queries]
        one, other = interleaved([partial(self._total, q) for q in queries], runs)
        return {
            "ratio": round(one / other, 2),
            "ms": round(one, 1),
            "equal_ms": round(other, 1),
            "share": counts,
        }

    def _query(self, rules: Sequence[Node]) -> Query:
        tree = lower(Group(rules=tuple(rules)), self._registry, today=TODAY)
        facets = self._registry.facets
        return Query(
            CALLER, self._registry, tree.condition, tree.text, facets=facets, limit=10
        )

    def _total(self, query: Query) -> int | None:
        try:
            return self.engine.search(query).total
        except Unavailable:
            self.stopped += 1
            return None

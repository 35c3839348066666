"""What a tree costs before any engine is asked; one JSON line comes last.

    python -m infra.bench tree [--leaves N] [--rounds N]

Medians in milliseconds over drawn trees with hostile values, nested two deep: checking
one against the registry, lowering it to conditions, making SQL of them down to the
bytes that are sent, and making a filter that is read once more. ``raw_ms`` is parsing
and checking at once, as a request does.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from statistics import median
from typing import Any

from infra.bench.worlds import manifest_for_both, seen
from tests import trees
from vitrine.postgres.binds import Binds
from vitrine.postgres.compile import compiled
from vitrine.postgres.scope import scope_of
from vitrine.problems import Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.registry.profiles import Registry
from vitrine.tree.conditions import Condition
from vitrine.tree.lower import lower
from vitrine.tree.model import Group, Node, Rule
from vitrine.tree.walk import map_rules
from vitrine.typesense.compile import filter_by
from vitrine.validate import check, validate

TREES = 20
BRANCHES = 4
GUARD = "a1"
_BY_ID = {
    "vocab_text_equals": "vocab_id_in",
    "vocab_text_in": "vocab_id_in",
    "vocab_text_not_in": "vocab_id_not_in",
}
Raw = dict[str, Any]


def raw_tree(rng: Random, registry: Registry, leaves: int) -> Raw:
    """Draw a tree of so many leaves, in a few groups of alternatives."""
    rules = [trees.rule(rng, registry, text=False) for _ in range(leaves)]
    parts = [rules[n::BRANCHES] for n in range(BRANCHES)]
    inner = [{"operator": "or", "rules": part} for part in parts if part]
    return {"operator": "and", "rules": inner}


def settled(tree: Group, registry: Registry) -> Group:
    """Put the codes of closed lists in place of labels, as the resolve step does."""

    def by_id(rule: Rule) -> Node:
        if rule.operator not in _BY_ID:
            return rule
        choices = registry.filters[rule.field].choices or ()
        said = [rule.value] if isinstance(rule.value, str) else rule.value
        codes = tuple(c.code for c in choices if c.value in said)
        return Rule(rule.field, _BY_ID[rule.operator], codes)

    return map_rules(tree, by_id)


def took(work: Callable[[], object], rounds: int) -> float:
    """Give the median of some rounds in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times) * 1_000


def measured(leaves: int, rounds: int) -> dict[str, float]:
    """Time each step on each drawn tree, and give the median of the trees."""
    found: dict[str, list[float]] = {}
    for seed in range(TREES):
        for name, milliseconds in _one(Random(seed), leaves, rounds).items():
            found.setdefault(name, []).append(milliseconds)
    return {name: round(median(times), 3) for name, times in found.items()}


def _one(rng: Random, leaves: int, rounds: int) -> dict[str, float]:
    manifest = manifest_for_both(rng)
    ours, theirs = (seen(manifest, engine) for engine in EngineName)
    raw = raw_tree(rng, theirs, leaves)
    tree = check(raw, theirs, today=trees.TODAY).require()
    ready = settled(tree, theirs)
    low = lower(ready, theirs, today=trees.TODAY)
    works: dict[str, Callable[[], object]] = {
        "raw_ms": lambda: check(raw, theirs, today=trees.TODAY),
        "validate_ms": lambda: validate(tree, theirs, today=trees.TODAY),
        "lower_ms": lambda: lower(ready, theirs, today=trees.TODAY),
        "sql_ms": lambda: _sql(low.condition, ours),
        "filter_ms": lambda: _filter(low.condition),
    }
    return {name: took(work, rounds) for name, work in works.items()}


def _sql(condition: Condition, registry: Registry) -> bytes:
    return compiled(condition, scope_of(registry), Binds()).as_bytes(None)


def _filter(condition: Condition) -> str | None:
    with suppress(Invalid):  # too large for the engine, which costs as much to know
        return filter_by(condition, GUARD)
    return None


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench tree")
    parser.add_argument("--leaves", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=50)
    asked = parser.parse_args(arguments)
    print(json.dumps({"leaves": asked.leaves} | measured(asked.leaves, asked.rounds)))
    return 0

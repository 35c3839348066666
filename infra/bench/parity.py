"""Random trees on a local stack: the oracle, PostgreSQL and Typesense must agree.

    python -m infra.bench parity [--trees N] [--seed S]

Each world is a registry, documents and their unseen twins, on both engines; its trees
are checked, resolved, lowered and run as a search would. Every tree that an engine's
capability table admits must find the oracle's documents and no other, and count them.
A difference and a leak are printed with the tree; one JSON line comes last.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from infra.bench.worlds import Servers, Side, World, world
from infra.local import typesense
from infra.local.stack import Stack
from tests import oracle, trees
from tests.integration.postgres import things
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.problems import Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.search.engine import Query
from vitrine.search.resolve import resolve
from vitrine.tree.conditions import TRUE, All, Condition, Not
from vitrine.tree.lower import lower
from vitrine.tree.model import Group, Rule, dump, leaves
from vitrine.typesense.client import connect
from vitrine.typesense.search import Typesense
from vitrine.validate import check

PER_WORLD = 250
WIDE = 0.03
TOLD = 20
"""Most differences that are printed."""
UNUSABLE = ("a\0b", "\ud800", "x\0")
"""What no engine stores: a tree that holds it is refused before any is asked."""
NOT_HERE = frozenset({"operator_not_here", "unknown_field"})
TOO_LARGE = "too-large"
Raw = dict[str, Any]


@dataclass(slots=True)
class Tally:
    """What a campaign saw; ``ran`` counts by engine, ``refused`` by reason."""

    trees: int = 0
    differences: int = 0
    leaks: int = 0
    ran: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    @property
    def figures(self) -> dict[str, Any]:
        """Give the counts."""
        head = {k: getattr(self, k) for k in ("trees", "differences", "leaks")}
        return head | {"ran": dict(self.ran), "refused": dict(self.refused)}

    def differs(self, what: str, tree: Any, *, leak: bool = False) -> None:
        """Count a difference, or a leak, and keep it to be told."""
        self.leaks += leak
        self.differences += not leak
        if len(self.told) < TOLD:
            self.told.append(f"{what}\n    {json.dumps(tree, ensure_ascii=False)}")


@dataclass(frozen=True, slots=True)
class Run:
    """One tree that ran on one engine, with the documents that it must find."""

    tree: Group
    condition: Condition
    expected: frozenset[int]


def campaign(servers: Servers, count: int, seed: int) -> Tally:
    """Compare so many trees, in worlds of a few hundred."""
    tally = Tally()
    for number in range(0, count, PER_WORLD):
        rng = Random(f"{seed}/{number}")
        here = world(rng, servers)
        drawn = [_raw(rng, here) for _ in range(min(PER_WORLD, count - number))]
        for engine, side in here.sides.items():
            runs = [
                run for raw in drawn if (run := _compared(tally, here, engine, raw))
            ]
            tally.ran[engine.value] += len(runs)
            _counted(tally, here, side, runs)
        tally.trees += len(drawn)
        _poisoned(tally, here, rng)
    return tally


def _raw(rng: Random, here: World) -> Raw:
    """Draw a tree that one of the engines admits, some of it by stored codes.

    A few are so wide that Typesense may refuse them.
    """
    side = here.sides[rng.choice(tuple(here.sides))]
    parts = [
        trees.tree(rng, side.registry, here.documents, depth=rng.choice((1, 2, 3, 4)))
        for _ in range(rng.randint(8, 14) if rng.random() < WIDE else 1)
    ]
    wide = {"type": "group", "operator": rng.choice(("and", "or")), "rules": parts}
    return _by_codes(rng, parts[0] if len(parts) == 1 else wide, side)


def _by_codes(rng: Random, raw: Raw, side: Side) -> Raw:
    """Say a few labels as the ids that the editor may send."""
    if "rules" in raw:
        return raw | {"rules": [_by_codes(rng, rule, side) for rule in raw["rules"]]}
    operator = raw["operator"]
    if operator not in ("vocab_text_in", "vocab_text_not_in") or rng.random() < 0.7:
        return raw
    known = {c.value: c.code for c in side.registry.filters[raw["field"]].choices or ()}
    changed = operator.replace("text", "id")
    return raw | {"operator": changed, "value": [known[v] for v in raw["value"]]}


def _compared(tally: Tally, here: World, engine: EngineName, raw: Raw) -> Run | None:
    """Run a tree on one engine; None where it was refused, and counted as that."""
    side = here.sides[engine]
    checked = check(raw, side.registry, today=trees.TODAY, ids=True)
    if checked.faults:
        codes = {fault.code for fault in checked.faults}
        tally.refused["not_on_engine"] += codes <= NOT_HERE
        if not codes <= NOT_HERE:
            tally.differs(f"{engine}: a good tree is refused: {codes}", raw)
        return None
    expected = frozenset(
        number
        for number, document in enumerate(here.documents)
        if oracle.matches(checked.tree, document, side.registry, trees.TODAY)
    )
    try:
        return _ran(tally, here, engine, Run(checked.tree, TRUE, expected))
    except Invalid as refusal:
        codes = {fault.code for fault in refusal.faults}
        tally.refused[TOO_LARGE] += codes == {TOO_LARGE}
        if codes != {TOO_LARGE}:
            tally.differs(f"{engine}: refused at last: {codes}", dump(checked.tree))
        return None


def _ran(tally: Tally, here: World, engine: EngineName, run: Run) -> Run:
    side = here.sides[engine]
    query = Query(here.caller, side.registry, TRUE, limit=250, mode="strict")
    settled = resolve(run.tree, side.engine, query)
    low = lower(settled.tree, side.registry, today=trees.TODAY)
    asked = Query(
        here.caller, side.registry, low.condition, low.text, limit=250, mode="strict"
    )
    hits = side.engine.search(asked)
    found = [side.numbers.get(row.id) for row in hits.rows]
    shown = {number for number in found if number is not None}
    if None in found or hits.total > len(here.documents):
        tally.differs(f"{engine}: unseen documents", dump(run.tree), leak=True)
    elif shown != run.expected or hits.total != len(found) or not hits.exact:
        more, less = sorted(shown - run.expected), sorted(run.expected - shown)
        what = f"{engine}: found {more} too many, {less} too few, total {hits.total}"
        tally.differs(what + _values(here, run.tree, [*more, *less]), dump(run.tree))
    whole = All((low.condition, low.text)) if low.text else low.condition
    return Run(run.tree, whole, run.expected)


def _values(here: World, tree: Group, numbers: Iterable[int]) -> str:
    """Show what the first documents in question hold."""
    keys = {rule.field for _, rule in leaves(tree)} | {"title"}
    shown = [
        {k: here.documents[n].get(k) for k in sorted(keys)} for n in [*numbers][:2]
    ]
    return f"\n    {json.dumps(shown, ensure_ascii=False)}"


def _counted(tally: Tally, here: World, side: Side, runs: list[Run]) -> None:
    """Count what was found, and its complement, as an explanation does."""
    query = Query(here.caller, side.registry, TRUE)
    everything = len(here.documents)
    for start in range(0, len(runs), 20):
        part = runs[start : start + 20]
        both = [c for run in part for c in (run.condition, Not(run.condition))]
        try:
            numbers = [c.number for c in side.engine.count(query, both)]
        except Invalid:  # a complement may be too large where the tree was not
            tally.refused["complement"] += len(part)
            continue
        for run, pair in zip(part, zip(*[iter(numbers)] * 2, strict=True), strict=True):
            wanted = (len(run.expected), everything - len(run.expected))
            if pair != wanted:
                what = f"{side.registry.engine}: counted {pair} in place of {wanted}"
                tally.differs(what, dump(run.tree), leak=sum(pair) > everything)


def _poisoned(tally: Tally, here: World, rng: Random) -> None:
    """Put what can't be stored into a tree; it must be refused at the first look."""
    for engine, side in here.sides.items():
        rule = {"field": "title", "operator": "equals", "value": rng.choice(UNUSABLE)}
        raw = {"operator": rng.choice(("and", "or")), "rules": [rule]}
        faults = check(raw, side.registry, today=trees.TODAY).faults
        tally.refused["unusable"] += bool(faults)
        if not faults:
            tally.differs(f"{engine}: an unusable value passes", rule)


@contextmanager
def serving() -> Iterator[Servers | None]:
    """Start both engines with an empty source; None where Typesense is absent."""
    with Stack(parts=("postgres", "typesense")) as stack:
        if stack.typesense is None:
            yield None
            return
        things.create(stack.dsn)
        patient = connect(stack.typesense.url, stack.typesense.key, timeout=60)
        searched = Postgres(connector(stack.cluster.dsn(role="vitrine_service")))
        yield Servers(stack.dsn, searched, patient, Typesense(patient))
        searched.close()
        patient.api_call.close()


def main(arguments: list[str]) -> int:
    """Run a campaign; give 1 where anything differs or leaks."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench parity")
    parser.add_argument("--trees", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    with serving() as servers:
        if servers is None:
            print(typesense.ABSENT)
            return 2
        tally = campaign(servers, asked.trees, asked.seed)
    print(*tally.told, sep="\n")
    print(json.dumps(tally.figures))
    return int(bool(tally.differences or tally.leaks))


__all__ = ["Rule", "campaign", "main"]

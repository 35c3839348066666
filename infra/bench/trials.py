"""A world's trees on one engine: what is found and counted, held against the oracle."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from infra.bench.worlds import Side, World
from tests import oracle, trees
from vitrine.problems import Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Hits, Query
from vitrine.search.fitting import misfits
from vitrine.search.resolve import resolve
from vitrine.tree.conditions import TRUE, All, Condition, Not
from vitrine.tree.lower import lower
from vitrine.tree.model import Group, dump, leaves
from vitrine.validate import check

WIDE = 0.03
"""The share of trees that are so wide that Typesense may refuse them."""
COUNTED = 20
"""Trees whose counts are asked for at once."""
TOLD = 20
"""Most differences that are printed."""
UNUSABLE = ("a\0b", "\ud800", "x\0")
"""What no engine stores: a tree that holds it is refused before any is asked."""
NOT_HERE = frozenset({"operator_not_here", "unknown_field"})
TOO_LARGE = frozenset({"too-large"})
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
        self.told.append(f"{what}\n    {json.dumps(tree, ensure_ascii=False)}")
        del self.told[TOLD:]

    def add(self, other: Tally) -> None:
        """Add what another one saw."""
        self.trees += other.trees
        self.differences += other.differences
        self.leaks += other.leaks
        self.ran += other.ran
        self.refused += other.refused
        self.told = [*self.told, *other.told][:TOLD]


@dataclass(frozen=True, slots=True)
class Case:
    """A tree as it was drawn and as it was checked, and what it must find."""

    raw: Raw
    tree: Group
    expected: frozenset[int]


@dataclass(frozen=True, slots=True)
class Ran:
    """A case with the condition that ran."""

    case: Case
    condition: Condition


def cases(tally: Tally, here: World, rng: Random, count: int) -> list[Case]:
    """Draw trees that one of the engines admits; PostgreSQL admits them all."""
    registry = here.sides[EngineName.POSTGRES].registry
    drawn = [_raw(rng, here) for _ in range(count)]
    made = [_case(tally, here, registry, raw) for raw in drawn]
    return [case for case in made if case is not None]


def _raw(rng: Random, here: World) -> Raw:
    """Draw a tree, some of it by stored codes."""
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


def _case(tally: Tally, here: World, registry: Registry, raw: Raw) -> Case | None:
    checked = check(raw, registry, today=trees.TODAY, ids=True)
    if checked.faults:
        codes = sorted({fault.code for fault in checked.faults})
        tally.differs(f"a good tree is refused: {codes}", raw)
        return None
    expected = frozenset(
        number
        for number, document in enumerate(here.documents)
        if oracle.matches(checked.tree, document, registry, trees.TODAY)
    )
    return Case(raw, checked.tree, expected)


def compared(here: World, engine: EngineName, drawn: Iterable[Case]) -> Tally:
    """Run every case that the engine admits, then count them all."""
    tally, side = Tally(), here.sides[engine]
    found = (_ran(tally, here, side, c) for c in drawn if _admitted(tally, side, c))
    ran = [one for one in found if one is not None]
    tally.ran[engine.value] += len(ran)
    for start in range(0, len(ran), COUNTED):
        _counted(tally, here, side, ran[start : start + COUNTED])
    return tally


def _admitted(tally: Tally, side: Side, case: Case) -> bool:
    """Tell whether the engine's capability table lets a tree in, read alike."""
    checked = check(case.raw, side.registry, today=trees.TODAY, ids=True)
    codes = {fault.code for fault in checked.faults}
    if codes:
        tally.refused["not_on_engine"] += codes <= NOT_HERE
    if not codes <= NOT_HERE or (not codes and checked.tree != case.tree):
        tally.differs(f"{side.registry.engine}: read otherwise: {codes}", case.raw)
    return not codes


def _ran(tally: Tally, here: World, side: Side, case: Case) -> Ran | None:
    """Run a case as a search does; None where it was refused, and counted as that."""
    query = Query(here.caller, side.registry, TRUE, limit=250, mode="strict")
    large = misfits(case.tree, side.registry, here.caller, trees.TODAY)
    warned = {fault.code for fault in large}
    try:
        settled = resolve(case.tree, side.engine, query)
        low = lower(settled.tree, side.registry, today=trees.TODAY)
        asked = Query(
            here.caller, side.registry, low.condition, low.text, 250, mode="strict"
        )
        _judged(tally, here, side, case, side.engine.search(asked))
    except Invalid as refusal:
        codes = {fault.code for fault in refusal.faults}
        tally.refused["too-large"] += codes == TOO_LARGE
        if codes != TOO_LARGE or codes != warned:
            what = f"{side.registry.engine}: refused: {codes}, foretold: {warned}"
            tally.differs(what, dump(case.tree))
        return None
    # A later rung of a text's ladder would have been too large.
    tally.refused["too-large-if-widened"] += bool(warned)
    whole = All((low.condition, low.text)) if low.text else low.condition
    return Ran(case, whole)


def _judged(tally: Tally, here: World, side: Side, case: Case, hits: Hits) -> None:
    found = [side.numbers.get(row.id) for row in hits.rows]
    shown = {number for number in found if number is not None}
    engine, tree = side.registry.engine, dump(case.tree)
    if None in found or hits.total > len(here.documents):
        tally.differs(f"{engine}: unseen documents", tree, leak=True)
    elif shown != case.expected or hits.total != len(found) or not hits.exact:
        more, less = sorted(shown - case.expected), sorted(case.expected - shown)
        what = f"{engine}: found {more} too many, {less} too few, total {hits.total}"
        tally.differs(what + _held(here, case.tree, [*more, *less]), tree)


def _held(here: World, tree: Group, numbers: Sequence[int]) -> str:
    """Show what the first documents in question hold."""
    keys = sorted({rule.field for _, rule in leaves(tree)} | {"title"})
    shown = [{k: here.documents[n].get(k) for k in keys} for n in numbers[:2]]
    return f"\n    {json.dumps(shown, ensure_ascii=False)}"


def _counted(tally: Tally, here: World, side: Side, part: Sequence[Ran]) -> None:
    """Count what was found, and its complement, as an explanation does."""
    query, everything = Query(here.caller, side.registry, TRUE), len(here.documents)
    try:
        counts = side.engine.count(query, [one.condition for one in part])
        others = side.engine.count(query, [Not(one.condition) for one in part])
    except Invalid:  # a complement may be too large where the tree was not
        tally.refused["complement"] += len(part)
        return
    for one, count, other in zip(part, counts, others, strict=True):
        wanted = len(one.case.expected)
        if (count.number, other.number) != (wanted, everything - wanted):
            what = f"counted {count.number} and {other.number}, found {wanted}"
            leak = count.number + other.number > everything
            tree = dump(one.case.tree)
            tally.differs(f"{side.registry.engine}: {what}", tree, leak=leak)


def poisoned(tally: Tally, here: World, rng: Random) -> None:
    """Put what can't be stored into a tree; it must be refused at the first look."""
    for engine, side in here.sides.items():
        rule = {"field": "title", "operator": "equals", "value": rng.choice(UNUSABLE)}
        raw = {"operator": rng.choice(("and", "or")), "rules": [rule]}
        faults = check(raw, side.registry, today=trees.TODAY).faults
        tally.refused["unusable"] += bool(faults)
        if not faults:
            tally.differs(f"{engine}: an unusable value passes", rule)

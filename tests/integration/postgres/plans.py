"""What PostgreSQL means to do, and did: the scans of a plan, and what they cost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from vitrine.caller import Caller
from vitrine.postgres.statement import Statement

BIG = {"assets", "numbers", "terms", "words", "lexemes", "contacts", "events", "links"}
"""Tables that grow with a tenant, or with the number of tenants."""
_PLAN = sql.SQL("EXPLAIN (FORMAT JSON) {}")
_RUN = sql.SQL("EXPLAIN (FORMAT JSON, ANALYZE, TIMING off, BUFFERS off) {}")

Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scan:
    """One access to a table: how, and under which conditions of an index."""

    table: str
    way: str
    conditions: tuple[str, ...]

    @property
    def keeps_to_tenant(self) -> bool:
        """Tell whether each index is entered at the tenant, and none is missing."""
        return bool(self.conditions) and all("tenant" in c for c in self.conditions)


def planned(dsn: str, caller: Caller, statement: Statement) -> Node:
    """Give the plan of a statement as the service role would run it."""
    return _explained(dsn, caller, statement, _PLAN)


def ran(dsn: str, caller: Caller, statement: Statement) -> Node:
    """Run a statement and give its plan with what each node did."""
    return _explained(dsn, caller, statement, _RUN)


def _explained(dsn: str, caller: Caller, statement: Statement, how: sql.SQL) -> Node:
    said = json.dumps({"tenant": caller.tenant, "subject": caller.subject})
    with psycopg.connect(dsn, prepare_threshold=None) as connection:
        connection.execute("SELECT set_config('app.caller', %s::text, true)", [said])
        asked = how.format(statement.text)
        row = connection.execute(asked, statement.values).fetchone()
    assert row is not None
    plan: Node = row[0][0]["Plan"]
    return plan


def nodes(plan: Node) -> Iterator[Node]:
    """Give a plan's nodes, parents first."""
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def scans(plan: Node) -> list[Scan]:
    """List the accesses to the tables that grow."""
    found = (node for node in nodes(plan) if node.get("Relation Name") in BIG)
    return [Scan(n["Relation Name"], n["Node Type"], _conditions(n)) for n in found]


def _conditions(node: Node) -> tuple[str, ...]:
    """Give an index's condition; under a bitmap, those of all that it is made of."""
    if node["Node Type"] != "Bitmap Heap Scan":
        return (node["Index Cond"],) if "Index Cond" in node else ()
    return tuple(_bitmaps(node["Plans"]))


def _bitmaps(plans: Sequence[Node]) -> Iterator[str]:
    for node in plans:
        match node["Node Type"]:
            case "Bitmap Index Scan":
                yield node.get("Index Cond", "")
            case "BitmapAnd":
                # One index that keeps to the tenant bounds the others.
                inner = [*_bitmaps(node["Plans"])]
                yield next((c for c in inner if "tenant" in c), "")
            case "BitmapOr":
                yield from _bitmaps(node["Plans"])


def gave(plan: Node) -> Counter[str]:
    """Count the rows that went on from each table, and from each step that made any.

    How nothing is joined with nothing is the planner's choice and costs nothing. Who
    asks is looked up for the first row that has to be judged.
    """
    found: Counter[str] = Counter()
    for node in nodes(plan):
        asked = node.get("Subplan Name", "").startswith("InitPlan")
        if not asked and node["Node Type"] != "Bitmap Index Scan":
            name = node.get("Relation Name") or node.get("CTE Name")
            found[name or ""] += round(node["Actual Rows"] * node["Actual Loops"])
    return +found


def looked(plan: Node) -> int:
    """Count the rows that were looked at and left out."""
    keys = ("Rows Removed by Filter", "Rows Removed by Index Recheck")
    return sum(
        round(node.get(key, 0) * max(1, node["Actual Loops"]))
        for node in nodes(plan)
        for key in keys
    )

"""Walk a large library page by page; one JSON line comes last.

    python -m infra.bench pages [--rows 1000000] [--pages 1000] [--runs 30]

``ratio`` is the median time of page 1,000 over that of page 1, both asked of the engine
by its cursor, in turn. The way there is walked, not jumped: ``seen`` counts its rows,
each of them once.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from functools import partial

from infra.bench.asking import CALLER, interleaved, library
from infra.bench.bulk import multiply
from infra.local.stack import Stack
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.search.engine import Query
from vitrine.tree.conditions import TRUE


def main(arguments: list[str]) -> int:
    """Load, walk and compare."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench pages")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=30)
    asked = parser.parse_args(arguments)
    with Stack(parts=("postgres",)) as stack:
        rows = multiply(stack.dsn, asked.rows, slim=True)
        engine = Postgres(connector(stack.cluster.dsn(role="vitrine_service")))
        first = Query(CALLER, library(), TRUE, limit=10)
        seen, last = walked(engine, first, asked.pages)
        pair = [partial(engine.search, first), partial(engine.search, last)]
        one, other = interleaved(pair, asked.runs)
        engine.close()
    figures = {
        "rows": rows,
        "ratio": round(other / one, 3),
        "page": asked.pages,
        "first_ms": round(one, 2),
        "last_ms": round(other, 2),
        "seen": seen,
    }
    print(json.dumps(figures))
    return 0


def walked(engine: Postgres, query: Query, pages: int) -> tuple[int, Query]:
    """Walk to the last page; give the distinct rows before it, and its query."""
    seen: set[str] = set()
    for number in range(1, pages):
        hits = engine.search(query)
        seen.update(row.id for row in hits.rows)
        if hits.next is None or len(seen) != number * query.limit:
            message = f"the walk broke on page {number}, after {len(seen)} rows"
            raise RuntimeError(message)
        query = replace(query, after=hits.next)
    return len(seen), query

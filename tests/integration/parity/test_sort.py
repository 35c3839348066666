"""A chosen order is the same by the oracle and on both engines, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from infra.bench.worlds import Servers, Side, World, world
from vitrine.registry.capabilities import EngineName, sortable
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.search.engine import Position, Query, Sort
from vitrine.tree.conditions import TRUE

READERS = {
    FieldType.NUMBER: lambda value: Decimal(str(value)),
    FieldType.DATE: date.fromisoformat,
    FieldType.DATETIME: datetime.fromisoformat,
    FieldType.TIME: time.fromisoformat,
}
Keys = list[Any]


def expected(here: World, field: Field, *, descending: bool) -> Keys:
    """Order by hand: the values as they fall or rise, then those that are missing."""
    values = [key(here.documents[n], field) for n in range(len(here.documents))]
    there = sorted((v for v in values if v is not None), reverse=descending)
    return there + [None] * (len(values) - len(there))


def key(document: dict[str, Any], field: Field) -> Any:
    value = document.get(field.key)
    return None if value is None else READERS[field.type](value)


def walked(here: World, side: Side, sort: Sort, limit: int) -> list[int]:
    """Walk to the end; give the numbers of the documents in the order of the pages."""
    query = Query(here.caller, side.registry, TRUE, limit=limit, sort=sort)
    after: Position | None = None
    found: list[int] = []
    while True:
        hits = side.engine.search(replace(query, after=after))
        found += [side.numbers[row.id] for row in hits.rows]
        after = hits.next
        if after is None:
            return found


def ordering(side: Side) -> Sequence[Field]:
    known = side.registry.manifest.fields
    return [f for f in known if f.type in READERS and sortable(EngineName.TYPESENSE, f)]


# Worlds of these seeds have fields to order by; not every one does.
@pytest.mark.parametrize("seed", [1, 2, 3, 5, 6, 7])
def test_both_engines_walk_in_the_order_of_the_oracle(
    servers: Servers, seed: int
) -> None:
    """P02, P03: complete, each once; ties in any order, missing values last."""
    here = world(Random(f"sort {seed}"), servers)
    walks = 0
    for engine, side in here.sides.items():
        for field in ordering(side):
            for descending in (False, True):
                sort = Sort(field, descending=descending)
                found = walked(here, side, sort, limit=9)

                wanted = expected(here, field, descending=descending)
                assert wanted == [key(here.documents[n], field) for n in found], engine
                assert sorted(found) == list(range(len(here.documents)))
                walks += 1

    assert walks

"""An empty search is explained alike on both engines: numbers, blockers, ways on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from typesense import Client

from infra.bench.worlds import Servers, Side, World, world
from tests import trees
from tests.fix_stack import Database
from tests.integration.postgres import things
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.problems import Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.search.explain import Explanation, explain
from vitrine.search.prepare import Ask, Parts
from vitrine.tree.model import Group
from vitrine.tree.parse import parse
from vitrine.typesense.search import Typesense

NOON = datetime.combine(trees.TODAY, datetime.min.time(), UTC)
DRAWN = 60
NOTHING: Any = None
"""Budgets and seals, which an uncapped profile does not need."""


@pytest.fixture(scope="module")
def servers(database: Database, client: Client, engine: Typesense) -> Iterator[Servers]:
    things.create(database.dsn)
    reader = Postgres(connector(database.service_dsn))
    yield Servers(database.dsn, reader, client, engine)
    reader.close()


def told(side: Side, here: World, tree: Group) -> Explanation | str:
    """Explain, or give the code of the refusal."""
    parts = Parts(side.engine, NOTHING, NOTHING, NOTHING)
    try:
        return explain(Ask(here.caller, side.registry, tree, NOON), parts)
    except Invalid as problem:
        return problem.faults[0].code


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_both_engines_explain_alike(servers: Servers, seed: int) -> None:
    rng = Random(seed)
    here = world(rng, servers)
    ours, theirs = (here.sides[name] for name in EngineName)
    fields = here.sides[EngineName.TYPESENSE].registry
    explained = 0

    for _ in range(DRAWN):
        # Texts are left out: each engine finds words in its own way.
        drawn = [
            trees.tree(rng, fields, here.documents, depth=2, text=False),
            *(trees.rule(rng, fields, here.documents, text=False) for _ in range(2)),
        ]
        tree = parse({"type": "group", "operator": "and", "rules": drawn}).tree
        one, other = (told(side, here, tree) for side in (ours, theirs))
        assert one == other, drawn
        explained += isinstance(one, Explanation)

    assert explained >= 5

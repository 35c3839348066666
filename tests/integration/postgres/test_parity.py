"""PostgreSQL says what the oracle says, tree by tree, document by document."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings

from tests import trees
from tests.fix_stack import Database
from tests.integration.postgres import things
from tests.oracle import matches
from vitrine.postgres.search import Postgres
from vitrine.tree.lower import lower
from vitrine.validate import check


@given(trees.SEEDS)
@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_every_tree_finds_what_the_oracle_finds(
    database: Database, source: Postgres, seed: int
) -> None:
    """F06, F07, F08, F10: over every type, operator, place and missing value."""
    rng = Random(seed)
    registry = things.placed(rng, trees.registry(rng))
    documents = trees.documents(rng, registry, 12)
    stored = things.store(database.dsn, registry, documents)

    for _ in range(4):
        raw = trees.tree(rng, registry, documents)
        checked = check(raw, registry, today=trees.TODAY)
        found = lower(checked.require(), registry, today=trees.TODAY)
        hits = source.search(things.query(registry, found.condition, found.text))

        expected = {
            thing.id
            for thing in stored
            if matches(checked.tree, thing.document, registry, trees.TODAY)
        }
        assert expected == {row.id for row in hits.rows}, (raw, documents)
        assert len(expected) == hits.total

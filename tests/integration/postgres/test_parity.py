"""PostgreSQL says what the oracle says, tree by tree, document by document."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings

from tests import trees
from tests.fix_stack import Database
from tests.integration.postgres import things
from tests.integration.postgres.test_text import teach
from tests.oracle import matches
from vitrine.postgres.search import Postgres
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Count, Query
from vitrine.tree.conditions import TRUE, Text
from vitrine.tree.lower import every, lower
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
        query = things.query(registry, found.condition, found.text)
        hits = source.search(query)

        expected = {
            thing.id
            for thing in stored
            if matches(checked.tree, thing.document, registry, trees.TODAY)
        }
        assert expected == {row.id for row in hits.rows}, (raw, documents)
        assert len(expected) == hits.total
        asked = every([found.text or TRUE, found.condition])
        assert (Count(len(expected)),) == source.count(query, [asked])


@given(trees.SEEDS)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_hidden_rows_change_nothing(
    database: Database, source: Postgres, seed: int
) -> None:
    """The same data with hidden rows among it and without them: one answer."""
    rng = Random(seed)
    registry = things.placed(rng, trees.registry(rng))
    seen, unseen = (trees.documents(rng, registry, n) for n in (8, 5))
    queries = [_asked(rng, registry, [*seen, *unseen]) for _ in range(5)]

    things.store(database.dsn, registry, seen)
    teach(database.dsn, _words(seen))
    expected = [source.search(query) for query in queries]
    counted = source.count(queries[0], [q.condition for q in queries])
    things.store(database.dsn, registry, seen, hidden=unseen)
    teach(database.dsn, _words([*seen, *unseen]))

    assert expected == [source.search(query) for query in queries]
    assert counted == source.count(queries[0], [q.condition for q in queries])


def _asked(rng: Random, registry: Registry, documents: list[dict[str, Any]]) -> Query:
    """Ask for a drawn tree, often with a word that is one slip away from a title's."""
    raw = trees.tree(rng, registry, documents)
    checked = check(raw, registry, today=trees.TODAY).require()
    found = lower(checked, registry, today=trees.TODAY)
    word = rng.choice(trees.WORDS)
    said = rng.choice((word, word[:-1] + "x", word[:3], f"{word} {word[::-1]}"))
    text = found.text or rng.choice((None, Text(said)))
    facets = [k for k, f in registry.filters.items() if f.type in _FACETED]
    limit = rng.choice((0, 2, 100))
    return things.query(
        registry, found.condition, text, facets=tuple(facets), limit=limit
    )


_FACETED = {FieldType.KEYWORD, FieldType.ORIENTATION, FieldType.BOOLEAN}


def _words(documents: list[dict[str, Any]]) -> list[str]:
    return sorted({word for d in documents for word in d["title"].split()})

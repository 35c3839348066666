"""What is observed of a source's values, against a count by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests import trees
from tests.fix_stack import Database
from tests.integration.postgres import things
from vitrine.postgres import sample
from vitrine.postgres.sample import LONGEST
from vitrine.postgres.search import Postgres
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.samples import NOTHING, VALUES

LISTED = (
    FieldType.TEXT,
    FieldType.KEYWORD,
    FieldType.COLOUR,
    FieldType.ORIENTATION,
)
KINDS = (*LISTED, FieldType.NUMBER, FieldType.DATE)
Documents = Sequence[Mapping[str, Any]]


def told(field: Field, documents: Documents) -> Iterable[Any]:
    """Give the values of each document, one that stands there twice once."""
    for document in documents:
        value = document.get(field.key)
        values = value if isinstance(value, list) else [value]
        yield from {v for v in values if v not in (None, "")}


def top(field: Field, documents: Documents) -> tuple[str, ...]:
    short = (said for said in told(field, documents) if len(said) <= LONGEST)
    counted = Counter(short)
    ranked = sorted(counted, key=lambda said: (-counted[said], said))
    return tuple(ranked[:VALUES])


@pytest.mark.parametrize("few", [sample.FEW, 0])
@given(seed=trees.SEEDS)
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_samples_are_what_a_count_by_hand_gives(
    database: Database, source: Postgres, few: int, seed: int
) -> None:
    """In a column or in ``meta``, and of visible rows of this tenant alone.

    However many fields a tenant defines: a few each by itself, many in one pass.
    """
    rng = Random(seed)
    registry = things.placed(rng, trees.registry(rng, kinds=KINDS))
    drawn = trees.documents(rng, registry, 36)
    seen, hidden, foreign = drawn[:12], drawn[12:24], drawn[24:]
    things.store(database.dsn, registry, seen, hidden=hidden, foreign=foreign)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "FEW", few)
        samples = source.sample(things.ACME, registry.manifest)

    for field in registry.manifest.fields[1:]:
        found = samples.get(field.key, NOTHING)
        if field.type in LISTED:
            assert top(field, seen) == found.values, field
            continue
        values = list(told(field, seen))
        edges = (min(values), max(values)) if values else (None, None)
        assert edges == (found.low, found.high), field


def test_a_sensitive_field_is_in_no_statement(
    database: Database, source: Postgres
) -> None:
    secret = Field(
        key="text_0",
        type=FieldType.TEXT,
        label={"en": "secret"},
        column="meta:text_0",
        sensitive=True,
    )
    registry = trees.registry_of([secret])
    whole = registry.manifest.model_copy(update={"relation": things.RELATION})
    things.store(database.dsn, registry, [{"title": "chair", "text_0": "whisper"}])

    samples = source.sample(things.ACME, whole)

    assert ("chair",) == samples["title"].values
    assert "whisper" not in repr(samples)

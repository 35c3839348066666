"""The load in short: every cap stays exact, and the table counts what left."""

from __future__ import annotations

import itertools
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from infra.attack import load
from infra.attack.load import Plan, client, loaded
from tests.fix_table import SCHEMA
from vitrine.registry.manifest import Budget, Cap
from vitrine.store.table import Table

if TYPE_CHECKING:
    from infra.local.aws import Aws

_numbers = itertools.count(1)


@pytest.fixture
def table(aws: Aws) -> Any:
    """A table of its own, and a connection for each of the fifty."""
    name = f"load_{next(_numbers)}"
    aws.create(name, SCHEMA)
    with closing(client(aws)) as dynamo:
        yield Table(dynamo, name)


def test_fifty_at_once_keep_every_cap_exact(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    tight = Budget(day=Cap(floor=3), month=Cap(floor=9), facet_values=40)
    monkeypatch.setattr(load, "BUDGET", tight)

    figures = loaded(table, Plan(120, 0, size=300))

    assert (0, 0, {}) == tuple(figures[k] for k in ("over_cap", "miscounted", "failed"))
    assert 120 == figures["searches"]
    assert "account" in figures["refused"]
    assert 20 * 9 >= figures["documents"] > 150
    assert figures["companies_at_cap"] > 10

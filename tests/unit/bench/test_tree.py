"""What a tree costs is measured on trees of the size that was asked."""

from __future__ import annotations

import json
from random import Random

import pytest

from infra.bench import tree
from infra.bench.worlds import manifest_for_both, seen
from tests import trees
from vitrine.registry.capabilities import EngineName
from vitrine.tree.model import leaves
from vitrine.validate import check


def test_a_measured_tree_has_the_leaves_that_were_asked() -> None:
    rng = Random(1)
    registry = seen(manifest_for_both(rng), EngineName.TYPESENSE)

    raw = tree.raw_tree(rng, registry, 20)

    drawn = check(raw, registry, today=trees.TODAY).require()
    assert 20 == len(list(leaves(drawn)))


def test_a_tree_of_twenty_leaves_is_cheap(capsys: pytest.CaptureFixture[str]) -> None:
    """The figure to watch is below 1 ms; a loaded machine is given room."""
    assert tree.main(["--rounds", "5"]) == 0

    figures = json.loads(capsys.readouterr().out)
    assert {
        "leaves",
        "raw_ms",
        "validate_ms",
        "lower_ms",
        "sql_ms",
        "filter_ms",
    } == set(figures)
    checked = figures["validate_ms"] + figures["lower_ms"]
    assert checked + max(figures["sql_ms"], figures["filter_ms"]) < 5

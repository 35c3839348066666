"""Labels become ids, each on its own; what a name was taken for is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import pytest

from tests import trees
from vitrine.caller import Caller
from vitrine.problems import Invalid
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.search.engine import Count, Found, Hits, Query, Row, Wanted
from vitrine.search.report import Resolved
from vitrine.search.resolve import periods, resolve
from vitrine.tree.conditions import TRUE, Condition
from vitrine.tree.model import Group, Rule

CALLER = Caller("acme", "subject", "client")
REGISTRY = trees.registry_of(
    [
        Field(key="brand", type=FieldType.VOCABULARY, label={"en": "brand"}),
        Field(
            key="patron",
            type=FieldType.VOCABULARY,
            label={"en": "patron"},
            sensitive=True,
        ),
        Field(key="made", type=FieldType.DATE, label={"en": "made"}),
    ]
)
KNOWN = {
    "nordvik": Found(("b1",), ("Nordvik",)),
    "henning": Found(("b2", "b3"), ("Henning Koppel", "Henning Larsen")),
}


@dataclass(slots=True)
class Names:
    """An engine that knows a few names, and counts its statements."""

    asked: list[Sequence[Wanted]] = field(default_factory=list)

    def look_up(self, _query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        self.asked.append(wanted)
        unknown = Found(nearest=("Nordvik", "Lorme"))
        return tuple(KNOWN.get(w.label, unknown) for w in wanted)

    def search(self, query: Query) -> Hits:
        raise NotImplementedError

    def count(self, query: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        raise NotImplementedError

    def fetch(self, query: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        raise NotImplementedError


QUERY = Query(CALLER, REGISTRY, TRUE)


def test_all_labels_go_in_one_statement_and_none_without_a_label() -> None:
    engine = Names()
    tree = Group(
        rules=(
            Rule("brand", "vocab_text_in", ("nordvik", "henning")),
            Group("or", (Rule("patron", "vocab_text_not_in", ("nordvik",)),)),
        )
    )

    settled = resolve(tree, engine, QUERY)
    resolve(Group(rules=(Rule("made", "is_empty"),)), engine, QUERY)

    assert len(engine.asked) == 1
    first, second = settled.tree.rules
    assert Rule("brand", "vocab_id_in", ("b1", "b2", "b3")) == first
    assert Group("or", (Rule("patron", "vocab_id_not_in", ("b1",)),)) == second
    assert Resolved("brand", "nordvik", ("Nordvik",)) in settled.resolved


def test_each_unknown_literal_is_refused_at_its_place() -> None:
    """N09: one known literal does not carry an unknown one along."""
    tree = Group(rules=(Rule("brand", "vocab_text_in", ("nordvik", "x", "y")),))

    with pytest.raises(Invalid) as refused:
        resolve(tree, Names(), QUERY)

    pointers = [fault.pointer for fault in refused.value.faults]
    assert pointers == ["/rules/0/value/1", "/rules/0/value/2"]
    assert "Nordvik" in refused.value.faults[0].remedy


def test_a_sensitive_vocabulary_names_no_neighbour() -> None:
    """N09: what is sensitive is not quoted, not even to help."""
    tree = Group(rules=(Rule("patron", "vocab_text_equals", "x"),))

    with pytest.raises(Invalid) as refused:
        resolve(tree, Names(), QUERY)

    assert "Nordvik" not in str(refused.value.body())


@pytest.mark.parametrize(
    ("expected", "name"),
    [
        ("2026-10-01..2026-10-31", "last_month"),
        ("2026-11-01..2026-11-30", "last_30_days"),
        ("2025-12-01..2026-02-28", "last_winter"),
        ("2024-02-01..", "since 2024-02"),
        ("..2025-12-31", "before 2026"),
    ],
)
def test_a_named_period_is_told_in_days(expected: str, name: str) -> None:
    """D02: how a period was read stands in the report."""
    tree = Group(rules=(Group("or", (Rule("made", "in_period", name),)),))

    found = periods(tree, REGISTRY, date(2026, 11, 30))

    assert (Resolved("made", name, (expected,)),) == found

"""The one search: what it asks of an engine, and what it lets out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from tests.unit.search.conftest import MANIFEST
from tests.unit.search.engines import ScriptedEngine
from vitrine.caller import Caller
from vitrine.problems import Invalid
from vitrine.registry.profiles import registry_for
from vitrine.search.engine import Hits, Row
from vitrine.search.execute import MOST, execute, page_limit
from vitrine.search.explain import EXPLAINED, explain
from vitrine.search.prepare import Ask, Parts, way_on
from vitrine.tree.conditions import TRUE, Member, Text
from vitrine.tree.model import Group, Rule

LAMP = Rule("full_text_search", "keyword_search", "lamp")
WIDE = Rule("width", "greater_than", 100)


def tree(*rules: Rule | Group) -> Group:
    return Group(rules=rules)


def rows(count: int, **values: Any) -> tuple[Row, ...]:
    return tuple(
        Row(str(UUID(int=n)), {"name": f"n{n}", **values}) for n in range(count)
    )


def test_the_root_text_ranks_and_the_rest_filters(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    execute(replace(ask, tree=tree(LAMP, WIDE)), parts)

    (query,) = engine.queries
    assert Text("lamp", "keyword_search") == query.text
    assert query.condition != TRUE


def test_labels_are_resolved_in_one_statement_and_reported(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.labels = {"Koppel": "7", "Gray": "9"}
    wanted = Rule("maker", "vocab_text_in", ["Koppel", "Gray"])

    answer = execute(replace(ask, tree=tree(wanted)), parts)

    assert 1 == len(engine.looked_up)
    condition = engine.queries[0].condition
    assert isinstance(condition, Member)
    assert {"7", "9"} == set(condition.values)
    assert ["Koppel", "Gray"] == [r["asked"] for r in answer.report["resolved"]]


def test_without_labels_nothing_is_looked_up(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    execute(replace(ask, tree=tree(WIDE)), parts)

    assert [] == engine.looked_up


def test_n09_each_unknown_label_of_a_list_is_refused_with_the_nearest(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.labels = {"Koppel": "7"}
    wanted = Rule("maker", "vocab_text_in", ["Koppel", "Bogus", "None"])

    with pytest.raises(Invalid) as refused:
        execute(replace(ask, tree=tree(wanted)), parts)

    pointers = [fault.pointer for fault in refused.value.faults]
    assert ["/rules/0/value/1", "/rules/0/value/2"] == pointers
    assert all("Koppel" in fault.remedy for fault in refused.value.faults)
    assert [] == engine.queries


@pytest.mark.parametrize("limit", [-1, MOST + 1])
def test_a_page_beyond_the_most_is_refused_naming_it(ask: Ask, limit: int) -> None:
    with pytest.raises(Invalid, match=str(MOST)):
        page_limit(limit, ask.registry)


def test_a_capped_profile_names_its_own_most() -> None:
    closed = registry_for(MANIFEST, "closed", tenant="t")

    with pytest.raises(Invalid, match="at most 10"):
        page_limit(11, closed)


def test_a_cursor_goes_on_where_the_page_ended_in_the_same_mode(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.hits = Hits(rows(20), 20, mode="typo", fallback="lamp", next=("x", 10))
    first = execute(replace(ask, tree=tree(LAMP)), parts)

    execute(replace(ask, tree=tree(LAMP), cursor=first.next_cursor), parts)

    assert (("x", 10), "typo") == (engine.queries[1].after, engine.queries[1].mode)


@pytest.mark.parametrize(
    "change",
    [
        {"tree": tree(LAMP, WIDE)},
        {"caller": Caller("t", "bob", "desk")},
        {"caller": Caller("t", "ada", "other")},
        {"caller": Caller("u", "ada", "desk")},
        {"cursor": "forged"},
        {"now": datetime(2099, 1, 1, tzinfo=UTC)},
    ],
)
def test_a_cursor_of_another_search_or_caller_is_refused(
    ask: Ask, parts: Parts, engine: ScriptedEngine, change: dict[str, Any]
) -> None:
    """Forged, foreign and stale ones alike: one typed error, one sentence."""
    engine.hits = Hits(rows(20), 20, next=("x", 10))
    asked = replace(ask, tree=tree(LAMP))
    onward = execute(asked, parts).next_cursor

    with pytest.raises(Invalid, match="not valid here"):
        execute(replace(asked, **{"cursor": onward, **change}), parts)


def test_an_empty_answer_points_to_the_explanation(ask: Ask, parts: Parts) -> None:
    answer = execute(replace(ask, tree=tree(WIDE)), parts)

    assert "explain_empty" in answer.report["notes"]


def test_few_results_suggest_what_they_share_in_one_statement_more(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.hits = Hits(rows(3, tags=["oak", "round"]), 3)
    engine.counts = [12, 0]

    answer = execute(replace(ask, tree=tree(LAMP)), parts)

    assert 1 == len(engine.counted)
    assert [{"tags": "oak"}] == [
        {r["field"]: r["value"] for r in s.tree["rules"]} for s in answer.suggestions
    ]


def test_what_the_query_names_is_no_suggestion(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.hits = Hits(rows(2, tags=["oak"]), 2)
    asked = tree(Rule("tags", "equals", "oak"))

    assert () == execute(replace(ask, tree=asked), parts).suggestions
    assert [] == engine.counted


def test_an_explanation_is_one_count_naming_what_blocks(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.counts = [0, 412, 0, 0, 412, 30]

    told = explain(replace(ask, tree=tree(LAMP, WIDE)), parts)

    assert 1 == len(engine.counted)
    assert ("/rules/1",) == told.blocking
    assert [412, 0] == [each.total.number for each in told.filters]
    assert [0, 412] == [each.without.number for each in told.filters]


def test_no_more_than_five_filters_are_explained(ask: Ask, parts: Parts) -> None:
    widths = [Rule("width", "greater_than", n) for n in range(EXPLAINED + 3)]

    assert EXPLAINED == len(explain(replace(ask, tree=tree(*widths)), parts).filters)


def test_what_finds_something_has_nothing_to_explain(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.counts = [3]

    with pytest.raises(Invalid, match="finds something"):
        explain(replace(ask, tree=tree(WIDE)), parts)


def test_suggestions_are_offered_with_labels_not_ids(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.labels = {"Koppel": "7"}
    maker = Rule("maker", "vocab_text_equals", "Koppel")
    engine.counts = [0, 5, 5, 5, 5, 10, 10]

    told = explain(replace(ask, tree=tree(maker, WIDE)), parts)

    assert "vocab_id_in" not in repr(told.suggestions)
    assert "Koppel" in repr(told.suggestions[0].tree)


def test_the_way_on_carries_what_was_asked_as_words(ask: Ask) -> None:
    asked = tree(LAMP, Rule("tags", "in", ["oak", "a&b"]), WIDE)

    assert "https://site.example/?q=lamp+oak+a%26b" == way_on(asked, ask.registry, "en")

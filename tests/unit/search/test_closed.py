"""What a search of a capped profile may tell beside the documents that it pays for."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from infra.attack.shelf import Shelf
from tests.unit.disclosure.shop import field, manifest
from tests.unit.search.conftest import NOW
from tests.unit.search.engines import ScriptedEngine
from vitrine.caller import Caller
from vitrine.disclosure.answer import Answer
from vitrine.problems import BudgetSpent, Invalid
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Hits, Row
from vitrine.search.execute import execute, rehearse
from vitrine.search.explain import explain
from vitrine.search.lookup import look_up
from vitrine.search.prepare import Ask, Parts
from vitrine.tree.conditions import Between
from vitrine.tree.model import Group, Rule

COLOUR = Rule("colour", "equals", "red")
HALL = Rule("rooms", "equals", "hall")
KNOWN = Rule("sku", "in", ("SOF-1", "SOF-2"))
PADDED = Group("or", (KNOWN, COLOUR))
CHEAP = Rule("price", "less_than", 300)
WORD = Rule("full_text_search", "keyword_search", "chair")
CAPS = {"session": 6, "day": {"floor": 8}, "counts": 5}
COUNTED = {"colour": (("red", 30), ("blue", 12))}


def shop() -> Registry:
    priced = field("price", "number", currency="EUR", steps=(10_000, 40_000))
    made = manifest()
    fields = [priced if f.key == "price" else f.model_dump() for f in made.fields]
    profiles = made.model_dump()["profiles"]
    profiles["closed"]["budget"] = CAPS
    stepped = manifest(fields=fields, profiles=profiles)
    return registry_for(stepped, "closed", tenant="t", documents=100)


@pytest.fixture
def parts(engine: ScriptedEngine, parts: Parts) -> Parts:
    engine.hits = Hits(rows(10), 42, facets=COUNTED, next=("x",), end=("x",))
    return replace(parts, table=Shelf())


@pytest.fixture
def ask() -> Ask:
    caller = Caller("t", "ada", "desk")
    return Ask(caller, shop(), Group(rules=(COLOUR,)), NOW, limit=2)


def rows(count: int, start: int = 0, **values: Any) -> tuple[Row, ...]:
    return tuple(
        Row(str(UUID(int=n)), {"name": f"n{n}", **values})
        for n in range(start, start + count)
    )


def about(answer: Answer) -> tuple[int, str]:
    return answer.total.number, answer.total.kind


def test_a_narrowing_tells_its_numbers(ask: Ask, parts: Parts) -> None:
    answer = execute(ask, parts)

    assert (20, "about") == about(answer)
    told = {v.value: v.count.number for v in answer.facets["colour"]}
    assert {"red": 20, "blue": 10, "green": 10} == told


@pytest.mark.parametrize(
    "tree",
    [
        PADDED,
        Group(rules=(COLOUR, KNOWN)),
        Group(rules=(COLOUR, Group(rules=(COLOUR, HALL), negated=True))),
    ],
)
def test_a_tracker_gets_its_page_and_no_number(
    ask: Ask, parts: Parts, engine: ScriptedEngine, tree: Group
) -> None:
    """E04: padding, identifiers and denied groups move a count across its edge."""
    answer = execute(replace(ask, tree=tree), parts)

    assert (2, "at_least") == about(answer)
    assert {0} == {v.count.number for vs in answer.facets.values() for v in vs}
    assert "numbers_withheld" in answer.report["notes"]
    assert () == engine.queries[0].facets


def test_a_limit_off_the_steps_shows_its_page_and_counts_a_wider_one(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    answer = execute(replace(ask, tree=Group(rules=(CHEAP,))), parts)

    page, counted = engine.queries
    assert [29_999, 40_000] == [_high(q.condition) for q in (page, counted)]
    assert (2, 0) == (page.limit, counted.limit)
    assert "counted_wider" in answer.report["notes"]
    assert (20, "about") == about(answer)


def _high(condition: Any) -> Any:
    assert isinstance(condition, Between)
    return condition.high


@pytest.mark.parametrize("mode", ["prefix", "partial", "semantic"])
def test_a_text_met_by_some_of_its_words_tells_no_number(
    ask: Ask, parts: Parts, engine: ScriptedEngine, mode: Any
) -> None:
    engine.hits = replace(engine.hits, mode=mode)

    answer = execute(replace(ask, tree=Group(rules=(WORD,))), parts)

    assert (2, "at_least") == about(answer)


@pytest.mark.parametrize("onward", [("x",), None])
def test_a_full_page_goes_on_whether_there_is_more_or_not(
    ask: Ask, parts: Parts, engine: ScriptedEngine, onward: Any
) -> None:
    engine.hits = replace(engine.hits, next=onward)

    assert execute(ask, parts).next_cursor is not None


def test_a_short_page_ends(ask: Ask, parts: Parts, engine: ScriptedEngine) -> None:
    engine.hits = Hits(rows(1), 1)

    assert execute(ask, parts).next_cursor is None


def test_what_few_share_is_suggested_only_where_all_are_shown(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.hits = Hits(rows(2, rooms=["hall"]), 2)
    engine.counts = [30]

    whole = execute(replace(ask, limit=3), parts)
    full = execute(ask, parts)

    assert (1, 0) == (len(whole.suggestions), len(full.suggestions))


def test_numbers_are_counted_and_pages_go_on_without_them(
    ask: Ask, parts: Parts
) -> None:
    told = [about(execute(ask, parts)) for _ in range(7)]

    assert [(20, "about")] * 5 + [(2, "at_least")] * 2 == told
    with pytest.raises(BudgetSpent) as caught:
        execute(replace(ask, limit=0), parts)
    assert "counts" == caught.value.body()["budget"]


@pytest.mark.parametrize("session", [None, "s"])
def test_who_was_refused_is_refused_whatever_would_be_found(
    ask: Ask, parts: Parts, engine: ScriptedEngine, session: str | None
) -> None:
    """A refusal tells that there is something; a repeated one touches no engine."""
    spent = replace(ask, limit=10, session=session)
    execute(spent, parts)
    seen = execute(replace(spent, limit=2), parts)
    engine.hits = Hits(rows(2, 90), 2)
    with pytest.raises(BudgetSpent):
        execute(spent, parts)
    asked = len(engine.queries)

    for hits in (Hits(), Hits(rows(2), 2), Hits(rows(2, 90), 2)):
        engine.hits = hits
        with pytest.raises(BudgetSpent) as caught:
            execute(spent, parts)
        assert caught.value.body()["budget"] == ("session" if session else "day")

    assert 2 == len(seen.hits)
    assert asked == len(engine.queries)


@pytest.mark.parametrize("held", [rows(1, 90, sku="SOF-9"), ()])
def test_who_was_refused_looks_nothing_up_either(
    ask: Ask, parts: Parts, engine: ScriptedEngine, held: tuple[Row, ...]
) -> None:
    """A code that exists and one that does not get the same refusal."""
    spent = replace(ask, limit=10)
    execute(spent, parts)
    engine.hits = Hits(rows(2, 50), 2)
    with pytest.raises(BudgetSpent):
        execute(spent, parts)
    engine.hits, asked = Hits(held, len(held)), len(engine.queries)

    with pytest.raises(BudgetSpent) as caught:
        look_up(spent, ["SOF-9"], parts)

    assert "day" == caught.value.body()["budget"]
    assert asked == len(engine.queries)


def test_who_was_refused_learns_no_label_by_a_dry_run(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    spent = replace(ask, limit=10)
    execute(spent, parts)
    engine.hits = Hits(rows(2, 50), 2)
    with pytest.raises(BudgetSpent):
        execute(spent, parts)
    asked = len(engine.looked_up)

    with pytest.raises(BudgetSpent):
        rehearse(spent, parts)

    assert asked == len(engine.looked_up)


def test_a_page_of_seen_documents_that_hides_others_is_a_refusal_too(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    spent = replace(ask, limit=10)
    execute(spent, parts)
    engine.hits = Hits((*rows(1), *rows(1, 90)), 2)

    cut = execute(spent, parts)

    assert cut.budget is not None
    assert (1, True) == (len(cut.hits), cut.budget.cut)
    with pytest.raises(BudgetSpent):
        execute(spent, parts)


def test_another_session_and_another_day_go_on(ask: Ask, parts: Parts) -> None:
    full = replace(ask, limit=10, session="s")
    execute(full, parts)
    more = replace(full, tree=Group(rules=(CHEAP,)))
    engine = parts.engine
    assert isinstance(engine, ScriptedEngine)
    engine.hits = Hits(rows(2, 50), 2)
    with pytest.raises(BudgetSpent):
        execute(more, parts)

    assert 2 == len(execute(replace(more, session="t"), parts).hits)
    with pytest.raises(BudgetSpent):
        execute(replace(more, session="u", tree=Group(rules=(WORD,))), _other(parts))
    tomorrow = replace(more, session="v", now=NOW + timedelta(days=1))
    assert 2 == len(execute(tomorrow, parts).hits)


def _other(parts: Parts) -> Parts:
    """Let the engine find what was never seen."""
    return replace(parts, engine=ScriptedEngine(Hits(rows(2, 70), 2)))


def test_only_the_search_that_has_just_found_nothing_is_explained(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.hits = Hits()
    empty = replace(ask, tree=Group(rules=(COLOUR, CHEAP)))
    with pytest.raises(Invalid, match="just found nothing"):
        explain(empty, parts)

    answer = execute(empty, parts)

    assert "explain_empty" in answer.report["notes"]
    assert len(explain(empty, parts).filters) == 2
    for other in (ask, replace(empty, caller=Caller("t", "bob", "desk"))):
        with pytest.raises(Invalid, match="just found nothing"):
            explain(other, parts)
    late = replace(empty, now=NOW + timedelta(hours=1, seconds=1))
    with pytest.raises(Invalid, match="just found nothing"):
        explain(late, parts)


def test_a_search_without_a_page_is_never_known_to_be_empty(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    engine.hits = Hits()

    answer = execute(replace(ask, limit=0), parts)

    assert "explain_empty" not in answer.report["notes"]
    with pytest.raises(Invalid, match="just found nothing"):
        explain(ask, parts)


def explained(
    ask: Ask, parts: Parts, engine: ScriptedEngine, *counts: int
) -> list[Any]:
    engine.hits = Hits()
    execute(ask, parts)
    engine.counts = [0, *counts]
    return [
        (f.total.kind, f.without.kind, f.blocks) for f in explain(ask, parts).filters
    ]


def test_an_explanation_tells_none_from_a_few_as_little_as_a_total_does(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    two = replace(ask, tree=Group(rules=(COLOUR, HALL)))
    bob = replace(two, caller=Caller("t", "bob", "desk"))

    few = explained(two, parts, engine, 9, 50, 50, 9)
    none = explained(bob, parts, engine, 0, 50, 50, 0)

    assert few == none
    assert [True, False] == [blocks for _, _, blocks in few]


def test_an_explained_tracker_tells_no_number(
    ask: Ask, parts: Parts, engine: ScriptedEngine
) -> None:
    asked = replace(ask, tree=Group(rules=(COLOUR, PADDED)))

    told = explained(asked, parts, engine, 50, 50, 50, 50)

    assert ("about", "at_least") == told[0][:2]
    assert ("at_least", "about") == told[1][:2]


@pytest.mark.parametrize(("shown", "said"), [(0, None), (1, "chair")])
def test_a_corrected_word_is_told_with_a_document_that_has_it(
    ask: Ask, parts: Parts, engine: ScriptedEngine, shown: int, said: str | None
) -> None:
    """A correction is a word of some document; a filter may hide them all."""
    engine.hits = Hits(
        rows(shown), shown, mode="typo", original="chiar", fallback="chair"
    )

    answer = execute(replace(ask, tree=Group(rules=(WORD, COLOUR))), parts)

    assert (said, "typo") == (answer.report["fallback"], answer.report["mode"])

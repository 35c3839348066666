"""A chosen order: who may choose which, and what a walk keeps of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from tests.unit.search.conftest import MANIFEST
from tests.unit.search.engines import ScriptedEngine
from tests.unit.search.test_search import LAMP, rows, tree
from vitrine.problems import Fault, Invalid
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Hits, Sort
from vitrine.search.execute import execute
from vitrine.search.prepare import Ask, Parts, sort_of


def registry(*sorts: str, engine: str = "postgres") -> Registry:
    raw: Any = MANIFEST.model_dump()
    raw["engine"] = engine
    raw["profiles"]["trusted"]["sort"] = sorts
    return registry_for(Manifest.model_validate(raw), "trusted", tenant="t")


def refusal(written: str, seen: Registry) -> Fault:
    with pytest.raises(Invalid) as refused:
        sort_of(written, seen)
    (fault,) = refused.value.faults
    return fault


@pytest.mark.parametrize("written", ["width", "-width", "made", "-made"])
def test_an_order_that_the_profile_has_is_read(written: str) -> None:
    sort = sort_of(written, registry("width", "made"))

    assert sort is not None
    assert written == sort.written
    assert written.startswith("-") is sort.descending


def test_no_order_is_the_sources_own() -> None:
    assert sort_of(None, registry("width")) is None


@pytest.mark.parametrize("written", ["made", "-made", "nothing", "", "-", "--width"])
def test_a_closed_field_is_refused_like_one_that_never_was(written: str) -> None:
    """T02: but for the name that was sent, the two refusals are one."""
    fault = refusal(written, registry("width"))

    key = written.removeprefix("-")
    expected = refusal("zzz", registry("width"))
    assert replace(expected, message=expected.message.replace("'zzz'", repr(key))) == (
        fault
    )
    assert "Orders: width, -width." == fault.remedy


def test_where_there_is_no_order_to_choose_the_remedy_says_so() -> None:
    assert "Leave it out." == refusal("width", registry()).remedy


@pytest.mark.parametrize(
    ("engine", "known"),
    [("postgres", {"name", "width", "made"}), ("typesense", {"width", "made"})],
)
def test_all_fields_are_those_that_the_engine_can_order_by(
    engine: str, known: set[str]
) -> None:
    assert known == set(registry("*", engine=engine).sorts)


@pytest.mark.parametrize("key", ["tags", "colour", "maker"])
def test_a_manifest_can_not_promise_an_order_that_nothing_runs(key: str) -> None:
    with pytest.raises(ValidationError, match="orders nothing here"):
        registry(key)


@pytest.fixture
def sorted_ask(ask: Ask) -> Ask:
    seen = registry("width", "made")
    return replace(ask, registry=seen, tree=tree(LAMP), sort="-width", limit=2)


@pytest.fixture
def paged(engine: ScriptedEngine) -> ScriptedEngine:
    engine.hits = Hits(rows=rows(2), total=9, next=("here",))
    return engine


def test_the_engine_is_asked_in_the_order_and_the_report_tells_it(
    sorted_ask: Ask, parts: Parts, paged: ScriptedEngine
) -> None:
    answer = execute(sorted_ask, parts)

    (query,) = paged.queries
    width = sorted_ask.registry.fields["width"]
    assert Sort(width, descending=True) == query.sort
    assert "-width" == answer.report["sort"]


@pytest.mark.parametrize("again", [None, "-width"])
def test_a_walk_keeps_the_order_that_it_began_with(
    sorted_ask: Ask, parts: Parts, paged: ScriptedEngine, again: str | None
) -> None:
    """P04: a cursor may come alone."""
    cursor = execute(sorted_ask, parts).next_cursor

    answer = execute(replace(sorted_ask, cursor=cursor, sort=again), parts)

    first, second = paged.queries
    assert first.sort == second.sort
    assert "-width" == answer.report["sort"]


@pytest.mark.parametrize("other", ["width", "made", "-made"])
def test_a_cursor_goes_on_in_no_other_order(
    sorted_ask: Ask, parts: Parts, paged: ScriptedEngine, other: str
) -> None:
    cursor = execute(sorted_ask, parts).next_cursor

    with pytest.raises(Invalid) as refused:
        execute(replace(sorted_ask, cursor=cursor, sort=other), parts)

    (fault,) = refused.value.faults
    assert ("/sort", "other_sort") == (fault.pointer, fault.code)
    assert "-width" in fault.remedy
    assert 1 == len(paged.queries)


def test_a_walk_without_an_order_takes_none_on_the_way(
    sorted_ask: Ask, parts: Parts, paged: ScriptedEngine
) -> None:
    cursor = execute(replace(sorted_ask, sort=None), parts).next_cursor

    with pytest.raises(Invalid, match="another order"):
        execute(replace(sorted_ask, cursor=cursor), parts)

    assert 1 == len(paged.queries)


def test_an_unknown_order_is_refused_before_any_search(
    sorted_ask: Ask, parts: Parts, paged: ScriptedEngine
) -> None:
    with pytest.raises(Invalid, match="no order by 'name'"):
        execute(replace(sorted_ask, sort="name"), parts)

    assert [] == paged.queries

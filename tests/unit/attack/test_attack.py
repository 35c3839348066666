"""The attackers bite: what is open is carried away, what is closed is not."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from infra.attack import goods
from infra.attack.bits import Bits
from infra.attack.campaign import Scale, crawlers, crowds, hidden, months, private
from infra.attack.counting import heard, nowhere
from infra.attack.crawlers import CRAWLERS
from infra.attack.driving import Crew, crawl
from infra.attack.figures import KEYS, Figures
from infra.attack.gate import Clock, quiet
from infra.attack.people import around, buyers, shoppers, towards
from infra.attack.published import bare
from infra.attack.shelf import Shelf
from infra.attack.stage import Stage, pinned, staged
from infra.attack.tool import Question, Reply, group, rule
from infra.local.demo import shop
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import registry_for
from vitrine.typesense.encode import Encoder

SIZE = 600
SCALE = Scale(calls=300, naive_calls=600, oracle_calls=90, sessions=10, sybils=(6,))
CAPS = {"session": 30, "day": {"floor": 18}, "month": {"floor": 60}}
RECORDS = goods.public(goods.products(SIZE))
OPEN = frozenset({"totals"})


def small(profile: str = "closed", **changes: Any) -> Manifest:
    raw = shop.manifest().model_dump()
    raw["profiles"]["closed"]["budget"] |= CAPS | changes
    if profile == "trusted":
        kept = raw["profiles"]["closed"]["facet"]
        raw["profiles"]["trusted"]["facet"] = kept
    return Manifest.model_validate(raw)


def stage(profile: str = "closed", **changes: Any) -> Stage:
    quiet()
    manifest = small(profile, **changes)
    registry = registry_for(manifest, profile, tenant=goods.TENANT, documents=SIZE)
    engine = Bits(Encoder(registry, goods.KEY), RECORDS)
    made = staged("memory", Clock(goods.START), Shelf(), engine, registry)
    made.gate.watch.pattern = goods.PLANTED
    return made


@pytest.fixture(scope="module")
def closed() -> Stage:
    return stage()


@pytest.mark.parametrize("name", ["A2 facets", "A3 ranges", "A4 flips"])
def test_the_naive_tool_gives_everything_away(closed: Stage, name: str) -> None:
    naive = closed.naive()

    course = crawl(naive, CRAWLERS[name](closed.registry), calls=1_500)

    assert len(course.learnt) == SIZE
    assert course.at(100) < SIZE == course.at(10**6)
    assert (course.reached(SIZE) or 0) <= course.calls


def test_a_day_a_company_and_a_month_are_bounded(closed: Stage) -> None:
    figures = Figures()

    crawlers(closed, figures, SCALE)
    crowds(closed, figures, SCALE)
    months(closed, figures, SCALE)

    assert 90 <= figures.last["naive"]
    assert 3.0 == figures.last["identity_day"]
    assert 3.0 < figures.last["sybil50_account"] <= 9.0
    assert 0.0 == figures.last["anonymous_pool"]
    assert 10.0 == figures.last["thirty_days"]
    assert 0 == closed.untyped
    assert not closed.gate.watch.leaks


def test_nothing_is_pinned_without_being_shown(closed: Stage) -> None:
    rows = list(pinned(closed, calls=SCALE.oracle_calls))

    assert len(rows) > 15
    assert {0.0} == {row.share for row in rows}


def test_exact_numbers_pin_products() -> None:
    """What is measured above would be found if it were there."""
    trusted = stage("trusted")

    (row,) = pinned(trusted, calls=200, chosen=OPEN.__contains__)

    assert 0.0 < row.share


def test_a_private_field_answers_as_one_that_never_was(closed: Stage) -> None:
    figures = Figures()
    never = bare(closed.registry)
    twin = staged("twin", closed.gate.clock, Shelf(), closed.engine, never)
    fields = [f for f in hidden(closed.registry) if f.key in goods.PRIVATE]
    assert len(fields) == 3

    private(closed, twin, figures, replace(SCALE, every=3), fields[:1])

    assert 0 == figures.last["private_bits"]


def test_a_difference_between_twins_is_found(closed: Stage) -> None:
    figures = Figures()
    beside = rule("category", "equals", "sofa")
    shown = replace(hidden(closed.registry)[0], key="brand", beside=beside)
    manifest = goods.without(small(), ["brand"], "closed")
    never = registry_for(manifest, "closed", tenant=goods.TENANT, documents=SIZE)
    engine = Bits(Encoder(never, goods.KEY), RECORDS)
    twin = staged("twin", closed.gate.clock, Shelf(), engine, never)

    private(closed, twin, figures, replace(SCALE, every=3), [shown])

    assert figures.last["private_bits"] > 10


@pytest.mark.parametrize("wishes", [towards, around])
def test_there_is_always_something_that_fits_a_shopper(wishes: Any) -> None:
    wide = stage(session=500, day={"floor": 500}, month={"floor": 600})

    turns, people = shoppers(wide.gate, goods.TENANT, RECORDS, wishes, sessions=12)

    assert (0, 0) == (turns.refused, turns.empty)
    assert turns.turns > 30
    assert len(people) == 6


def test_a_spent_session_fails_the_turn_whoever_begins_anew() -> None:
    narrow = stage(session=10, day={"floor": 500}, month={"floor": 600})
    spent = stage(session=10, day={"floor": 10}, month={"floor": 600})

    turns, _ = shoppers(narrow.gate, goods.TENANT, RECORDS, towards, sessions=12)
    lost, _ = shoppers(spent.gate, goods.TENANT, RECORDS, towards, sessions=12)

    assert turns.refused == turns.anew > 5
    assert {"session"} == set(turns.refusals)
    assert 0 == lost.anew < lost.refused


def test_a_buyer_is_counted_where_there_is_something_to_see() -> None:
    pros = stage("professional")
    judge = pros.naive()

    turns, _ = buyers(
        pros.gate,
        goods.TENANT,
        RECORDS,
        lambda rules: judge.ask(Question(rules, limit=0)).total.number,
        number=1,
        days=2,
    )

    assert 0.0 == turns.failed
    assert turns.turns >= 30


def test_a_crew_hands_a_refused_question_on_and_waits_for_the_day() -> None:
    clock = Clock(goods.START)
    asked: list[tuple[str, int]] = []

    class Member:
        """Answer twice a day."""

        def __init__(self, name: str) -> None:
            self.name, self.calls = name, 0
            self.seen: dict[str, Any] = {}

        def ask(self, _: Question) -> Reply:
            day = clock.at.day
            if sum(entry == (self.name, day) for entry in asked) == 2:
                return Reply(refused="day")
            asked.append((self.name, day))
            return Reply(hits=({"ref": f"{len(asked)}"},))

    crew = Crew(clock, [Member("a"), Member("b")], days=2)

    replies = [crew.ask(Question()) for _ in range(9)]

    assert [("a", 20)] * 2 + [("b", 20)] * 2 == asked[:4]
    assert ["day"] == [r.refused for r in replies if r.refused]
    assert (8, [4]) == (len(crew.seen), crew.by_day)


def test_a_reply_is_told_apart_by_all_but_its_hits_and_words() -> None:
    one = Reply(body={"hits": [1], "total": {"number": 10}, "next_cursor": "x" * 99})
    same = Reply(body={"hits": [2], "total": {"number": 10}, "next_cursor": "y" * 99})
    other = Reply(body={"hits": [1], "total": {"number": 10}})

    assert heard(one) == heard(same) != heard(other)
    assert heard(Reply(refused="day")) != heard(Reply())


def test_nothing_can_be_nowhere(closed: Stage) -> None:
    naive = closed.naive()

    assert 0 == naive.ask(Question(nowhere(closed.registry))).total.number
    assert group() == {"type": "group", "operator": "and", "rules": []}


def test_the_last_line_names_every_figure() -> None:
    figures = Figures()
    figures.highest("naive", 12.345, 99.999)

    *_, last = figures.told()

    assert list(KEYS) == list(json.loads(last))
    assert (100.0, None) == (json.loads(last)["naive"], json.loads(last)["thirty_days"])

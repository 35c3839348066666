from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.disclosure.shop import registry
from vitrine.caller import Caller
from vitrine.disclosure.budgets import (
    SHARDS,
    Caps,
    Scope,
    Shard,
    Standing,
    brief,
    caps_of,
    identity_of,
    mark,
    share,
)
from vitrine.disclosure.remains import refusal, remainder
from vitrine.disclosure.till import Plan, decide, decide_facets

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
CAPS = Caps(30, 150, 500, 450, 1_500, facet_values=2_000, counts=500, misses=50)
NEW = Standing(shown=frozenset())


def docs(start: int, stop: int) -> list[str]:
    return [f"d{n}" for n in range(start, stop)]


def marks(start: int, stop: int) -> frozenset[bytes]:
    return frozenset(map(mark, docs(start, stop)))


def briefs(start: int, stop: int) -> frozenset[bytes]:
    return frozenset(map(brief, marks(start, stop)))


@pytest.mark.parametrize(
    ("documents", "day", "month"),
    [(5_000, 150, 500), (75_000, 150, 750), (100_000, 200, 1_000)],
)
def test_caps_grow_with_the_catalogue(documents: int, day: int, month: int) -> None:
    caps = caps_of(replace(registry(), documents=documents))

    assert caps == replace(
        CAPS, day=day, month=month, account_day=3 * day, account_month=3 * month
    )
    assert caps_of(registry("trusted")) is None


def test_the_payer_is_the_identity_whatever_its_client() -> None:
    one, other = (Caller("demo", "ada", client) for client in ("web", "agent"))

    assert identity_of(one, registry(), "s") == identity_of(other, registry(), "s")


@pytest.mark.parametrize(
    ("scope", "standing"),
    [
        ("session", Standing(shown=briefs(100, 130))),
        ("day", Standing(today=marks(100, 250), shown=briefs(100, 130))),
        ("month", Standing(past=(marks(100, 600),), shown=briefs(100, 130))),
        ("account", Standing(shards=(Shard(150, 150),) * SHARDS, shown=briefs(1, 31))),
        ("account", Standing(shards=(Shard(0, 500),) * SHARDS)),
    ],
)
def test_the_widest_spent_budget_is_named(scope: Scope, standing: Standing) -> None:
    plan = decide(standing, CAPS, docs(0, 1))

    assert ((), scope) == (plan.granted, plan.blocked)


def test_a_seen_document_is_free_below_one_that_is_not() -> None:
    standing = Standing(today=marks(0, 150), past=(marks(0, 400),), shown=briefs(0, 30))

    plan = decide(standing, CAPS, ["new", "d7"])

    assert plan == Plan(("d7",), shards=(Shard(),) * SHARDS, blocked="day")


def test_a_document_twice_in_a_page_is_one() -> None:
    assert decide(NEW, CAPS, ["d0", "d0"]).granted == ("d0",)


def test_what_was_seen_yesterday_costs_the_day_but_not_the_month() -> None:
    plan = decide(Standing(past=(marks(0, 5),)), CAPS, docs(0, 10))

    assert (len(plan.day), len(plan.month)) == (10, 5)
    assert sum(s.day for s in plan.shards) == 10
    assert sum(s.month for s in plan.shards) == 5


@pytest.mark.parametrize("cap", [0, 1, 2, 3, 450, 1_000])
def test_the_counters_shares_add_up(cap: int) -> None:
    assert sum(share(cap, n) for n in range(SHARDS)) == cap


NUMBERS = st.frozensets(st.integers(0, 40), max_size=30)
SMALL = st.integers(0, 20)
LIMIT = st.integers(0, 45)


@st.composite
def standings(draw: st.DrawFn) -> Standing:
    seen = [frozenset(mark(f"d{n}") for n in draw(NUMBERS)) for _ in range(4)]
    shards = tuple(Shard(draw(SMALL), draw(SMALL)) for _ in range(SHARDS))
    shown = draw(st.sampled_from([None, frozenset(map(brief, seen[3]))]))
    return Standing(seen[0], (seen[1], seen[2]), shown, shards=shards)


@given(
    standing=standings(),
    limits=st.tuples(LIMIT, LIMIT, LIMIT, LIMIT, LIMIT),
    page=st.lists(st.integers(0, 60), max_size=12, unique=True),
    first=st.integers(0, SHARDS - 1),
)
def test_no_scope_is_ever_exceeded_and_nothing_is_withheld_in_vain(
    standing: Standing, limits: tuple[int, ...], page: list[int], first: int
) -> None:
    session, day, month, account_day, account_month = limits
    caps = Caps(session, day, month, account_day, account_month, 1, 1, 1)
    documents = [f"d{n}" for n in page]

    plan = decide(standing, caps, documents, first=first)

    window = standing.before | standing.today
    assert _within(standing.shown or frozenset(), plan.session, caps.session)
    assert _within(standing.today, plan.day, caps.day)
    assert _within(window, plan.month, caps.month)
    for number, (before, cost) in enumerate(
        zip(standing.shards, plan.shards, strict=True)
    ):
        assert not cost.day or before.day + cost.day <= share(caps.account_day, number)
        assert not cost.month or before.month + cost.month <= share(
            caps.account_month, number
        )
    assert sum(s.day for s in plan.shards) == len(plan.day)
    assert sum(s.month for s in plan.shards) == len(plan.month)
    after = _charged(standing, plan)
    for withheld in set(documents) - set(plan.granted):
        assert not decide(after, caps, [withheld], first=first).granted


def _within(before: frozenset[bytes], new: frozenset[bytes], cap: int) -> bool:
    return not new & before and (not new or len(before | new) <= cap)


def _charged(standing: Standing, plan: Plan) -> Standing:
    shards = tuple(
        Shard(b.day + c.day, b.month + c.month)
        for b, c in zip(standing.shards, plan.shards, strict=True)
    )
    shown = None if standing.shown is None else standing.shown | plan.session
    return replace(
        standing, today=standing.today | plan.day, shown=shown, shards=shards
    )


@pytest.mark.parametrize(
    ("warning", "standing"),
    [
        (False, Standing(shown=briefs(0, 13))),
        (True, Standing(shown=briefs(0, 14))),
        (True, Standing(today=marks(0, 110))),
        (True, Standing(past=(marks(0, 390),))),
        (False, Standing(shards=(Shard(149, 499),) * SHARDS)),
    ],
)
def test_an_answer_warns_from_four_fifths_of_an_own_budget(
    *, warning: bool, standing: Standing
) -> None:
    plan = decide(standing, CAPS, docs(900, 910))

    assert remainder(standing, CAPS, plan, now=NOW).warning is warning


def test_the_days_remainder_is_what_the_month_leaves() -> None:
    standing = Standing(past=(marks(0, 480),), shown=frozenset())

    left = remainder(standing, CAPS, decide(standing, CAPS, []), now=NOW)

    assert (left.session_left, left.day_left) == (30, 20)


@pytest.mark.parametrize(
    ("scope", "standing", "reset"),
    [
        ("day", NEW, "2026-08-03"),
        ("session", replace(NEW, session_ends=NOW + timedelta(days=3)), "2026-08-05"),
        ("session", NEW, "2026-09-01"),
        # The oldest day of the window leaves it at the coming midnight.
        ("month", Standing(past=(marks(0, 500), *[frozenset()] * 28)), "2026-08-03"),
        ("month", Standing(past=(*[frozenset()] * 28, marks(0, 500))), "2026-08-31"),
        # What was seen again later stays in the window until that day leaves it.
        ("month", Standing(past=(marks(0, 500), marks(0, 500))), "2026-08-04"),
        ("month", Standing(today=marks(0, 500)), "2026-09-01"),
        ("account", Standing(shards=(Shard(150, 150),) * 3), "2026-08-03"),
        (
            "account",
            Standing(shards=(Shard(0, 500),) * 3, account_past=(0, 0, 1_500)),
            "2026-08-05",
        ),
    ],
)
def test_a_refusal_names_its_reset(
    scope: Scope, standing: Standing, reset: str
) -> None:
    body = refusal(standing, CAPS, scope, now=NOW, way_on="https://s.example").body()

    assert body["resets_at"].startswith(reset)
    assert body["budget"] == scope
    assert body["way_on"] == "https://s.example"
    assert body["retry_after"] >= 12 * 3600
    assert body["detail"]


def test_facet_lists_are_granted_whole_in_order_while_they_fit() -> None:
    lists = {"a": ["1", "2"], "b": ["1", "2", "3"], "c": ["1"]}

    granted, new = decide_facets(frozenset(), 5, lists)
    again, nothing = decide_facets(new, 5, {"a": ["2", "1"], "c": []})

    assert (granted, len(new)) == (("a", "c"), 5)
    assert (("a", "c"), frozenset()) == (again, nothing)

"""What is left of a caller's own budgets, and the refusal when nothing is.

Remainders are the session's and the identity's alone: two colleagues of one account
can't tell from them what the other saw.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from math import ceil
from types import MappingProxyType

from vitrine.disclosure.answer import Remainder
from vitrine.disclosure.budgets import SESSION_LIFE, WINDOW, Caps, Scope, Standing
from vitrine.disclosure.till import Plan
from vitrine.problems import BudgetSpent, FacetsSpent

WARNING = 0.8
"""Share of a budget from which an answer warns (of the session, day and 30 days)."""
DETAILS = MappingProxyType(
    {
        "session": "This session has shown all the documents that it may. "
        "A new session can show more, within the day's budget.",
        "day": "Today's budget of documents is spent.",
        "month": "The budget of documents of these 30 days is spent.",
        "account": "Your organisation's budget of documents is spent.",
        "counts": "Today's budget of counts is spent.",
        "misses": "Today's budget of look-ups that find nothing is spent.",
    }
)


def remainder(
    standing: Standing, caps: Caps, plan: Plan, *, now: datetime
) -> Remainder:
    """Tell the caller's own remainders once a plan is charged; never the account's."""
    day = len(standing.today | plan.day)
    month = len(standing.before | standing.today | plan.day)
    shown = len((standing.shown or frozenset()) | plan.session)
    # A new document costs both, so that the scarcer one is what is left.
    day_left = max(0, min(caps.day - day, caps.month - month))
    session_left = day_left if standing.shown is None else caps.session - shown
    used = ((day, caps.day), (month, caps.month), (shown, caps.session))
    return Remainder(
        session_left=max(0, session_left),
        day_left=day_left,
        resets_at=next_day(now),
        warning=any(number >= WARNING * cap for number, cap in used),
        cut=plan.blocked is not None,
    )


def refusal(
    standing: Standing, caps: Caps, scope: Scope, *, now: datetime, way_on: str
) -> BudgetSpent:
    """Name the spent budget, its reset and the way on."""
    return spent(scope, _reset(standing, caps, scope, now), now=now, way_on=way_on)


def spent(name: str, resets_at: datetime, *, now: datetime, way_on: str) -> BudgetSpent:
    """Refuse for any budget, by its name."""
    return BudgetSpent(
        DETAILS[name],
        budget=name,
        resets_at=resets_at.isoformat(),
        retry_after=_seconds(resets_at - now),
        way_on=way_on or None,
    )


def facets_spent(*, now: datetime, way_on: str) -> FacetsSpent:
    """Name the spent facet quota and its reset."""
    resets_at = next_day(now)
    return FacetsSpent(
        "Today's quota of facet values is spent.",
        budget="facets",
        resets_at=resets_at.isoformat(),
        retry_after=_seconds(resets_at - now),
        way_on=way_on or None,
    )


def next_day(now: datetime) -> datetime:
    """Give the coming UTC midnight."""
    tomorrow = now.astimezone(UTC).date() + timedelta(days=1)
    return datetime.combine(tomorrow, time(), UTC)


def _seconds(wait: timedelta) -> int:
    return max(1, ceil(wait.total_seconds()))


def _reset(standing: Standing, caps: Caps, scope: Scope, now: datetime) -> datetime:
    if scope == "session":
        return standing.session_ends or now + SESSION_LIFE
    midnights = 1
    # Days leave at the window's old end, one a midnight; what was seen again since
    # stays, so that unions are compared and not sums.
    if scope == "month":
        midnights = _until_room(
            len(standing.today.union(*standing.past[days:])) < caps.month
            for days in range(1, WINDOW)
        )
    if scope == "account" and sum(s.day for s in standing.shards) < caps.account_day:
        # Each shard holds 30 days; less the days before, what is left is today's.
        today = sum(s.month for s in standing.shards) - sum(standing.account_past)
        midnights = _until_room(
            today + sum(standing.account_past[days:]) < caps.account_month
            for days in range(1, WINDOW)
        )
    return next_day(now) + timedelta(days=midnights - 1)


def _until_room(room_after: Iterable[bool]) -> int:
    """Count the midnights until a window has room; all of it when none helps."""
    return next((n for n, room in enumerate(room_after, 1) if room), WINDOW)

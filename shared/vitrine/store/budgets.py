"""Budgets, charged before the answer leaves and exact under races.

A charge reads what was seen, lets ``disclosure.budgets`` decide, and writes the
decision in one transaction whose conditions hold only while the decision is right:
the session's and the identity's marks, and a counter or two of the account. Who
loses reads again; the loser of the last document is refused.

A refusal tells that there is something, which is a fact too: once a search was
refused, every further one is until the day is over (or the session, for what that
may still show), whatever it would find, and without asking an engine.

A search costs at most 20 write units, as a test computes: the memory's head 2, or 4
when a new one is opened; a session of 150 documents 2; three counters 6; facets 4;
the tenant's and the client's day, the rate's log and the counts 1 each. Conditions
that are lost cost units, too: that is so only where a cap is all but reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

from vitrine.disclosure import remains, till
from vitrine.disclosure.answer import Remainder
from vitrine.disclosure.budgets import (
    KEPT,
    SESSION_LIFE,
    SHARDS,
    WINDOW,
    Caps,
    Identity,
    Scope,
    Shard,
    Standing,
    first_shard,
    mark,
    share,
)
from vitrine.disclosure.till import Plan
from vitrine.problems import BudgetSpent, Busy, Unavailable
from vitrine.store import memory, persons
from vitrine.store.brake import Brake
from vitrine.store.memory import Addition, Memory, day_of
from vitrine.store.table import Outcome, Table, Write, alive, epoch, place

EMPTY = "EMPTY"
EXPLAINABLE = timedelta(hours=1)
"""How long a search counts as just run."""
_UNSEEN = "\0"
"""A document that nobody can have seen."""
TRIES = 60
"""Rounds of reading and writing; a lost one means that another charge got on."""


@dataclass(frozen=True, slots=True)
class Charge:
    """The documents that may leave, and what is left to the caller.

    The rest is for the operator: ``strain`` in percents of the tenant's and the
    client's day, ``today`` and ``learnt`` the identity's distinct documents of the
    day and of 30 days.
    """

    granted: tuple[str, ...]
    left: Remainder
    strain: Mapping[str, float] = field(default_factory=dict)
    today: int = 0
    learnt: int = 0


@dataclass(frozen=True, slots=True)
class Account:
    """The budgets of one caller in one source, and where they are kept."""

    table: Table
    who: Identity
    caps: Caps
    way_on: str = ""


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a search may tell numbers; which of the day's searches it is."""

    numbers: bool
    searches: int


def admit(account: Account, *, now: datetime) -> Admission:
    """Count a search for its numbers; tell whether it may tell any.

    Raises ``BudgetSpent`` or ``Busy`` where an earlier search of the day was refused
    and nothing has changed since.
    """
    # One write both counts and decides: two searches can't both be told the last
    # number.
    outcome = _counted_up(account, "counts", 1, now, also="searches")
    refused = int(outcome.item.get("busy", 0))
    # The mark outlives its cause: a charge that took less gave room back.
    if refused and Brake(account.table, account.who, account.caps, now).full(refused):
        raise _busy(now)
    if _was_refused(outcome.item, account.who):
        standing = _read(account, now).standing
        # Asked of a document that nobody has seen, the decision is the same whatever
        # this search would find.
        plan = till.decide(
            standing, account.caps, [_UNSEEN], first=first_shard(account.who)
        )
        if plan.blocked:
            raise _refusal(account, standing, plan.blocked, now)
    return Admission(outcome.won, int(outcome.item.get("searches", 0)))


def charge(account: Account, documents: Sequence[str], *, now: datetime) -> Charge:
    """Charge a page's documents; the granted ones may leave, in their order.

    Without documents it charges nothing and tells the remainders.
    Raises ``BudgetSpent`` where there are documents and none may leave, ``Busy``
    where the tenant's or the client's day is at its end.
    """
    brake, taken = Brake(account.table, account.who, account.caps, now), 0
    try:
        charge, taken = _charged(account, documents, brake, now)
    except Busy:
        _note_busy(account, brake.asked, now)
        raise _busy(now) from None
    finally:
        # After a refusal and an error too: what was held for documents that stay inside
        # would otherwise be missing to everybody until midnight.
        brake.settle(taken)
    return replace(charge, strain=dict(brake.strain))


def _charged(
    account: Account, documents: Sequence[str], brake: Brake, now: datetime
) -> tuple[Charge, int]:
    """Charge a page; give also how many of its documents were new that day."""
    first = first_shard(account.who)
    for _ in range(TRIES):
        reading = _read(account, now)
        standing = reading.standing
        plan = till.decide(standing, account.caps, documents, first=first)
        if plan.blocked and not plan.costs:
            _note_refusal(account, plan.blocked, now)
        if plan.blocked and not plan.granted:
            raise _refusal(account, standing, plan.blocked, now)
        # A further round holds the difference alone: the brake remembers what it has.
        brake.hold(len(plan.day))
        # No writes, no race: a page that is known in every scope is granted on what was
        # read.
        writes = list(_writes(account, reading, plan, now))
        if not writes or account.table.write(*writes).won:
            left = remains.remainder(standing, account.caps, plan, now=now)
            charge = Charge(
                plan.granted,
                left,
                today=len(standing.today | plan.day),
                learnt=len(standing.before | standing.today | plan.day),
            )
            return charge, len(plan.day)
    raise Unavailable("The store is busy.", retry_after=1)


def charge_facets(
    account: Account, facets: Mapping[str, Sequence[str]], *, now: datetime
) -> tuple[str, ...]:
    """Charge facet lists with their values; give the keys of those that may leave.

    A list or value seen that day is free. Raises ``FacetsSpent`` where there are
    lists and none may leave.
    """
    who, cap = account.who, account.caps.facet_values
    partition = place("FACETS", who.tenant, who.source, who.identity)
    for _ in range(TRIES):
        seen = memory.read(account.table, partition, now=now)
        granted, new = till.decide_facets(seen.today, cap, facets)
        if facets and not granted:
            raise remains.facets_spent(now=now, way_on=account.way_on)
        # No counter stands beside this set, so that a value which another request adds
        # meanwhile counts once by itself and needs no condition of its own.
        add = Addition(new, cap, distinct=False)
        writes = list(memory.additions(seen, add, now=now)) if new else []
        if not writes or account.table.write(*writes).won:
            return granted
    raise Unavailable("The store is busy.", retry_after=1)


def charge_counts(account: Account, number: int, *, now: datetime) -> int:
    """Charge numbers that are shown; give how many more may be today."""
    return _tally(account, "counts", number, now)


def charge_miss(account: Account, *, now: datetime) -> int:
    """Charge one look-up that found nothing; give how many more may today."""
    return _tally(account, "misses", 1, now)


def counts_spent(account: Account, *, now: datetime) -> BudgetSpent:
    """Refuse what only tells numbers where there are none left."""
    return _spent(account, "counts", now)


def note_empty(account: Account, tree: str, *, now: datetime) -> None:
    """Remember a search, by its tree's hash, that has just found nothing."""
    item = {"tree": tree, "expires_at": epoch(now + EXPLAINABLE)}
    account.table.write(Write((_tally_key(account.who), EMPTY), whole=item))


def was_empty(account: Account, tree: str, *, now: datetime) -> bool:
    """Tell whether this is the caller's search that has just found nothing."""
    item = account.table.get((_tally_key(account.who), EMPTY))
    return item is not None and alive(item, now) and bool(item["tree"] == tree)


def _tally(account: Account, name: str, number: int, now: datetime) -> int:
    outcome = _counted_up(account, name, number, now)
    if outcome.won:
        return int(getattr(account.caps, name)) - int(outcome.item[name])
    raise _spent(account, name, now)


def _counted_up(
    account: Account, name: str, number: int, now: datetime, *, also: str = ""
) -> Outcome:
    """Count where there is room; what ``also`` names is counted once beside it."""
    cap = int(getattr(account.caps, name))
    key = (_tally_key(account.who), day_of(now))
    # Before the write: an item that is not there yet has no number to compare, so that
    # the first addition of a day would pass with any.
    if number > cap:
        return Outcome(won=False, items=(account.table.get(key),))
    beside, one = (f", #{also} :one", {":one": 1}) if also else ("", {})
    write = Write(
        key,
        change=f"ADD #{name} :number{beside} SET #expires_at = :end",
        condition=f"attribute_not_exists(#{name}) OR #{name} <= :room",
        values={
            ":number": number,
            # A condition does no arithmetic: the most that may stand there is worked
            # out here.
            ":room": cap - number,
            ":end": epoch(now + timedelta(days=2)),
            **one,
        },
    )
    return account.table.write(write)


def _note_refusal(account: Account, scope: Scope, now: datetime) -> None:
    """Remember that something was refused: for the day, or for one session's."""
    who = account.who
    values: dict[str, Any] = {":end": epoch(now + timedelta(days=2))}
    if scope == "session":
        change = "SET #expires_at = :end ADD #full :full"
        # A set, since one identity may fill several sessions in a day.
        values[":full"] = frozenset({mark(who.session or "")})
    else:
        change = "SET #expires_at = :end, #refused = :yes"
        values[":yes"] = True
    key = (_tally_key(who), day_of(now))
    account.table.write(Write(key, change=change, values=values))


def _note_busy(account: Account, number: int, now: datetime) -> None:
    """Remember how much the brake refused: what is found would be told, else.

    A search that finds nothing is not held up by the brake, so each further answer
    would say whether something was there.
    """
    values = {":end": epoch(now + timedelta(days=2)), ":number": number}
    change = "SET #expires_at = :end, #busy = :number"
    key = (_tally_key(account.who), day_of(now))
    account.table.write(Write(key, change=change, values=values))


def _busy(now: datetime) -> Busy:
    """Say when to come back: with the day, and nothing of whose it is."""
    wait = remains.next_day(now) - now
    return Busy("Try again later.", retry_after=max(1, ceil(wait.total_seconds())))


def _was_refused(tally: Mapping[str, Any], who: Identity) -> bool:
    full = who.session is not None and mark(who.session) in tally.get("full", ())
    return full or bool(tally.get("refused"))


def _refusal(
    account: Account, standing: Standing, scope: Scope, now: datetime
) -> BudgetSpent:
    return remains.refusal(
        standing, account.caps, scope, now=now, way_on=account.way_on
    )


def _spent(account: Account, name: str, now: datetime) -> BudgetSpent:
    return remains.spent(name, remains.next_day(now), now=now, way_on=account.way_on)


def _tally_key(who: Identity) -> str:
    return place("TALLY", who.tenant, who.source, who.identity)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The store as a decision sees it; ``history`` is each counter's 29 days before."""

    memory: Memory
    standing: Standing
    history: tuple[int, ...]


def _read(account: Account, now: datetime) -> _Reading:
    who, table = account.who, account.table
    partition = place("SEEN", who.tenant, who.source, who.identity)
    seen = memory.read(table, partition, now=now, days=WINDOW)
    standing = Standing(seen.today, seen.past)
    if who.session is not None:
        standing = _with_session(standing, table.get(_session_key(who)), now)
    return _with_account(_Reading(seen, standing, ()), table, who, now)


def _with_session(
    standing: Standing, item: Mapping[str, Any] | None, now: datetime
) -> Standing:
    if item is None or not alive(item, now):
        return replace(standing, shown=frozenset())
    ends = datetime.fromtimestamp(item["expires_at"], UTC)
    return replace(standing, shown=item["marks"], session_ends=ends)


def _with_account(
    reading: _Reading, table: Table, who: Identity, now: datetime
) -> _Reading:
    days = [day_of(now - timedelta(days=back)) for back in range(WINDOW - 1, -1, -1)]
    today, fresh = [0] * SHARDS, {day: [0] * SHARDS for day in days}
    # One range holds every counter of the window: days sort as texts, and a counter's
    # number is one digit.
    for item in table.query(_account_key(who), days[0], f"{days[-1]}#{SHARDS}"):
        day, _, number = item["sk"].partition("#")
        fresh[day][int(number)] = item["fresh"]
        today[int(number)] = item["seen"] if day == days[-1] else 0
    # Each counter is checked by its own item's condition, which can't look at another:
    # so each brings the history of its own days.
    history = tuple(sum(fresh[day][n] for day in days[:-1]) for n in range(SHARDS))
    shards = tuple(
        Shard(today[n], history[n] + fresh[days[-1]][n]) for n in range(SHARDS)
    )
    past = tuple(sum(fresh[day]) for day in days[:-1])
    standing = replace(reading.standing, shards=shards, account_past=past)
    return _Reading(reading.memory, standing, history)


def _writes(
    account: Account, reading: _Reading, plan: Plan, now: datetime
) -> Iterator[Write]:
    caps, standing = account.caps, reading.standing
    if plan.day:
        add = Addition(
            plan.day,
            caps.day,
            len(plan.month),
            caps.month - len(standing.before),
            through=mark(account.who.client),
        )
        yield from memory.additions(reading.memory, add, now=now, days=KEPT)
        # Beside the day's first documents alone: nothing is kept of a person that could
        # not be found, and two sources seldom begin a day in the same moment.
        if account.who.person and not reading.memory.today:
            yield _noted(account.who, now)
    # All of these stand or fall together: a lost condition of any leaves no trace of
    # the others, and the round begins anew.
    if plan.session:
        yield _shown(account, standing, plan, now)
    for number, cost in enumerate(plan.shards):
        if cost.day:
            history = reading.history[number]
            yield _counted(account, _Counter(number, history, cost), now)


def _noted(who: Identity, now: datetime) -> Write:
    return persons.noting(who.tenant, who.person, who.identity, now=now)


def _shown(account: Account, standing: Standing, plan: Plan, now: datetime) -> Write:
    """Add to what the session has shown; begin anew where nothing lives."""
    key = _session_key(account.who)
    if standing.session_ends is None:
        item = {"marks": plan.session, "expires_at": epoch(now + SESSION_LIFE)}
        # An ended session's item may lie there still: the sweep is late by days.
        free = "attribute_not_exists(#pk) OR #expires_at <= :now"
        return Write(key, whole=item, condition=free, values={":now": epoch(now)})
    clause, named = memory.unseen(plan.session)
    return Write(
        key,
        change="ADD #marks :marks",
        condition=f"#expires_at > :now AND size(#marks) <= :room{clause}",
        values={
            ":marks": plan.session,
            ":now": epoch(now),
            # Counted before the addition: the condition sees the set as it was.
            ":room": account.caps.session - len(plan.session),
            **named,
        },
    )


@dataclass(frozen=True, slots=True)
class _Counter:
    number: int
    history: int
    cost: Shard


def _counted(account: Account, counter: _Counter, now: datetime) -> Write:
    caps, number, cost = account.caps, counter.number, counter.cost
    values = {
        ":seen": cost.day,
        ":fresh": cost.month,
        ":end": epoch(now + timedelta(days=KEPT + 1)),
        ":day_room": share(caps.account_day, number) - cost.day,
    }
    room = "#seen <= :day_room"
    if cost.month:
        month_cap = share(caps.account_month, number)
        room += " AND #fresh <= :month_room"
        # The days before are over and nothing adds to them: what was read of them is a
        # constant here.
        values[":month_room"] = month_cap - counter.history - cost.month
    return Write(
        (_account_key(account.who), f"{day_of(now)}#{number}"),
        change="ADD #seen :seen, #fresh :fresh SET #expires_at = :end",
        condition=f"attribute_not_exists(#pk) OR ({room})",
        values=values,
    )


def _account_key(who: Identity) -> str:
    return place("ACCOUNT", who.tenant, who.source, who.company)


def _session_key(who: Identity) -> tuple[str, str]:
    return place("SHOWN", who.tenant, who.identity, who.session or ""), "SHOWN"

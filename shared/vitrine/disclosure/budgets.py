"""What an identity may learn: who pays, the caps, and what was seen so far.

Pure: ``store.budgets`` reads a ``Standing``, asks ``till.decide``, and writes the
decision under conditions that hold only while it is right.

Five scopes count distinct documents. The identity's day and its 30 days remember
them exactly, the session too; the account, which many identities share, counts the
documents that were new to each of them. A document already seen in a scope is free
in it. Days are UTC days; "30 days" are today and the 29 before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal

from vitrine.caller import Caller
from vitrine.problems import Forbidden
from vitrine.registry.manifest import DAY
from vitrine.registry.profiles import Registry

Scope = Literal["session", "day", "month", "account"]
SHARDS = 3
"""Counters of an account: three keep 50 searches a second apart, each 2 write units."""
WINDOW = 30
POOL = "anonymous"
KEPT = 400
"""Days for which it is remembered what was learnt, so that a year can be told."""
SESSION_LIFE = timedelta(days=30)
MARK = 8
"""Bytes by which a document is remembered: one clash in 10**13 at 2,000 documents."""
FUSE = 250_000
"""Documents of a day from which on something is wrong, whoever asks."""
BRIEF = 5
"""Bytes of it that a session keeps: 150 documents stay within one write unit, and one
session in 10**8 has a clash, which shows a document for nothing."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who pays: one identity of one account, in one source and perhaps a session.

    A caller without a session has the identity's budgets alone, never a shared one.
    ``client`` pays nothing: it is remembered for the coverage of each client.
    ``person`` neither: by it what is kept of somebody is found again; callers without
    a user are nobody.
    """

    tenant: str
    source: str
    identity: str
    company: str
    session: str | None = None
    client: str = field(default="", compare=False)
    person: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Caps:
    """The caps of a profile on a catalogue of its present size."""

    session: int
    day: int
    month: int
    account_day: int
    account_month: int
    facet_values: int
    counts: int
    misses: int
    tenant_day: int = FUSE
    client_day: int = FUSE


@dataclass(frozen=True, slots=True)
class Shard:
    """What one counter of the account holds: today's documents, and 30 days'."""

    day: int = 0
    month: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What was seen and counted so far, days before today oldest first.

    ``shown`` belongs to the session, in brief, None where there is none; ``today``
    and ``past`` to the identity; ``shards`` and ``account_past`` to the account.
    """

    today: frozenset[bytes] = frozenset()
    past: tuple[frozenset[bytes], ...] = ()
    shown: frozenset[bytes] | None = None
    session_ends: datetime | None = None
    shards: tuple[Shard, ...] = (Shard(),) * SHARDS
    account_past: tuple[int, ...] = ()

    @property
    def before(self) -> frozenset[bytes]:
        """Give what the identity saw in the 29 days before."""
        return frozenset().union(*self.past)


def admit_user(caller: Caller, registry: Registry) -> None:
    """Raise ``Forbidden`` for a caller without a user where the profile lets none in.

    A profile without a budget never does.
    """
    if caller.anonymous and not (registry.budget and registry.budget.anonymous):
        raise Forbidden("A signed-in user is needed here.")


def identity_of(
    caller: Caller, registry: Registry, session: str | None = None
) -> Identity:
    """Name who pays for a caller's search of a source.

    Callers without a user are one identity of their tenant, whatever their client.
    """
    # One for all clients: who can register a client could otherwise make an identity of
    # each.
    pool = mark(POOL, caller.tenant).hex() if caller.anonymous else ""
    return Identity(
        caller.tenant,
        registry.source,
        pool or caller.identity,
        pool or caller.company,
        session,
        caller.client,
        "" if pool else caller.person,
    )


def caps_of(registry: Registry, caller: Caller | None = None) -> Caps | None:
    """Give a profile's caps, None where it has no budget.

    A caller without a user has the pool's: one day's documents for all of them.
    """
    budget, documents = registry.budget, registry.documents
    if budget is None:
        return None
    # A share of tens of millions would outgrow the memory of a day.
    day = min(budget.day.of(documents), DAY)
    month = budget.month.of(documents)
    if caller is not None and caller.anonymous:
        day = min(day, budget.anonymous)
        month = min(month, WINDOW * day)
    return Caps(
        session=budget.session,
        day=day,
        month=month,
        account_day=day * budget.account_factor,
        account_month=month * budget.account_factor,
        facet_values=budget.facet_values,
        counts=budget.counts,
        misses=budget.misses,
        tenant_day=budget.tenant_day,
        client_day=budget.client_day,
    )


def mark(*parts: str) -> bytes:
    """Give the mark by which a document or facet value is remembered."""
    # A separator, or the value `c` of a facet `ab` would be the value `bc` of `a`.
    return sha256("\x1f".join(parts).encode()).digest()[:MARK]


def brief(document: bytes) -> bytes:
    """Give the part of a document's mark that a session remembers."""
    return document[:BRIEF]


def share(cap: int, shard: int) -> int:
    """Give one counter's share of an account's cap; the shares add up to it."""
    return cap // SHARDS + (shard < cap % SHARDS)


def first_shard(who: Identity) -> int:
    """Say where an identity is counted first, so that colleagues rarely meet."""
    return int(who.identity[:8], 16) % SHARDS

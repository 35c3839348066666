"""Caps raised and taken back by an administrator, each with its row in the audit log.

A person may be named, or the hash that log lines and refusals name them by; only the
hash is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from vitrine.caller import Caller
from vitrine.edge.administration import Client, Reason
from vitrine.edge.auditing import ADMIN, Order, audited
from vitrine.edge.http import Body, Source
from vitrine.edge.replies import Reply
from vitrine.edge.wiring import Wiring
from vitrine.problems import Fault, Invalid, Missing
from vitrine.store import raises
from vitrine.store.raises import LIFTED, MOST, Kind, Raise
from vitrine.store.registry import exists

LONGEST = timedelta(days=92)
"""What is needed for longer than a quarter belongs into the manifest."""
Number = Annotated[int, Field(ge=1, le=1_000_000)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]


class Whose(Body):
    """One identity (by its hash, or by user and account) or one whole account."""

    source: Source
    identity: Hash | None = None
    user: Client | None = None
    account: Client | None = None
    reason: Reason
    dry_run: bool = False


class Lifts(Body):
    """Caps in their own units; an account has a day and a month only."""

    session: Number | None = None
    day: Number | None = None
    month: Number | None = None
    facet_values: Number | None = None
    counts: Number | None = None
    misses: Number | None = None


class Raising(Whose):
    """Whose caps are raised, to what, why, and until when."""

    caps: Lifts
    until: AwareDatetime


class Lowering(Whose):
    """Whose raise is taken back before its end, and why."""


class OneRaise(Reply):
    """What is raised for whom, by whose word, and until when."""

    source: str
    kind: Literal["identity", "account"]
    who: str
    caps: dict[str, int]
    by: str
    reason: str
    until: datetime


class Raised(Reply):
    """Every raise as it stands, or would stand after a dry run."""

    raises: tuple[OneRaise, ...]
    dry_run: bool = False


def shown(wiring: Wiring, caller: Caller) -> Raised:
    """List the organisation's raises."""
    caller.require(ADMIN)
    return _told(_standing(wiring, caller))


def raised(wiring: Wiring, caller: Caller, body: Raising) -> Raised:
    """Raise caps until a moment, audited."""
    caller.require(ADMIN)
    now, (kind, who) = wiring.now(), _named(caller, body)
    _check_end(body.until, now)
    _check_source(wiring, caller, body.source)
    caps = _caps(kind, body.caps)
    one = Raise(body.source, kind, who, caps, body.until, caller.subject, body.reason)
    others = _others(wiring, caller, one)
    if not body.dry_run:
        audited(wiring, caller, _order("cap_raised", one))
        raises.give(wiring.table, caller.tenant, one, now=now)
    return _told((*others, one), dry_run=body.dry_run)


def lowered(wiring: Wiring, caller: Caller, body: Lowering) -> Raised:
    """Take a raise back, audited."""
    caller.require(ADMIN)
    kind, who = _named(caller, body)
    now = wiring.now()
    one = Raise(body.source, kind, who, {}, now, caller.subject, body.reason)
    others = _others(wiring, caller, one)
    if not body.dry_run:
        audited(wiring, caller, _order("cap_lowered", one))
        raises.end(wiring.table, caller.tenant, body.source, kind, who)
    return _told(others, dry_run=body.dry_run)


def _named(caller: Caller, body: Whose) -> tuple[Kind, str]:
    """Tell who is meant; raise ``Invalid`` where that is nobody, or two."""
    named = Caller(caller.tenant, body.user or "", "", account=body.account)
    if body.identity is not None and body.user is body.account is None:
        return "identity", body.identity
    if body.identity is None and body.user is not None:
        return "identity", named.identity
    if body.identity is None and body.account is not None:
        return "account", named.company
    raise Invalid(
        [
            Fault(
                "",
                "one_of",
                "Either an identity, a user or an account has caps.",
                "Name the identity's hash, or the user (and their account), or "
                "the account alone.",
            )
        ]
    )


def _check_end(until: datetime, now: datetime) -> None:
    if now < until <= now + LONGEST:
        return
    code = "past" if until <= now else "too_far"
    said = f"A raise ends in the future, within {LONGEST.days} days."
    raise Invalid([Fault("/until", code, said, "Send another moment.")])


def _check_source(wiring: Wiring, caller: Caller, source: str) -> None:
    if not exists(wiring.table, caller.tenant, source):
        raise Missing(f"There is no source {source!r}.")


def _caps(kind: Kind, lifts: Lifts) -> dict[str, int]:
    asked = lifts.model_dump(exclude_none=True)
    prefix = "account_" if kind == "account" else ""
    caps = {f"{prefix}{key}": number for key, number in asked.items()}
    faults = [*_misplaced(kind, prefix, asked), *_outgrown(asked, caps)]
    if not asked:
        faults = [Fault("/caps", "missing", "No cap is named.", "Name one.")]
    if faults:
        raise Invalid(faults)
    return caps


def _misplaced(kind: Kind, prefix: str, asked: Iterable[str]) -> Iterator[Fault]:
    for key in asked:
        if f"{prefix}{key}" not in LIFTED[kind]:
            said = f"An account has no cap {key!r}."
            yield Fault(f"/caps/{key}", "not_theirs", said, "Omit.")


def _outgrown(asked: Iterable[str], caps: Mapping[str, int]) -> Iterator[Fault]:
    """Find what the table could not remember: a charge would fail in mid-search."""
    for key, (cap, number) in zip(asked, caps.items(), strict=True):
        most = MOST.get(cap, number)
        if number > most:
            said = f"The table remembers at most {most:,} for this cap."
            yield Fault(f"/caps/{key}", "too_many", said, f"Ask for at most {most}.")


def _standing(wiring: Wiring, caller: Caller) -> tuple[Raise, ...]:
    return tuple(raises.standing(wiring.table, caller.tenant, now=wiring.now()))


def _others(wiring: Wiring, caller: Caller, one: Raise) -> tuple[Raise, ...]:
    named = (one.source, one.kind, one.who)
    found = _standing(wiring, caller)
    return tuple(r for r in found if (r.source, r.kind, r.who) != named)


def _order(action: str, one: Raise) -> Order:
    detail = {
        "source": one.source,
        "kind": one.kind,
        "caps": dict(one.caps),
        "until": one.until.isoformat(),
    }
    return Order(action, one.who, one.reason, detail)


def _told(found: tuple[Raise, ...], *, dry_run: bool = False) -> Raised:
    ordered = sorted(found, key=lambda one: (one.source, one.kind, one.who))
    return Raised(raises=tuple(OneRaise.of(one) for one in ordered), dry_run=dry_run)

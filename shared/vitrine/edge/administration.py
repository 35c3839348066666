"""What an organisation allows its clients, on the word of an administrator.

Like every order it needs the scope ``admin`` and leaves an audit row.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, StringConstraints

from vitrine.caller import Caller
from vitrine.edge.auditing import ADMIN, Order, audited
from vitrine.edge.http import Body
from vitrine.edge.replies import Reply
from vitrine.edge.wiring import Wiring
from vitrine.problems import Fault, Invalid
from vitrine.store import grants
from vitrine.store.grants import Grant

Client = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Reason = Annotated[str, StringConstraints(min_length=3, max_length=500)]
Scope = Literal["notes:write"]


class Giving(Body):
    """A client, what it may do, why, and until when where that is limited."""

    client: Client
    scope: Scope
    reason: Reason
    until: AwareDatetime | None = None
    dry_run: bool = False


class Ending(Body):
    """A client, what it may do no longer, and why."""

    client: Client
    scope: Scope
    reason: Reason
    dry_run: bool = False


class OneGrant(Reply):
    """What a client may do, by whose word, and until when."""

    client: str
    scope: str
    by: str
    reason: str
    until: datetime | None = None


class Granted(Reply):
    """Every grant as it stands, or would stand after a dry run."""

    grants: tuple[OneGrant, ...]
    dry_run: bool = False


def listed(wiring: Wiring, caller: Caller) -> Granted:
    """List the organisation's grants."""
    caller.require(ADMIN)
    return _told(_standing(wiring, caller))


def given(wiring: Wiring, caller: Caller, body: Giving) -> Granted:
    """Give a grant, audited."""
    caller.require(ADMIN)
    now = wiring.now()
    if body.until is not None and body.until <= now:
        # Refused and not taken as an end: who wants one ends it by name, which the log
        # then says.
        said = "A grant ends in the future."
        raise Invalid([Fault("/until", "past", said, "Send a later moment.")])
    grant = Grant(body.client, body.scope, caller.subject, body.reason, body.until)
    others = _others(wiring, caller, body)
    if not body.dry_run:
        audited(wiring, caller, _order("grant_given", body))
        grants.give(wiring.table, caller.tenant, grant, now=now)
    return _told((*others, grant), dry_run=body.dry_run)


def ended(wiring: Wiring, caller: Caller, body: Ending) -> Granted:
    """End a grant, audited."""
    caller.require(ADMIN)
    others = _others(wiring, caller, body)
    if not body.dry_run:
        audited(wiring, caller, _order("grant_ended", body))
        grants.end(wiring.table, caller.tenant, body.client, body.scope)
    return _told(others, dry_run=body.dry_run)


def _standing(wiring: Wiring, caller: Caller) -> tuple[Grant, ...]:
    found = grants.grants(wiring.table, caller.tenant, now=wiring.now())
    return tuple(found)


def _others(wiring: Wiring, caller: Caller, body: Giving | Ending) -> tuple[Grant, ...]:
    named = (body.client, body.scope)
    standing = _standing(wiring, caller)
    return tuple(g for g in standing if (g.client, g.scope) != named)


def _order(action: str, body: Giving | Ending) -> Order:
    said = body.model_dump(mode="json", exclude={"dry_run", "reason"})
    return Order(action, body.client, body.reason, said)


def _told(found: tuple[Grant, ...], *, dry_run: bool = False) -> Granted:
    ordered = sorted(found, key=lambda g: (g.client, g.scope))
    return Granted(
        grants=tuple(OneGrant.of(grant) for grant in ordered), dry_run=dry_run
    )

"""The kill switch by hand: pulled before the cap is reached, or cleared by a person.

It is one for the whole deployment, and every organisation has administrators of its
own. So those of the organisation that operates the deployment alone may touch it: any
other could silence everybody's models, or spend again what the monitor has stopped.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import AwareDatetime

from vitrine.caller import Caller
from vitrine.edge.administration import Reason
from vitrine.edge.auditing import ADMIN, Order, audited
from vitrine.edge.http import Body
from vitrine.edge.replies import Reply
from vitrine.edge.settings import Operation
from vitrine.edge.wiring import Wiring
from vitrine.problems import Fault, Forbidden, Invalid
from vitrine.store import switch
from vitrine.store.switch import State

LONGEST = timedelta(days=31)
"""Who wants no model for longer sets none."""


class Tripping(Body):
    """Until when nothing may be paid for, and why."""

    until: AwareDatetime
    reason: Reason
    dry_run: bool = False


class Clearing(Body):
    """Why models may be paid for again."""

    reason: Reason
    dry_run: bool = False


class Standing(Reply):
    """The switch as it stands, or would stand after a dry run."""

    on: bool
    until: datetime | None = None
    reason: str = ""
    by: str = ""
    dry_run: bool = False


def shown(wiring: Wiring, caller: Caller) -> Standing:
    """Tell whether the switch is on, until when, by whom and why."""
    _check_operator(wiring, caller)
    return _told(switch.read(wiring.table), wiring.now())


def tripped(wiring: Wiring, caller: Caller, body: Tripping) -> Standing:
    """Turn the switch on, audited; refuse where it is on, for that has an end."""
    _check_operator(wiring, caller)
    now = wiring.now()
    if not now < body.until <= now + LONGEST:
        said = f"It is on until a moment within {LONGEST.days} days."
        raise Invalid([Fault("/until", "range", said, "Send another moment.")])
    if switch.read(wiring.table).on(now):
        raise Invalid([_ON])
    state = State(body.until, body.reason, caller.subject)
    if not body.dry_run:
        audited(wiring, caller, _order("switch_tripped", state))
        # Between the look and this the monitor may have been faster.
        if not switch.trip(wiring.table, state, now=now):
            raise Invalid([_ON])
    return _told(state, now, dry_run=body.dry_run)


def cleared(wiring: Wiring, caller: Caller, body: Clearing) -> Standing:
    """Turn the switch off, audited, whether it was on or not.

    The monitor trips it again within minutes while the day's cap is spent.
    """
    _check_operator(wiring, caller)
    now = wiring.now()
    state = State(now, body.reason, caller.subject)
    if not body.dry_run:
        audited(wiring, caller, _order("switch_cleared", state))
        switch.clear(wiring.table, reason=body.reason, by=caller.subject, now=now)
    return _told(state, now, dry_run=body.dry_run)


_ON = Fault("/until", "on_already", "The switch is on already.", "Clear it first.")


def _check_operator(wiring: Wiring, caller: Caller) -> None:
    caller.require(ADMIN)
    if caller.tenant != wiring.read(Operation).operator:
        raise Forbidden("The switch belongs to who operates the deployment.")


def _order(action: str, state: State) -> Order:
    until = state.until.isoformat() if state.until else None
    return Order(action, "KILL", state.reason, {"until": until})


def _told(state: State, now: datetime, *, dry_run: bool = False) -> Standing:
    return Standing(
        on=state.on(now),
        until=state.until,
        reason=state.reason,
        by=state.by,
        dry_run=dry_run,
    )

"""What an organisation allows a client beyond its scopes: nothing, until it says so.

A scope says what a token may ask for; the grant says that the organisation agreed.
Both are needed to write, and a grant is given, ended and audited by an administrator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from vitrine.caller import Caller
from vitrine.problems import Forbidden
from vitrine.store.table import Item, Table, Write, alive, epoch, place


@dataclass(frozen=True, slots=True)
class Grant:
    """A client that may use a scope, until a moment where one is set."""

    client: str
    scope: str
    by: str
    reason: str
    until: datetime | None = None


def give(table: Table, tenant: str, grant: Grant, *, now: datetime) -> None:
    """Allow a client a scope; a newer grant replaces the older one."""
    kept = {
        "client": grant.client,
        "scope": grant.scope,
        "by": grant.by,
        "reason": grant.reason,
        "given": epoch(now),
    }
    ends = {"expires_at": epoch(grant.until)} if grant.until else {}
    table.write(Write(_key(tenant, grant.client, grant.scope), whole=kept | ends))


def end(table: Table, tenant: str, client: str, scope: str) -> None:
    """Allow it no longer, whether it was or not."""
    table.delete(_key(tenant, client, scope))


def grants(table: Table, tenant: str, *, now: datetime) -> Iterator[Grant]:
    """List what an organisation allows now, by client."""
    for item in table.query(place("GRANT", tenant)):
        if alive(item, now):
            yield _read(item)


def require(table: Table, caller: Caller, scope: str, *, now: datetime) -> None:
    """Raise ``Forbidden`` unless token and organisation both allow a scope."""
    # The token first: it costs nothing, and without the scope a grant means nothing.
    caller.require(scope)
    item = table.get(_key(caller.tenant, caller.client, scope))
    if item is None or not alive(item, now):
        raise Forbidden(
            f"Your organisation has not allowed {caller.client!r} {scope!r}: "
            "an administrator grants it.",
            grant=scope,
        )


def _key(tenant: str, client: str, scope: str) -> tuple[str, str]:
    return place("GRANT", tenant), place("CLIENT", client, scope)


def _read(item: Item) -> Grant:
    ends = item.get("expires_at")
    until = datetime.fromtimestamp(ends, UTC) if ends is not None else None
    return Grant(item["client"], item["scope"], item["by"], item["reason"], until)

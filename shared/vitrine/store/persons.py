"""Under which identities something is kept of a person: the one way back from a name.

Budgets and memories lie under an identity, the hash of tenant, account, subject and
actor. A name alone does not lead there, and a scan would read the whole table. So each
identity is noted under its person, itself a hash: no name is in the table, and who
asks must know it.

It is noted with the day's first charge, where the memory has no head yet that might be
closed: so the dearest search costs what it did.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from vitrine.caller import Caller
from vitrine.disclosure.budgets import KEPT
from vitrine.store.table import Table, Write, epoch, place

LIFE = timedelta(days=KEPT + 1)
"""As long as the longest memory of an identity."""


def noting(tenant: str, person: str, identity: str, *, now: datetime) -> Write:
    """Make the write that notes an identity; twice is once, and a later end stands."""
    return Write(
        (place("PERSON", tenant, person), identity),
        change="SET #expires_at = :end",
        values={":end": epoch(now + LIFE)},
    )


def note(table: Table, caller: Caller, *, now: datetime) -> None:
    """Note a caller's identity under their person."""
    table.write(noting(caller.tenant, caller.person, caller.identity, now=now))


def identities(table: Table, tenant: str, person: str) -> Iterator[str]:
    """Give the identities under which something was kept of a person.

    Ended ones too: an item that the sweep has not reached yet is kept still.
    """
    return (item["sk"] for item in table.query(place("PERSON", tenant, person)))

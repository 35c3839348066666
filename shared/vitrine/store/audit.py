"""The audit log: rows that are added and read, never changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vitrine.problems import Conflict
from vitrine.store.table import Table, Write, place


@dataclass(frozen=True, slots=True)
class Entry:
    """What was done to what, by whom (hashed or named by the caller), and why."""

    at: datetime
    actor: str
    action: str
    subject: str = ""
    reason: str = ""
    detail: Mapping[str, Any] | None = None


def append(table: Table, tenant: str, entry: Entry, *, number: str) -> None:
    """Add a row; ``number`` tells apart what happened in the same microsecond."""
    row = {
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "reason": entry.reason,
        "detail": dict(entry.detail or {}),
    }
    # The sort key begins with the time, so that a span is one range and needs no index.
    key = (place("AUDIT", tenant), f"{_stamp(entry.at)}#{number}")
    if not table.write(
        Write(key, whole=row, condition="attribute_not_exists(#pk)")
    ).won:
        raise Conflict("The audit log has this row already.")


def entries(
    table: Table, tenant: str, *, since: datetime, until: datetime
) -> Iterator[Entry]:
    """Read rows in order of time, from ``since`` to before ``until``."""
    for row in table.query(place("AUDIT", tenant), _stamp(since), _stamp(until)):
        at = datetime.fromisoformat(row["sk"].partition("#")[0])
        yield Entry(
            at,
            row["actor"],
            row["action"],
            row["subject"],
            row["reason"],
            row["detail"],
        )


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")

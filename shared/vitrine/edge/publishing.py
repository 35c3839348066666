"""Changes to what is published: sent by the shop itself, or found by the schedule.

A record that is sent is searchable when the call returns. The schedule looks at the
private collections of the sources that it follows, for shops that send nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from aws_lambda_powertools.metrics import MetricUnit
from pydantic import BaseModel, ConfigDict, Field

from vitrine.edge.events import event_of
from vitrine.edge.settings import Writing
from vitrine.edge.telemetry import logger, metrics
from vitrine.edge.wiring import Wiring
from vitrine.registry.profiles import Registry
from vitrine.store.following import follow, followed
from vitrine.store.registry import published as profiles_of
from vitrine.typesense.changes import Applied, apply
from vitrine.typesense.encode import Press
from vitrine.typesense.follow import changed
from vitrine.typesense.records import publishable

LOOKING = 20.0
"""Seconds after which a source waits for the next tick."""
MOST = 5_000
"""Records of one call, which may have 6 MB in all."""


class Changes(BaseModel):
    """Whole records as they are now, and the private ids of those that are gone."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tenant: str
    source: str
    upsert: Annotated[tuple[dict[str, Any], ...], Field(max_length=MOST)] = ()
    delete: Annotated[tuple[str, ...], Field(max_length=MOST)] = ()


def published(wiring: Wiring, event: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out what is sent, or look for changes where nothing is."""
    if "tenant" not in event:
        return {"followed": [_followed(wiring, *pair) for pair in _pairs(wiring)]}
    sent = event_of(Changes, event)
    seen = registries(wiring, sent.tenant, sent.source)
    return _applied(wiring, seen, sent.upsert, sent.delete)


def registries(wiring: Wiring, tenant: str, source: str) -> tuple[Registry, ...]:
    """Give every published profile of a source; raise ``Missing`` where it has none."""
    # Remembered ones will do: a change is told each minute, a publish seldom.
    return profiles_of(wiring.table, tenant, source, wiring.registries.get)


def _pairs(wiring: Wiring) -> list[tuple[str, str]]:
    named = (pair.partition("/") for pair in wiring.read(Writing).followed)
    return [(tenant, source) for tenant, _, source in named]


def _followed(wiring: Wiring, tenant: str, source: str) -> dict[str, Any]:
    """Publish what changed in a private collection since the last look."""
    seen, began = registries(wiring, tenant, source), wiring.seconds()
    since = followed(wiring.table, tenant, source)
    told: dict[str, Any] = {"upserted": 0, "deleted": 0, "refused": {}}
    left = 0
    for look in changed(wiring.writer.client, seen[0].manifest, since):
        done = _applied(wiring, seen, look.records)
        # After the writing: who dies in between does it again, and an upsert that comes
        # twice is one.
        follow(wiring.table, tenant, source, look.since)
        told = {key: _together(told[key], done[key]) for key in told}
        left = look.left
        if wiring.seconds() - began > LOOKING:
            break
    metrics.add_metric("ChangesLeft", MetricUnit.Count, left)
    return {"tenant": tenant, "source": source, "left": left, **told}


def _together(one: Any, other: Any) -> Any:
    return {**one, **other} if isinstance(one, dict) else one + other


def _applied(
    wiring: Wiring,
    seen: Sequence[Registry],
    records: Sequence[Mapping[str, Any]],
    deleted: Sequence[str] = (),
) -> dict[str, Any]:
    # One press for all profiles, since the costly part of a record is the same in each.
    press = Press(seen, wiring.writer.key, wiring.now())
    wanted = publishable(seen[0].manifest)
    done = apply(wiring.writer.client, press, records, deleted, publishable=wanted)
    _told(done)
    refused = (done.refused or {}).items()
    return {
        "upserted": done.upserted,
        "deleted": done.deleted,
        "refused": {one: [asdict(f) for f in faults] for one, faults in refused},
    }


def _told(done: Applied) -> None:
    metrics.add_metric("Upserted", MetricUnit.Count, done.upserted)
    metrics.add_metric("Deleted", MetricUnit.Count, done.deleted)
    metrics.add_metric("Refused", MetricUnit.Count, len(done.refused or ()))
    if done.refused:
        codes = sorted({f.pointer for faults in done.refused.values() for f in faults})
        logger.warning("records do not fit", number=len(done.refused), fields=codes)

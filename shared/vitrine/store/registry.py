"""Registries in the table: one compressed item per tenant, source and profile.

A publish writes the content first, under its digest, and the small head last, so no
reader meets half of one. Content that outgrows an item (complete closed lists of
tens of thousands of values do) goes on in further items. An environment reads the
head at most every 20 seconds, and the content only when the version moved.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from vitrine.problems import Conflict, Missing, Unavailable
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample
from vitrine.store.listing import enlist
from vitrine.store.table import Table, Write, epoch, place

Load = Callable[[str, str, str], Registry]
"""Gives the registry of a tenant's source for a profile."""
FRESH = 20.0
"""Seconds for which an environment believes a version."""
PART = 300_000
"""Most content bytes of an item; 400 kB with names is DynamoDB's limit."""
KEPT = timedelta(days=2)
"""How long replaced content stays for environments that still read it."""


class _Content(BaseModel):
    """What lies in the parts of a registry, and is the same for whoever reads it."""

    manifest: Manifest
    samples: dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Named:
    """Whose registry of what, for which profile."""

    tenant: str
    source: str
    profile: str


@dataclass(frozen=True, slots=True)
class Head:
    """What stands published for one profile: since when, on whose word, how large.

    ``version`` moves with samples, too; ``at`` and ``by`` are the publish's own, None
    where it was made before they were kept.
    """

    source: str
    profile: str
    version: int
    documents: int
    at: datetime | None = None
    by: str | None = None


def put_registry(
    table: Table, registry: Registry, *, now: datetime, by: str = ""
) -> Registry:
    """Publish a registry as the next version; give it with that version.

    Raises ``Conflict`` where another publish was faster.
    """
    # First: a source that is listed without a head only fails to be sampled; one that
    # is not listed would never be.
    enlist(table, registry.tenant, registry.source)
    name = Named(registry.tenant, registry.source, registry.profile)
    old = table.get(_head(name)) or {}
    return _put(table, registry, old, now=now, told=_told(now, by))


def put_samples(
    table: Table, registry: Registry, samples: Mapping[str, Sample], *, now: datetime
) -> Registry:
    """Publish a registry with newer samples; give it with its version.

    Samples that say the same are no new version: each one costs every environment a
    read. Raises ``Conflict`` where the registry is no longer the published one: to
    write it back would undo a publish that came between.
    """
    new = registry.sampled(samples)
    if new.samples == registry.samples:
        return registry
    old = _found(table, Named(registry.tenant, registry.source, registry.profile))
    if old["version"] != registry.version:
        raise Conflict("The source was published while its values were sampled.")
    # Whoever published stays named: a tick of samples has published nothing.
    told = {key: old[key] for key in _told(now, "") if key in old}
    return _put(table, new, old, now=now, told=told)


def _told(now: datetime, by: str) -> dict[str, Any]:
    return {"published_at": epoch(now), "by": by}


def _put(
    table: Table,
    registry: Registry,
    old: Mapping[str, Any],
    *,
    now: datetime,
    told: Mapping[str, Any],
) -> Registry:
    """Write what follows the head ``old``, which must still stand at the end."""
    name = Named(registry.tenant, registry.source, registry.profile)
    new = replace(registry, version=old.get("version", 0) + 1)
    digest, parts = _packed(new)
    for number, part in enumerate(parts):
        table.write(Write(_part(name, digest, number), whole={"content": part}))
    # The head last, under the version that was read: of two publishes one wins whole.
    _put_head(table, name, new, {"digest": digest, "parts": len(parts), **told})
    # Content is named by its digest, so that the same content published again lies in
    # the very parts that would be ended.
    if old and old["digest"] != digest:
        _end_parts(table, name, old, now)
    return new


def load_registry(table: Table, tenant: str, source: str, profile: str) -> Registry:
    """Read a registry; raise ``Missing`` for an unknown source or profile."""
    name = Named(tenant, source, profile)
    return _loaded(table, name, _found(table, name))


def published(
    table: Table, tenant: str, source: str, load: Load | None = None
) -> tuple[Registry, ...]:
    """Give every published profile of a source; raise ``Missing`` where it has none.

    They are read anew, unless ``load`` is an environment's own that remembers: what it
    has kept may be a publish behind.
    """
    read = load or partial(load_registry, table)
    profiles = sources_of(table, tenant).get(source, ())
    if not profiles:
        raise Missing("This source was never published.")
    return tuple(read(tenant, source, profile) for profile in profiles)


def sources_of(table: Table, tenant: str) -> Mapping[str, tuple[str, ...]]:
    """Give a tenant's sources, each with its published profiles."""
    found: dict[str, tuple[str, ...]] = {}
    for head in heads(table, tenant):
        found[head.source] = (*found.get(head.source, ()), head.profile)
    return found


def heads(table: Table, tenant: str) -> Iterator[Head]:
    """Give what a tenant has published, by source and profile."""
    for item in table.query(place("REGISTRY", tenant)):
        at = item.get("published_at")
        yield Head(
            item["source"],
            item["profile"],
            item["version"],
            item["documents"],
            datetime.fromtimestamp(at, UTC) if at is not None else None,
            item.get("by") or None,
        )


def exists(table: Table, tenant: str, source: str) -> bool:
    """Tell whether a tenant has published a source, for whatever profile."""
    low = place("HEAD", source, "")
    return any(table.query(place("REGISTRY", tenant), low, f"{low}\U0010ffff"))


@dataclass(frozen=True, slots=True)
class _Known:
    read_at: float
    registry: Registry


class Registries:
    """Registries as one environment sees them; the clock counts seconds.

    Where the store does not answer, what was read before holds.
    """

    def __init__(self, table: Table, clock: Callable[[], float]) -> None:
        self._table = table
        self._clock = clock
        self._known: dict[Named, _Known] = {}

    def get(self, tenant: str, source: str, profile: str) -> Registry:
        """Give a registry, read anew only where its version moved."""
        name = Named(tenant, source, profile)
        known = self._known.get(name)
        if known is None or self._clock() - known.read_at >= FRESH:
            known = self._known[name] = self._look(name, known)
        return known.registry

    def _look(self, name: Named, known: _Known | None) -> _Known:
        read_at = self._clock()
        try:
            head = _found(self._table, name)
            # Nearly every look ends here, at one small item.
            if known is None or known.registry.version != head["version"]:
                return _Known(read_at, _loaded(self._table, name, head))
        except Unavailable:
            if known is None:
                raise
        return _Known(read_at, known.registry)


def _head(name: Named) -> tuple[str, str]:
    return place("REGISTRY", name.tenant), place("HEAD", name.source, name.profile)


def _part(name: Named, digest: str, number: int) -> tuple[str, str]:
    partition = place("CONTENT", name.tenant, name.source, name.profile)
    return partition, f"{digest}#{number:03}"


def _put_head(
    table: Table, name: Named, new: Registry, content: Mapping[str, Any]
) -> None:
    head = {
        "source": name.source,
        "profile": name.profile,
        "version": new.version,
        "documents": new.documents,
        **content,
    }
    condition = "attribute_not_exists(#pk) OR #version = :seen"
    values = {":seen": new.version - 1}
    write = Write(_head(name), whole=head, condition=condition, values=values)
    if not table.write(write).won:
        raise Conflict("Another publish of this source was faster.")


def _end_parts(
    table: Table, name: Named, old: Mapping[str, Any], now: datetime
) -> None:
    for number in range(old["parts"]):
        table.write(
            Write(
                _part(name, old["digest"], number),
                change="SET #expires_at = :end",
                condition="attribute_exists(#pk)",
                values={":end": epoch(now + KEPT)},
            )
        )


def _packed(registry: Registry) -> tuple[str, list[bytes]]:
    content = {
        "manifest": registry.manifest.model_dump(mode="json"),
        "samples": {key: asdict(s) for key, s in registry.samples.items()},
    }
    raw = zlib.compress(json.dumps(content, ensure_ascii=False).encode(), 9)
    parts = [raw[at : at + PART] for at in range(0, len(raw), PART)]
    return sha256(raw).hexdigest()[:32], parts


def _found(table: Table, name: Named) -> dict[str, Any]:
    head = table.get(_head(name))
    if head is None:
        raise Missing("There is no such source for this caller.")
    return head


def _loaded(table: Table, name: Named, head: Mapping[str, Any]) -> Registry:
    partition, first = _part(name, head["digest"], 0)
    _, last = _part(name, head["digest"], head["parts"] - 1)
    parts = [item["content"] for item in table.query(partition, first, last)]
    # Read and checked in one go: to parse first takes as long again.
    content = _Content.model_validate_json(zlib.decompress(b"".join(parts)))
    return registry_for(
        content.manifest,
        name.profile,
        tenant=name.tenant,
        version=head["version"],
        documents=head["documents"],
        samples={key: _sample(raw) for key, raw in content.samples.items()},
    )


def _sample(raw: Mapping[str, Any]) -> Sample:
    values, labels = tuple(raw["values"]), tuple(raw["labels"])
    return Sample(values, labels, raw["low"], raw["high"])

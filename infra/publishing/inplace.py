"""Publish a database's source in place: its rows stay, the registry is told of them.

Nothing is copied, so that there is nothing to resume: the view is checked, what is
opened is approved, values are sampled, and each profile's registry is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from secrets import token_hex

from infra.publishing.press import STAMP, Unapproved, opened, published
from vitrine.caller import Caller, nobody
from vitrine.postgres.search import Postgres
from vitrine.postgres.shape import misfits
from vitrine.problems import Invalid
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.store.audit import Entry, append
from vitrine.store.planted import plant
from vitrine.store.registry import put_registry
from vitrine.store.table import Table


@dataclass(frozen=True, slots=True)
class Standing:
    """A source that stands in a tenant's database, and who publishes it."""

    manifest: Manifest
    tenant: str
    by: str = ""
    reason: str = ""
    approve: str | None = None
    number: str = field(default_factory=token_hex)
    """By which the reader is nobody: what only some may see never reaches a prompt."""

    @property
    def reader(self) -> Caller:
        """Give the caller who counts and samples."""
        return nobody(self.tenant, self.number, "publisher")


@dataclass(frozen=True, slots=True)
class Prospect:
    """What publishing would tell: the registries, and what they newly open."""

    registries: tuple[Registry, ...]
    opens: tuple[str, ...]
    approval: str


def look(standing: Standing, engine: Postgres, table: Table | None) -> Prospect:
    """Check the view, count and sample it; change nothing.

    Raises ``Invalid`` naming each column and neighbour that the manifest needs and
    the view lacks.
    """
    manifest = standing.manifest
    if faults := misfits(manifest, engine.shape(standing.reader, manifest)):
        raise Invalid(faults)
    whole = whole_manifest(manifest, engine, standing.reader)
    known = published(table, standing.tenant, whole)
    registries = tuple(sampled(whole, engine, standing.reader))
    return Prospect(registries, *opened(standing.tenant, known, whole))


def tell(
    standing: Standing, engine: Postgres, table: Table, now: Callable[[], datetime]
) -> Prospect:
    """Publish the source's registries, with an audit row.

    Raises ``Unapproved`` where it opens what was closed and nobody has approved it.
    """
    seen = look(standing, engine, table)
    if seen.opens and standing.approve != seen.approval:
        raise Unapproved("\n".join(seen.opens), approve=seen.approval)
    at = now()
    told = tuple(
        put_registry(table, one, now=at, by=standing.by) for one in seen.registries
    )
    plant(table, standing.tenant, standing.manifest.source, standing.manifest.canaries)
    detail = {
        "documents": {one.profile: one.documents for one in told},
        "opened": list(seen.opens),
        "approved": standing.approve if seen.opens else None,
        "origin": standing.manifest.relation,
    }
    source = standing.manifest.source
    entry = Entry(at, standing.by, "publish", source, standing.reason, detail)
    append(table, standing.tenant, entry, number=at.strftime(STAMP))
    return Prospect(told, seen.opens, seen.approval)


def whole_manifest(manifest: Manifest, engine: Postgres, reader: Caller) -> Manifest:
    """Add the tenant's own definitions, where the source has any."""
    if not manifest.defined:
        return manifest
    return manifest.extended(engine.definitions(reader, manifest))


def sampled(manifest: Manifest, engine: Postgres, reader: Caller) -> Iterator[Registry]:
    """Make each profile's registry, with what is observed of the rows."""
    samples = engine.sample(reader, manifest)
    documents = engine.documents(reader, manifest)
    for profile in manifest.profiles:
        yield registry_for(
            manifest,
            profile,
            tenant=reader.tenant,
            documents=documents,
            samples=samples,
        )

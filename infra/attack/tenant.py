"""A tenant's own published source under the attackers that only read.

Nothing is written to the tenant's table or engine: budgets are kept in memory, and
every search goes to the engine as the product's own does. The report is dated and
names what it was made of, so that two of them can be compared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import boto3

from infra.attack import campaign
from infra.attack.campaign import Scale
from infra.attack.figures import Figures
from infra.attack.gate import Clock
from infra.attack.published import bare
from infra.attack.shelf import Shelf
from infra.attack.stage import Stage, staged
from infra.publishing.written import manifest_at
from vitrine.caller import Caller
from vitrine.disclosure.budgets import caps_of
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.problems import Forbidden, Missing
from vitrine.registry.capabilities import EngineName
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample
from vitrine.search.engine import Engine, Query
from vitrine.store.registry import load_registry
from vitrine.store.table import Table
from vitrine.tree.conditions import TRUE
from vitrine.typesense.client import connect
from vitrine.typesense.sample import samples
from vitrine.typesense.search import Typesense

BUILD = Path("build")
SEEDS = {"oracles": 3}


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose source is attacked, where it is, and as which profile."""

    manifest: Path
    tenant: str
    profile: str = "closed"
    url: str = ""
    key: str = ""
    dsn: str = ""


@contextmanager
def opened(asked: Asked) -> Iterator[tuple[Engine, Registry]]:
    """Reach the engine, and see the source as the profile does, at its real size."""
    manifest = _with_lists(manifest_at(asked.manifest), asked)
    unsized = registry_for(manifest, asked.profile, tenant=asked.tenant)
    if unsized.budget is None:
        raise Forbidden(f"The profile {asked.profile!r} has no budget: all may leave.")
    caller = Caller(asked.tenant, "attack report", "attack")
    if manifest.engine is EngineName.TYPESENSE:
        client = connect(asked.url, asked.key)
        with closing(client.api_call):
            engine: Engine = Typesense(client)
            yield engine, _sized(engine, unsized, caller, samples(client, unsized))
        return
    database = Postgres(connector(asked.dsn))
    with closing(database):
        observed = database.sample(caller, manifest)
        yield database, _sized(database, unsized, caller, observed)


def _with_lists(manifest: Manifest, asked: Asked) -> Manifest:
    """Complete the closed lists that a publish gathered: no file holds them.

    Raises ``Missing`` where they are needed and the table is not named.
    """
    bare = {f.key for f in manifest.fields if f.type is FieldType.KEYWORD}
    bare -= {f.key for f in manifest.fields if f.choices}
    if manifest.engine is not EngineName.TYPESENSE or not bare:
        return manifest
    name = os.environ.get("VITRINE_TABLE")
    if not name:
        listed = ", ".join(sorted(bare))
        raise Missing(f"The values of {listed} stand in the table: set VITRINE_TABLE.")
    with closing(boto3.client("dynamodb")) as client:
        kept = load_registry(
            Table(client, name), asked.tenant, manifest.source, asked.profile
        ).manifest
    fields = (kept.field(f.key) if f.key in bare else f for f in manifest.fields)
    return manifest.model_copy(update={"fields": tuple(f for f in fields if f)})


def _sized(
    engine: Engine, unsized: Registry, caller: Caller, observed: Mapping[str, Sample]
) -> Registry:
    total = engine.search(Query(caller, unsized, TRUE, limit=0)).total
    return registry_for(
        unsized.manifest,
        unsized.profile,
        tenant=unsized.tenant,
        documents=total,
        samples=observed,
    )


def attacked(asked: Asked, scale: Scale, *, now: datetime) -> tuple[Stage, Figures]:
    """Run every attacker that only reads."""
    figures = Figures()
    with opened(asked) as (engine, registry):
        clock = Clock(now)
        stage = staged(str(registry.engine), clock, Shelf(), engine, registry)
        twin = staged("twin", clock, Shelf(), engine, bare(registry))
        campaign.crawlers(stage, figures, scale)
        campaign.oracles(stage, figures, scale)
        campaign.private(stage, twin, figures, scale, campaign.hidden(registry))
        campaign.crowds(stage, figures, scale)
        campaign.months(stage, figures, scale)
        figures.last["untyped_refusals"] = stage.untyped + twin.untyped
    return stage, figures


def written(
    stage: Stage, figures: Figures, scale: Scale, *, now: datetime, folder: Path = BUILD
) -> Path:
    """Write the report, and give its path."""
    registry = stage.registry
    folder.mkdir(parents=True, exist_ok=True)
    stamp = f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    path = folder / f"attack-{registry.tenant}-{registry.source}-{stamp}.md"
    path.write_text("\n".join(_report(stage, figures, scale, stamp)) + "\n", "utf-8")
    return path


def _report(stage: Stage, figures: Figures, scale: Scale, stamp: str) -> Iterator[str]:
    registry = stage.registry
    yield f"# What can be carried away from {registry.source!r} of {registry.tenant!r}"
    yield ""
    yield f"- made: {stamp}"
    yield f"- engine: {registry.engine}; profile: {registry.profile}"
    yield f"- documents: {registry.documents:,}"
    yield f"- configuration: sha256 {fingerprint(registry)}"
    yield f"- seeds: {SEEDS}; scale: {asdict(scale)}"
    caps = caps_of(registry)
    yield f"- caps: {asdict(caps) if caps else 'none'}"
    yield from figures.told()


def fingerprint(registry: Registry) -> str:
    """Give the digest of the manifest that was attacked."""
    return sha256(registry.manifest.model_dump_json().encode()).hexdigest()

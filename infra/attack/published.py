"""Sources to attack on the local stack's servers: the shop, and the library.

The library is attacked through its closed profile, on PostgreSQL, with rows that this
profile may not see and private texts planted in every row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from infra.attack import goods
from infra.attack.gate import Clock
from infra.attack.probing import Private
from infra.attack.stage import Stage, staged
from infra.attack.tool import rule
from infra.local.demo import media, shop
from infra.local.postgres import SERVICE as READER
from infra.local.postgres import Cluster
from infra.local.seed import manifest_of
from infra.local.typesense import Node
from vitrine.caller import Caller
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.store.table import Table
from vitrine.typesense.client import connect
from vitrine.typesense.encode import Encoder
from vitrine.typesense.publish import publish
from vitrine.typesense.search import Typesense

TENANT = "aurore"
ITEMS = 8_400
"""Three fifths of them are open to everybody of the tenant: some 5,000."""
NOTE = "zqnote"
TITLE = "Zqhidden"
PLANTED = re.compile(f"(?i:{NOTE}|{TITLE})[0-9a-f]*")
CLOSED_TO_ALL = ("internal_note", "licence_cost", "photographer", "status")
PATIENT = 60
_NOTED = "UPDATE library.assets SET internal_note = %s || substr(md5(id::text), 1, 12)"
_TITLED = "UPDATE library.assets SET title = %s || ' ' || title WHERE NOT is_public"


@dataclass(frozen=True, slots=True)
class Pair:
    """A source under attack, its twin without private fields, and what to ask for."""

    stage: Stage
    twin: Stage
    privates: Sequence[Private]


@contextmanager
def on_typesense(
    node: Node, clock: Clock, tables: tuple[Table, Table], size: int = goods.SIZE
) -> Iterator[tuple[Pair, list[goods.Record]]]:
    """Publish the shop and its twin, and give them with the public products."""
    everything = goods.products(size)
    records = goods.public(everything)
    registry = goods.seen_by(size=size)
    twin = registry_for(
        _renamed(goods.without(shop.manifest(), goods.PRIVATE)),
        "closed",
        tenant=goods.TENANT,
        documents=size,
    )
    loading = connect(node.url, node.key, timeout=PATIENT)
    asking = connect(node.url, node.key)
    with closing(loading.api_call), closing(asking.api_call):
        for one, held in ((registry, everything), (twin, goods.stripped(everything))):
            encoder = Encoder(one, goods.KEY)
            publish(loading, encoder, held, stamp="1", publishable=shop.publishable)
        engine = Typesense(asking)
        stages = (
            staged("Typesense", clock, tables[0], engine, registry),
            staged("Typesense twin", clock, tables[1], engine, twin),
        )
        for stage in stages:
            stage.gate.watch.pattern = goods.PLANTED
        wanted = [
            Private(k, r[k], rule("category", "equals", r["category"]))
            for k, r in zip(goods.PRIVATE, records[17:], strict=False)
        ]
        yield Pair(*stages, wanted), records


def _renamed(manifest: Manifest) -> Manifest:
    return manifest.model_copy(update={"relation": f"{manifest.relation}_twin"})


@contextmanager
def on_postgres(
    cluster: Cluster, clock: Clock, tables: tuple[Table, Table], items: int = ITEMS
) -> Iterator[Pair]:
    """Fill a library with plants and give its closed profile and the twin's."""
    cluster.create("attacked")
    media.seed_library(cluster.dsn("attacked"), {TENANT: items})
    size, noted, someone = _planted(cluster.dsn("attacked"))
    engine = Postgres(connector(cluster.dsn("attacked", READER)))
    try:
        manifest = manifest_of("media").model_copy(update={"defined": False})
        samples = engine.sample(Caller(TENANT, "publisher", "press"), manifest)
        both = (manifest, goods.without(manifest, CLOSED_TO_ALL, "closed"))
        registries = [
            registry_for(m, "closed", tenant=TENANT, documents=size, samples=samples)
            for m in both
        ]
        stages = [
            staged(label, clock, table, engine, registry)
            for label, table, registry in zip(
                ("PostgreSQL", "PostgreSQL twin"), tables, registries, strict=True
            )
        ]
        for stage in stages:
            stage.gate.watch.pattern = PLANTED
        yield Pair(stages[0], stages[1], _privates(noted, someone))
    finally:
        engine.close()
        cluster.drop("attacked")


def _planted(dsn: str) -> tuple[int, str, str]:
    """Plant, and give how many are open, one's note, and a photographer."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_NOTED, (NOTE,))
        connection.execute(_TITLED, (TITLE,))
        connection.execute("VACUUM (ANALYZE) library.assets")
        found: Any = connection.execute(
            "SELECT count(*) OVER (), internal_note, photographer"
            " FROM library.assets WHERE is_public LIMIT 1"
        ).fetchone()
    return int(found[0]), str(found[1]), str(found[2])


def _privates(note: str, photographer: str) -> list[Private]:
    values = (note, 45_000, photographer, "approved")
    beside = rule("kind", "equals", "photo")
    return [Private(k, v, beside) for k, v in zip(CLOSED_TO_ALL, values, strict=True)]


def bare(registry: Registry) -> Registry:
    """Give the same registry of a manifest that never had more than it shows."""
    manifest, kept = registry.manifest, registry.fields
    # What decides the order without being shown stays: without it, every page would be
    # another one.
    weighed = {manifest.hit.title, manifest.order, *(b.field for b in manifest.boosts)}
    closed = (f.key for f in manifest.fields if f.key not in kept)
    gone = [key for key in closed if key not in weighed]
    return registry_for(
        goods.without(manifest, gone, registry.profile),
        registry.profile,
        tenant=registry.tenant,
        documents=registry.documents,
        samples=registry.samples,
    )

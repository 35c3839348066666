"""The demo's tenants on a running stack: data in the engines, registries in the table.

`aurore` keeps a shop, a media library and a CRM; `boreal` the same in small, with
wording that overlaps, so that a leak between them would show.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from typesense import Client

from infra.local.demo import crm, directory, media, shop
from infra.local.stack import Stack
from infra.publishing.inplace import Standing, sampled, whole_manifest
from vitrine.postgres.line import connector
from vitrine.postgres.refresh import PATIENCE as LOOKING
from vitrine.postgres.search import Postgres
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.store.following import follow
from vitrine.store.registry import put_registry
from vitrine.store.table import Table
from vitrine.typesense.client import connect
from vitrine.typesense.publish import PATIENCE
from vitrine.typesense.request import collection
from vitrine.typesense.sample import samples

SOURCES = Path(__file__).parents[1] / "sources"
TENANTS = ("aurore", "boreal")
LANGUAGES = {tenant: language for tenant, (_, language) in directory.TENANTS.items()}
KEPT = ("media", "persons", "events")
"""Sources that stay in the database."""
VISITOR: Mapping[str, Any] = {
    "tenant": "aurore",
    "account": "hotel-lumen",
    "user": "visitor",
    "client": "desk",
    "scope": "products:read media:read persons:read events:read",
    "profile": {"media": "trusted", "persons": "trusted", "events": "trusted"},
}
"""Claims of a demo token: a shopper of the shop, a member of library and CRM."""


def seed(stack: Stack) -> Mapping[str, Any]:
    """Fill the engines side by side and publish; give a visitor's claims."""
    with ThreadPoolExecutor() as pool:
        shopped = pool.submit(_shop, stack)
        kept = pool.submit(_databases, stack)
        registries = [*kept.result(), *shopped.result()]
    with closing(stack.aws.client("dynamodb")) as dynamo:
        table = Table(dynamo, stack.table)
        now = datetime.now(UTC)
        for registry in registries:
            put_registry(table, registry, now=now, by="seed")
        for tenant in TENANTS:
            follow(table, tenant, shop.manifest().source, int(now.timestamp()))
    return VISITOR


def manifest_of(source: str) -> Manifest:
    """Read a source's manifest."""
    text = (SOURCES / f"{source}.json").read_text(encoding="utf-8")
    return Manifest.model_validate_json(text)


def _shop(stack: Stack) -> list[Registry]:
    """Publish the shop, where this machine has a Typesense."""
    if stack.typesense is None:
        return []
    client = connect(stack.typesense.url, stack.typesense.key, timeout=PATIENCE)
    with closing(client.api_call):
        return _published(client, shop.manifest(), b64decode(stack.id_key))


def _published(client: Client, manifest: Manifest, key: bytes) -> list[Registry]:
    made = shop.seed_shop(client, manifest, key)
    return [
        registry_for(
            bare.manifest,
            bare.profile,
            tenant=bare.tenant,
            documents=made[collection(bare)],
            samples=samples(client, bare),
        )
        for bare in _bare(manifest)
    ]


def _databases(stack: Stack) -> list[Registry]:
    media.seed_library(stack.dsn)
    # The demo asks for last month's calls whenever it runs, by the tenant's calendar.
    zone = ZoneInfo(manifest_of("events").zone)
    crm.seed_crm(stack.dsn, datetime.now(zone).date())
    dsn = stack.cluster.dsn(role="vitrine_service")
    # Sampling is a publisher's job, beyond a search's patience.
    engine = Postgres(connector(dsn), patience=LOOKING)
    try:
        return [
            registry
            for source in KEPT
            for tenant in TENANTS
            for registry in _kept(engine, manifest_of(source), tenant)
        ]
    finally:
        engine.close()


def _kept(engine: Postgres, manifest: Manifest, tenant: str) -> Iterator[Registry]:
    """Publish a database's source: with the tenant's definitions and what is public."""
    # Texts are indexed in the tenant's language; a query must be read in it too.
    spoken = manifest.model_copy(update={"text_language": LANGUAGES[tenant]})
    reader = Standing(spoken, tenant).reader
    whole = whole_manifest(spoken, engine, reader)
    return sampled(whole, engine, reader)


def _bare(manifest: Manifest) -> Iterator[Registry]:
    for tenant in TENANTS:
        own = shop.manifest_of(manifest, tenant)
        for profile in own.profiles:
            yield registry_for(own, profile, tenant=tenant)

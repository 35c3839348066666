"""A world of a parity campaign: one set of documents on both engines, and its twins.

Each document has a hidden twin on each engine and one of another tenant's, equal to
it in every value, so that whatever the visibility lets slip shows at once.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import Any

from typesense import Client

from tests import trees
from tests.integration.postgres import things
from vitrine.caller import Caller
from vitrine.registry.capabilities import EngineName, runnable
from vitrine.registry.fields import Choice, Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Engine
from vitrine.typesense import request
from vitrine.typesense.client import collection
from vitrine.typesense.encode import Encoder, public_id
from vitrine.typesense.publish import publish

KEY = b"a publisher's key of a campaign"
FIELDS = 8
DOCUMENTS = 40
ZONES = ("Europe/Paris", "America/St_Johns", "Asia/Kolkata", "Pacific/Auckland")
MULTI = (
    FieldType.KEYWORD,
    FieldType.VOCABULARY,
    FieldType.COLOUR,
    FieldType.NUMBER,
    FieldType.DATE,
    FieldType.DATETIME,
    FieldType.TIME,
    FieldType.TEXT,
    FieldType.IDENTIFIER,
)
Documents = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Side:
    """One engine with its registry, and the number of the document behind an id."""

    engine: Engine
    registry: Registry
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Servers:
    """The running engines of a campaign."""

    dsn: str
    postgres: Engine
    client: Client
    typesense: Engine


@dataclass(frozen=True, slots=True)
class World:
    """Documents that both engines hold; ``sides`` by the engine's name."""

    documents: Documents
    caller: Caller
    sides: Mapping[EngineName, Side]


_stamps = itertools.count(1)


def world(rng: Random, servers: Servers) -> World:
    """Draw a registry and documents, and load them on both engines."""
    manifest = manifest_for_both(rng)
    ours = things.placed(rng, seen(manifest, EngineName.POSTGRES))
    theirs = seen(manifest, EngineName.TYPESENSE)
    documents = trees.documents(rng, ours, DOCUMENTS)
    sides = {
        EngineName.POSTGRES: _stored(servers, ours, documents),
        EngineName.TYPESENSE: _published(servers, theirs, documents),
    }
    return World(documents, things.ACME, MappingProxyType(sides))


def manifest_for_both(rng: Random) -> Manifest:
    """Draw fields of all types, with lists closed where a collection needs it."""
    drawn = trees.registry(rng, size=FIELDS, multi=MULTI).manifest
    fields = [_closed(f) if _open_list(f) else f for f in drawn.fields]
    place = {"zone": rng.choice(ZONES), "hemisphere": rng.choice(("north", "south"))}
    return drawn.model_copy(update={"fields": tuple(fields), **place})


def _open_list(field: Field) -> bool:
    """Tell a list that the public collection needs closed."""
    several = field.type is FieldType.COLOUR and field.multi
    return field.choices is None and (field.type is FieldType.VOCABULARY or several)


def _closed(field: Field) -> Field:
    values = trees.COLOURS if field.type is FieldType.COLOUR else trees.WORDS
    listed = tuple(Choice(value=v, code=f"c{i}") for i, v in enumerate(values))
    return field.model_copy(update={"choices": listed})


def seen(manifest: Manifest, engine: EngineName) -> Registry:
    """See the manifest on an engine, without the types that it does not know."""
    known = [f for f in manifest.fields if runnable(engine, f.type) or f.key == "title"]
    # A collection's name must be the campaign's own.
    changed = {"engine": engine, "fields": tuple(known), "relation": "parity"}
    return registry_for(manifest.model_copy(update=changed), "trusted", tenant="acme")


def _stored(servers: Servers, registry: Registry, documents: Documents) -> Side:
    behind = {"hidden": documents, "foreign": documents}
    rows = things.store(servers.dsn, registry, documents, coded=True, **behind)
    numbers = {row.id: n for n, row in enumerate(rows)}
    return Side(servers.postgres, registry, numbers)


def _published(servers: Servers, registry: Registry, documents: Documents) -> Side:
    records = [{**d, "id": f"S{n}"} for n, d in enumerate(documents)]
    drafts = [{**r, "id": f"H{r['id']}", "draft": True} for r in records]
    publish(
        servers.client,
        Encoder(registry, KEY),
        [*records, *drafts],
        stamp=f"{next(_stamps):08d}",
        publishable=lambda record: "draft" not in record,
    )
    _smuggle(servers.client, registry, records)
    tenant, source = registry.tenant, registry.source
    ids = [public_id(KEY, tenant, source, r["id"]) for r in records]
    return Side(servers.typesense, registry, {i: n for n, i in enumerate(ids)})


def _smuggle(client: Client, registry: Registry, records: Documents) -> None:
    """Put another tenant's twins into this tenant's own collection."""
    foreign = Encoder(replace(registry, tenant="other"), KEY)
    twins = (foreign.document(record) for record in records)
    lines = "\n".join(json.dumps(twin, ensure_ascii=False) for twin in twins)
    home = collection(client, request.collection(registry))
    said = home.documents.import_(lines, {"action": "upsert"})
    if said.count('"success":true') != len(records):
        raise RuntimeError(f"twins were not imported: {said[:200]}")

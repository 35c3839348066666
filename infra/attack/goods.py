"""The catalogue that is attacked: the demo's shop in a size of our own, with plants.

Everything that must never leave carries a mark that no public value has: the stock
numbers, and the names of products that are held back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from random import Random
from typing import Any

from infra.local.demo import shop
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for

TENANT = "attack"
TWIN = "twin"
SOURCE = "products"
SIZE = 5_000
LARGE = 80_000
START = datetime(2026, 11, 20, 8, tzinfo=UTC)
KEY = b"a publisher's key of an attack"
HIDDEN = "Zyxquartz"
"""A word of held-back products alone."""
PLANTED = re.compile(rf"STK\d{{8}}|(?i:{HIDDEN})")
PRIVATE = ("stock_id", "purchase_cost", "supplier_quota")
ROOM = 1.12
"""How many more are generated, since some are held back."""

Record = dict[str, Any]


def products(size: int = SIZE) -> list[Record]:
    """Give exactly ``size`` publishable products, and the held-back among them."""
    found: list[Record] = []
    shown = 0
    for record in shop.records("aurore", int(size * ROOM)):
        if shown == size:
            break
        public = shop.publishable(record)
        shown += public
        found.append(record if public else _marked(record))
    return found


def _marked(record: Record) -> Record:
    name = f"{HIDDEN} {record['name']}"
    return record | {"name": name, "slug": f"{HIDDEN.lower()}-{record['slug']}"}


def public(records: Sequence[Record]) -> list[Record]:
    """Keep what a publish sends."""
    return [r for r in records if shop.publishable(r)]


def without(
    manifest: Manifest, gone: Iterable[str], profile: str | None = None
) -> Manifest:
    """Give a manifest in which these fields never existed.

    With ``profile`` that profile is the only one, as its own lists have it.
    """
    dead, raw = frozenset(gone), manifest.model_dump()
    raw["fields"] = [f for f in raw["fields"] if f["key"] not in dead]
    raw["text"] = [t for t in raw["text"] if t["key"] not in dead]
    raw["boosts"] = [b for b in raw["boosts"] if b["field"] not in dead]
    raw["order"] = None if raw["order"] in dead else raw["order"]
    raw["locales"] = {k: _spoken(v, dead) for k, v in raw["locales"].items()}
    raw["ambiguous"] = [
        a
        for a in raw["ambiguous"]
        if dead.isdisjoint(r["field"] for r in a["readings"])
    ]
    for part in ("hit", "origin"):
        raw[part] = _without(raw[part], dead)
    held = raw["profiles"].items()
    raw["profiles"] = {
        name: _without(lists, dead) for name, lists in held if profile in (None, name)
    }
    return Manifest.model_validate(raw)


def _spoken(locale: Mapping[str, Any], dead: frozenset[str]) -> dict[str, Any]:
    """Drop keys from what a language says of a document."""
    pairs = locale["fields"].items()
    kept = {k: v for k, v in pairs if dead.isdisjoint((k, v))}
    title = None if locale["title"] in dead else locale["title"]
    return {**locale, "title": title, "fields": kept}


def _without(held: Mapping[str, Any], dead: frozenset[str]) -> dict[str, Any]:
    """Drop keys from every list of a part."""
    return {
        name: [key for key in value if key not in dead]
        if isinstance(value, list | tuple)
        else value
        for name, value in held.items()
    }


def stripped(records: Sequence[Record]) -> list[Record]:
    """Give the same products without any private value."""
    return [{k: v for k, v in r.items() if k not in PRIVATE} for r in records]


def seen_by(
    profile: str = "closed", tenant: str = TENANT, size: int = SIZE
) -> Registry:
    """Give the shop's registry as a tenant's profile sees it."""
    manifest = shop.manifest()
    if tenant == TWIN:
        manifest = without(manifest, PRIVATE)
    return registry_for(manifest, profile, tenant=tenant, documents=size)


def demand(keys: Sequence[str], *, seed: int = 11) -> Mapping[str, float]:
    """Give each product's share of all views: Zipf's law, in an order of chance."""
    drawn = Random(seed).sample(list(keys), len(keys))
    weights = [1 / rank for rank in range(1, len(drawn) + 1)]
    whole = sum(weights)
    return {key: w / whole for key, w in zip(drawn, weights, strict=True)}


def batches(records: Sequence[Record], size: int) -> Iterator[list[Record]]:
    """Cut records into lists."""
    left = iter(records)
    while batch := list(islice(left, size)):
        yield batch

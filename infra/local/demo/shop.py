"""A furniture and home shop, generated: two tenants, some six thousand goods.

Seeded, bilingual, no network. Every product is built from the manifest's own closed
lists, so that names, labels and filters speak of the same things. Private fields
(stock number, purchase cost, supplier quota) and unpublished products are made too:
they stay in the private collection.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, cast
from unicodedata import combining, normalize

from typesense import Client
from typesense.exceptions import ObjectNotFound
from typesense.types.collection import CollectionCreateSchema

from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import registry_for
from vitrine.typesense.client import collection
from vitrine.typesense.encode import Press
from vitrine.typesense.loading import load
from vitrine.typesense.publish import BATCH, publish_all

MANIFEST = Path(__file__).parents[2] / "sources" / "products.json"
GOODS = Path(__file__).with_name("shop.json")
PRIVATE = "products_private"
SIZES = {"aurore": 5_600, "boreal": 640}
LAST_DAY = date(2026, 11, 20)
YEARS_BACK = 900

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a category is like: materials, rooms, size in cm, price range in euros."""

    code: str
    materials: list[str]
    rooms: list[str]
    size: tuple[int, int, int]
    price: tuple[int, int]
    kilos: float
    shapes: list[str]
    light: bool = False
    cloth: bool = False


@cache
def goods() -> dict[str, Kind]:
    """Read what each category is like."""
    kinds = json.loads(GOODS.read_text(encoding="utf-8"))["kinds"]
    return {name: Kind(**kind) for name, kind in kinds.items()}


@cache
def phrases(part: str) -> list[dict[str, str]]:
    """Read the sentences that descriptions are made of."""
    read: dict[str, list[dict[str, str]]] = json.loads(GOODS.read_text("utf-8"))
    return read[part]


@cache
def manifest() -> Manifest:
    """Read the shop's manifest."""
    return Manifest.model_validate_json(MANIFEST.read_text(encoding="utf-8"))


def manifest_of(manifest: Manifest, tenant: str) -> Manifest:
    """Give the manifest that takes this tenant's records alone."""
    only = {**manifest.origin.only, "tenant": (tenant,)}
    origin = manifest.origin.model_copy(update={"only": only})
    return manifest.model_copy(update={"origin": origin})


def publishable(record: Mapping[str, Any]) -> bool:
    """Tell whether a product may be shown at all."""
    return bool(record["published"])


def records(tenant: str, size: int | None = None) -> Iterator[Record]:
    """Generate a tenant's products, private fields included, always the same ones."""
    random = Random(f"shop {tenant}")
    for number in range(SIZES[tenant] if size is None else size):
        yield _product(random, tenant, number)


def seed_shop(client: Client, manifest: Manifest, key: bytes) -> dict[str, int]:
    """Load the private collection and publish every profile; count the documents.

    ``key`` is the publisher's: the public ids hang on it.
    """
    now = datetime.now(UTC)
    changed = {"updated": int(now.timestamp())}
    goods = {t: [r | changed | {"tenant": t} for r in records(t)] for t in SIZES}
    made = {PRIVATE: _load_private(client, goods)}
    # Anew each time: a named server may hold an earlier demo's runs.
    stamp = now.strftime("%Y%m%dT%H%M%S%f")
    for tenant in SIZES:
        own = manifest_of(manifest, tenant)
        seen = [registry_for(own, p, tenant=tenant) for p in own.profiles]
        press = Press(seen, key)
        runs = publish_all(
            client, press, goods[tenant], stamp=stamp, publishable=publishable
        )
        made |= {run.alias: run.documents for run in runs}
    return made


def _load_private(client: Client, goods: Mapping[str, list[Record]]) -> int:
    """Fill the collection that stands for the customer's own, as customers keep it."""
    with suppress(ObjectNotFound):
        collection(client, PRIVATE).delete()
    fields = [
        {"name": "tenant", "type": "string", "facet": True},
        *({"name": n, "type": "string"} for n in ("name", "name_fr", "sku")),
        *({"name": n, "type": "int64"} for n in ("price", "purchase_cost")),
        {"name": "supplier_quota", "type": "int32"},
        {"name": "updated", "type": "int64"},
        {"name": "published", "type": "bool"},
    ]
    schema = {"name": PRIVATE, "fields": fields}
    client.collections.create(cast("CollectionCreateSchema", schema))
    kept = (record for tenant in goods for record in goods[tenant])
    loaded = 0
    while batch := list(islice(kept, BATCH)):
        lines = [json.dumps(record, ensure_ascii=False) for record in batch]
        loaded += load(client, PRIVATE, lines)
    return loaded


def _product(random: Random, tenant: str, number: int) -> Record:
    category = random.choice(list(goods()))
    kind = goods()[category]
    made = _looks(random, kind) | _sizes(random, kind) | _sale(random, kind)
    stock = _stock(random, made["availability"])
    head = _codes(tenant, number, kind, made) | {"category": category}
    record = made | stock | head | _extras(random, kind)
    record |= _texts(random, record)
    record["slug"] = f"{_slug(record['name'])}-{head['sku'].lower()}"
    record["image"] = f"https://img.aurore.example/{head['sku'].lower()}.jpg"
    return {k: v for k, v in record.items() if v is not None}


def _looks(random: Random, kind: Kind) -> Record:
    rooms = kind.rooms
    return {
        "material": random.choice(kind.materials),
        "colour": random.choice(_values("colour")),
        "style": _maybe(random, 0.94, random.choice(_values("style"))),
        "room": random.sample(rooms, random.randint(1, len(rooms))),
        "shape": _maybe(random, 0.8, random.choice(kind.shapes)),
        "brand": _maybe(random, 0.95, random.choice(_values("brand"))),
        "collection": random.choice(_values("collection")),
    }


def _sizes(random: Random, kind: Kind) -> Record:
    factor = random.uniform(0.7, 1.35)
    width, depth, height = (max(1, round(side * factor * 2) / 2) for side in kind.size)
    return {
        "width": width,
        "depth": _maybe(random, 0.93, depth),
        "height": _maybe(random, 0.93, height),
        "weight": _maybe(random, 0.9, round(kind.kilos * factor, 1)),
    }


def _sale(random: Random, kind: Kind) -> Record:
    low, high = kind.price
    euros = low + (high - low) * random.betavariate(1.4, 3.2)
    price = round(euros) * 100 - random.choice((0, 1, 5, 10))
    availability = random.choices(_values("availability"), (70, 10, 12, 8))[0]
    added = LAST_DAY - timedelta(days=int(YEARS_BACK * random.random() ** 1.6))
    return {
        "price": price,
        "availability": availability,
        "rating": _maybe(random, 0.7, round(random.triangular(2, 5, 4.4), 1)),
        "added": added.isoformat(),
        "purchase_cost": int(price * random.uniform(0.34, 0.58)),
        "supplier_quota": random.randint(10, 900),
        "published": random.random() > 0.05,
    }


def _stock(random: Random, availability: str) -> Record:
    pieces = {"in_stock": (6, 240), "low_stock": (1, 5)}.get(availability, (0, 0))
    quantity = random.randint(*pieces)
    days = random.randint(2, 5) if quantity else random.randint(14, 60)
    return {
        "quantity": quantity,
        "in_stock": quantity > 0,
        "lead_days": None if availability == "sold_out" else days,
    }


def _codes(tenant: str, number: int, kind: Kind, made: Record) -> Record:
    """Give stock number, SKU and GTIN-13: unique, and none follows from another."""
    base = {"aurore": 1, "boreal": 50_001}[tenant] + number
    stock = f"STK{base * 4_826_809 % 10_000_019:08d}"
    twelve = f"376{base * 79_190_203 % 999_999_937:09d}"
    return {
        "id": stock,
        "stock_id": stock,
        "sku": f"{kind.code}-{made['material'][:3].upper()}-{base * 37 % 100_003:06d}",
        "gtin": twelve + check_digit(twelve),
    }


def check_digit(twelve: str) -> str:
    """Compute the last digit of a GTIN-13 (GS1: weights 1 and 3 in turn)."""
    total = sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(twelve))
    return str(-total % 10)


def _extras(random: Random, kind: Kind) -> Record:
    certificates = [c for c in _values("certification") if random.random() < 0.18]
    return {
        "certification": certificates or None,
        "care": random.choice(("machine", "hand", "dry")) if kind.cloth else "wipe",
        "origin": random.choice(_values("origin")),
        "energy_class": random.choice("ABCDEFG") if kind.light else None,
        "socket": random.choice(_values("socket")) if kind.light else None,
        "assembly": kind.kilos > 12 and random.random() < 0.7,
        "pieces": random.choice((1, 1, 1, 2, 4, 6)),
    }


def _texts(random: Random, record: Record) -> Record:
    english, french = _words(record, "en"), _words(record, "fr")
    styled = record.get("style")
    openings = [p for p in phrases("openings") if styled or "{style}" not in p["en"]]
    opening, detail = random.choice(openings), random.choice(phrases("details"))
    collection = record["collection"]
    name_fr = f"{french['category']} {collection} en {french['material']}"
    return {
        "name": f"{collection} {english['category']} in {english['material']}",
        "name_fr": _capital(name_fr),
        "description": _sentence(opening["en"], detail["en"], english),
        "description_fr": _sentence(opening["fr"], detail["fr"], french),
    }


def _words(record: Record, language: str) -> dict[str, str]:
    keys = ("category", "material", "colour", "style")
    said = {k: _label(k, record.get(k), language) for k in keys}
    return said | {
        "room": _label("room", record["room"][0], language),
        "name": record["collection"],
        "brand": record.get("brand") or "Aurore",
    }


def _sentence(opening: str, detail: str, words: Mapping[str, str]) -> str:
    parts = (" ".join(part.format_map(words).split()) for part in (opening, detail))
    return " ".join(_capital(part) for part in parts)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _slug(text: str) -> str:
    plain = "".join(c for c in normalize("NFKD", text) if not combining(c))
    return "-".join("".join(c if c.isalnum() else " " for c in plain).lower().split())


def _maybe(random: Random, likely: float, value: Any) -> Any:
    """Leave some values out: real catalogues have gaps."""
    return value if random.random() < likely else None


@cache
def _values(key: str) -> list[str]:
    field = manifest().field(key)
    return [c.value for c in (field.choices if field else None) or ()]


@cache
def _labels(key: str, language: str) -> dict[str, str]:
    field = manifest().field(key)
    choices = (field.choices if field else None) or ()
    return {c.value: c.labels[language] for c in choices}


def _label(key: str, value: str | None, language: str) -> str:
    return _labels(key, language).get(value or "", "")

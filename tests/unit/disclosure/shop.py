"""A small shop's manifest, with private fields beside public ones."""

from __future__ import annotations

from typing import Any

from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for

PUBLIC = (
    "name",
    "name_fr",
    "description",
    "sku",
    "slug",
    "colour",
    "rooms",
    "price",
    "width",
    "added",
    "changed",
    "opens",
    "in_stock",
)


def field(key: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "type": kind, "label": {"en": key}, **more}


def choice(value: str, code: str, **labels: str) -> dict[str, Any]:
    return {"value": value, "code": code, "labels": labels}


def manifest(**changes: Any) -> Manifest:
    colours = [
        choice("red", "c1", en="red", fr="rouge"),
        choice("blue", "c2", en="blue", fr="bleu"),
        choice("green", "c3", en="green"),
    ]
    rooms = [choice("living", "r1", fr="salon"), choice("hall", "r2")]
    fields = [
        *(field(key, "text") for key in ("name", "name_fr", "description", "slug")),
        field("sku", "identifier"),
        field("colour", "keyword", choices=colours),
        field("rooms", "keyword", multi=True, choices=rooms),
        field("price", "number", currency="EUR"),
        field("width", "number", unit="cm"),
        field("added", "date"),
        field("changed", "datetime"),
        field("opens", "time"),
        field("in_stock", "boolean"),
        field("purchase_cost", "number", currency="EUR"),
        field("supplier", "text"),
    ]
    lists = {
        "filter": PUBLIC,
        "facet": ("colour", "rooms"),
        "search": ("name",),
        "output": PUBLIC,
    }
    return Manifest.model_validate(
        {
            "source": "shop",
            "engine": "typesense",
            "relation": "products",
            "title": {"en": "Shop"},
            "site": "https://shop.example",
            "way_on": "https://shop.example/search?q={query}",
            "fields": fields,
            "hit": {
                "title": "name",
                "url": "https://shop.example/p/{slug}/{ref}",
                "preview": ("description",),
            },
            "tool": {"title": "t", "use": "u", "not_for": "n", "example": "e"},
            "profiles": {
                "closed": {**lists, "budget": {}},
                "trusted": {**lists, "facet": ("*",), "output": (*PUBLIC, "supplier")},
            },
        }
        | changes
    )


def registry(profile: str = "closed", **changes: Any) -> Registry:
    return registry_for(manifest(**changes), profile, tenant="demo", documents=5_000)

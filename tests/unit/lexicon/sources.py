"""Three small bilingual sources that the tests of lexicon and interpret read from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample


def source(name: str, fields: list[dict[str, Any]], **more: Any) -> Manifest:
    """Give a manifest that is whole but for what a test says."""
    return Manifest.model_validate(
        {
            "source": name,
            "engine": "postgres",
            "relation": name,
            "title": {"en": name},
            "site": "https://example.org",
            "way_on": "https://example.org?q={query}",
            "hit": {"title": fields[0]["key"]},
            "tool": {"title": "t", "use": "u", "not_for": "n", "example": "e"},
            "profiles": {
                "trusted": {"filter": ["*"], "search": ["*"], "output": ["*"]}
            },
            "fields": fields,
        }
        | more
    )


def field(key: str, kind: str, en: str, fr: str, **more: Any) -> dict[str, Any]:
    """Give a field with its two labels."""
    return {"key": key, "type": kind, "label": {"en": en, "fr": fr}} | more


def choices(*pairs: str) -> list[dict[str, Any]]:
    """Read "Red/Rouge" as a choice with its labels."""
    listed = []
    for number, pair in enumerate(pairs):
        en, _, fr = pair.partition("/")
        labels = {"en": en, "fr": fr or en}
        listed.append({"value": en, "code": f"c{number}", "labels": labels})
    return listed


def seen(manifest: Manifest, samples: Mapping[str, Sample]) -> Registry:
    """Give the manifest as staff see it."""
    return registry_for(manifest, "trusted", tenant="t", samples=samples)


COLOURS = ("Red/Rouge", "Blue/Bleu", "Black/Noir", "Green/Vert", "Gold/Doré")


@cache
def shop() -> Registry:
    """Furniture: lists, prices, sizes, stock, codes."""
    fields = [
        field("name", "text", "name", "nom"),
        field("category", "vocabulary", "category", "catégorie", priority=True),
        field("material", "vocabulary", "material", "matière", multi=True),
        field("colour", "keyword", "colour", "couleur", choices=choices(*COLOURS)),
        field(
            "size", "keyword", "size", "taille", choices=choices("S", "M", "L", "38")
        ),
        field("price", "number", "price", "prix", currency="EUR", priority=True),
        field("length", "number", "length", "longueur", unit="cm"),
        field("seats", "number", "number of seats", "nombre de places", integer=True),
        field("in_stock", "boolean", "in stock", "en stock"),
        field("sku", "identifier", "SKU", "référence"),
        field("added", "date", "added on", "date d'ajout"),
    ]
    return seen(
        source("shop", fields),
        {
            "category": Sample(
                labels=(
                    "Lamp",
                    "Table",
                    "Garden chair",
                    "Cushion cover",
                    "Sofas & Beds",
                )
            ),
            "material": Sample(labels=("Oak", "Steel", "Glass", "Cotton")),
            "price": Sample(low=5, high=900),
            "length": Sample(low=10, high=300),
            "seats": Sample(low=1, high=12),
        },
    )


LANDSCAPE = {
    "term": "landscape",
    "words": {"fr": ["paysage", "paysages"], "en": ["landscape", "landscapes"]},
    "settled": {
        "en paysage": "format",
        "format paysage": "format",
        "landscape format": "format",
        "in landscape": "format",
    },
    "readings": [
        {
            "name": "format",
            "label": {"en": "the format", "fr": "le format"},
            "field": "orientation",
            "value": "landscape",
        },
        {"name": "subject", "label": {"en": "the subject", "fr": "le sujet"}},
    ],
    "question": {"en": "The format or the subject?", "fr": "Le format ou le sujet ?"},
}


@cache
def library() -> Registry:
    """Pictures: full text, orientation, colours, dates, makers, years."""
    fields = [
        field("title", "text", "title", "titre"),
        field("orientation", "orientation", "orientation", "orientation"),
        field("taken", "date", "taken on", "date de prise de vue"),
        field("year", "number", "year", "année", integer=True),
        field("photographer", "text", "photographer", "photographe"),
        field("tint", "colour", "main colour", "couleur dominante"),
        field("width", "number", "width", "largeur", unit="cm"),
        field("height", "number", "height", "hauteur", unit="cm"),
        field(
            "rights",
            "keyword",
            "rights",
            "droits",
            choices=choices("royalty-free/libre de droits", "editorial/éditorial"),
        ),
        field("tags", "vocabulary", "tag", "mot-clé", multi=True),
    ]
    return seen(
        source("library", fields, order="taken", ambiguous=[LANDSCAPE]),
        {
            "year": Sample(low=1850, high=2026),
            "tags": Sample(labels=("mountain", "castle", "bridge", "history")),
            "photographer": Sample(values=("Jane Doe", "Karim Haddad")),
        },
    )


@cache
def contacts() -> Registry:
    """A CRM: roles, names, dates, an owner."""
    fields = [
        field("full_name", "text", "full name", "nom complet"),
        field("people", "relation", "linked people", "personnes liées"),
        field("met", "date", "date", "date"),
        field("city", "vocabulary", "city", "ville"),
        field("owner", "vocabulary", "account owner", "responsable"),
        field(
            "newsletter", "boolean", "newsletter subscriber", "abonné à la newsletter"
        ),
        field("email", "text", "email", "e-mail"),
        field("revenue", "number", "revenue", "chiffre d'affaires", currency="EUR"),
    ]
    return seen(
        source("contacts", fields, order="met"),
        {
            "people": Sample(labels=("Supplier", "Client", "VIP", "Partner")),
            "city": Sample(labels=("Lyon", "Marseille", "Genève")),
            "owner": Sample(labels=("Ana Sousa", "Paul Roche")),
        },
    )

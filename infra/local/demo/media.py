"""A media library, generated: pictures, films and drawings of a furniture house.

Seeded, bilingual, no network, some seconds. Two tenants speak of the same things;
about two fifths of the items are hidden from somebody by team or owner.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from infra.local.demo import words
from infra.local.demo.directory import (
    MEMBERS,
    TENANTS,
    filling,
    learn,
    load,
    seed_directory,
)
from infra.local.demo.words import Word
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType

SIZES = {"aurore": 20_600, "boreal": 2_400}
DEFINED = {"aurore": 48, "boreal": 48}
LAST = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)
DAYS_BACK = 2_700
FILLED = 0.62
DEFINITIONS = Path(__file__).with_name("media.json")

_RENUMBER = sql.SQL("SELECT library.renumber(%s)")

Record = dict[str, Any]

COLUMNS = (
    "tenant",
    "id",
    "language",
    "kind",
    "status",
    "title",
    "description",
    "keywords",
    "reference",
    "file_name",
    "mime_type",
    "photographer",
    "credit",
    "width",
    "height",
    "megabytes",
    "duration",
    "rating",
    "downloads",
    "tags",
    "colours",
    "meta",
    "occurred_at",
    "imported_at",
    "owner",
    "teams",
    "is_public",
    "internal_note",
    "licence_cost",
)
KINDS = (
    ("photo", "image/jpeg", "jpg", 14),
    ("photo", "image/tiff", "tif", 2),
    ("illustration", "image/png", "png", 2),
    ("illustration", "image/svg+xml", "svg", 1),
    ("video", "video/mp4", "mp4", 2),
    ("document", "application/pdf", "pdf", 1),
)
SHAPES = (
    ((6000, 4000), 7),
    ((4000, 6000), 4),
    ((3840, 2160), 3),
    ((1920, 1080), 3),
    ((2400, 2400), 2),
    ((1080, 1350), 2),
    ((5200, 2200), 1),
)
TAGS = (*words.SUBJECTS, *words.SCENES)
"""What tags are drawn from; they are a vocabulary of their own."""

VOCABULARIES: dict[str, Sequence[Word]] = {
    "tags": TAGS,
    "product_designer": tuple(Word(d, d) for d in words.DESIGNERS),
    "brand": tuple(Word(b, b) for b in words.BRANDS),
    "product_category": words.CATEGORIES,
    "room": words.ROOMS,
    "style": words.STYLES,
    "light": words.LIGHTS,
    "season": words.SEASONS,
    "licence": words.LICENCES,
    "materials": words.MATERIALS,
    "subjects": words.SUBJECTS,
    "audiences": words.AUDIENCES,
    "channels": words.CHANNELS,
}
(CONFIDENTIAL,) = words.weighted("confidential")
"""A brand that the management's team alone may know of."""


@cache
def _definitions() -> list[dict[str, Any]]:
    read: dict[str, list[dict[str, Any]]] = json.loads(
        DEFINITIONS.read_text(encoding="utf-8")
    )
    return read["definitions"]


def definitions(tenant: str) -> tuple[Field, ...]:
    """Give the tenant's own definitions as fields, as `publish` reads them."""
    return tuple(_field(d) for d in _definitions()[: DEFINED[tenant]])


def _field(definition: dict[str, Any]) -> Field:
    return Field(
        key=definition["key"],
        type=FieldType(definition["type"]),
        label=definition["label"],
        group=definition["section"],
        multi=definition.get("multi", False),
        unit=definition.get("unit"),
        currency=definition.get("currency"),
        integer=definition.get("whole", False),
        keywords=tuple(definition["keywords"]),
        column=f"meta:{definition['key']}",
    )


def seed_library(dsn: str, sizes: Mapping[str, int] = SIZES) -> dict[str, int]:
    """Load both tenants' libraries as a superuser; count the items of each."""
    with psycopg.connect(dsn) as connection:
        seed_directory(connection)
        with filling(connection, "library.assets", "library.numbers"):
            made = {t: _seed_tenant(connection, t, size) for t, size in sizes.items()}
            for tenant in sizes:
                connection.execute(_RENUMBER, [tenant])
        learn(connection, "media")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("VACUUM (ANALYZE) library.assets"))
        connection.execute(sql.SQL("ANALYZE library.numbers, library.terms"))
    return made


def _seed_tenant(connection: psycopg.Connection[Any], tenant: str, size: int) -> int:
    columns = ("tenant", "key", "type", "multi", "unit", "currency", "whole", "label")
    more = ("keywords", "section", "position")
    rows = (_definition(tenant, n, d) for n, d in enumerate(_definitions()))
    load(connection, ("library", "definitions"), (*columns, *more), rows)
    terms = ("tenant", "field", "id", "language", "label", "is_public", "teams")
    load(connection, ("library", "terms"), terms, _terms(tenant))
    return load(
        connection,
        ("library", "assets"),
        COLUMNS,
        ([r[c] for c in COLUMNS] for r in islice(records(tenant), size)),
    )


def _definition(tenant: str, position: int, made: dict[str, Any]) -> Sequence[Any]:
    return (
        tenant,
        made["key"],
        made["type"],
        made.get("multi", False),
        made.get("unit"),
        made.get("currency"),
        made.get("whole", False),
        Jsonb(made["label"]),
        made["keywords"],
        made["section"],
        position,
    )


def _terms(tenant: str) -> Iterator[Sequence[Any]]:
    for field, vocabulary in VOCABULARIES.items():
        for word in dict.fromkeys(vocabulary):
            yield from _labelled(tenant, field, word, teams=())
    yield from _labelled(tenant, "brand", CONFIDENTIAL, teams=("direction",))


def _labelled(
    tenant: str, field: str, word: Word, *, teams: Sequence[str]
) -> Iterator[Sequence[Any]]:
    term = term_id(tenant, field, word)
    for language, label in word.label.items():
        yield tenant, field, term, language, label, not teams, list(teams)


@cache
def term_id(tenant: str, field: str, word: Word) -> str:
    """Give a term's id: the same at each run, another one for each tenant."""
    return str(UUID(int=Random(f"{tenant} {field} {word.en}").getrandbits(128)))


def records(tenant: str) -> Iterator[Record]:
    """Generate a tenant's items, always the same ones."""
    random = Random(f"library {tenant}")
    for number in range(SIZES[tenant]):
        yield _record(random, tenant, number)


def _record(random: Random, tenant: str, number: int) -> Record:
    language = TENANTS[tenant][1]
    subject, scene, mood = (
        random.choice(stock) for stock in (words.SUBJECTS, words.SCENES, words.MOODS)
    )
    uses = _some(random, words.USES, 2)
    made = _when(random)
    tags = [subject, scene, *_some(random, TAGS, 2)]
    spoken = language if random.random() < 0.85 else ("en", "fr")[language == "en"]
    return {
        "tenant": tenant,
        "id": str(UUID(int=random.getrandbits(128), version=4)),
        "language": language,
        "status": random.choices(("approved", "draft", "archived"), (8, 1, 1))[0],
        "title": _title(random, subject, scene, spoken),
        "description": _description(random, mood, scene, uses, spoken),
        "keywords": _keywords([*tags, mood, *uses]),
        "reference": f"{tenant[:3].upper()}-{made:%Y}-{number:05d}",
        "photographer": random.choice(words.PHOTOGRAPHERS),
        "rating": random.choice((None, None, 2, 3, 4, 4, 5)),
        "downloads": int(random.expovariate(1 / 40)),
        "tags": [term_id(tenant, "tags", t) for t in dict.fromkeys(tags)],
        "colours": random.sample(words.COLOURS, random.randint(1, 4)),
        "meta": Jsonb(_meta(random, tenant, subject, uses)),
        "occurred_at": made,
        "imported_at": min(LAST, made + timedelta(hours=random.randint(2, 900))),
        **_file(random, number, subject),
        **_access(random, tenant),
    }


def _some(random: Random, stock: Sequence[Word], most: int) -> list[Word]:
    drawn = (random.choice(stock) for _ in range(random.randint(0, most)))
    return list(dict.fromkeys(drawn))


def _when(random: Random) -> datetime:
    """Draw a date up to yesterday; recent years hold more than old ones."""
    minutes = int(DAYS_BACK * 1_440 * random.random() ** 1.6)
    micros = random.randrange(1_000_000)
    return LAST - timedelta(minutes=minutes, microseconds=micros)


def _title(random: Random, subject: Word, scene: Word, language: str) -> str:
    designer = random.choice(words.DESIGNERS)
    patterns = {
        "fr": (
            f"{subject.fr.capitalize()} {_by(designer)}, {scene.fr}",
            f"{subject.fr.capitalize()} – {scene.fr}",
            f"{scene.fr.capitalize()} avec {subject.fr}",
        ),
        "en": (
            f"{subject.en.capitalize()} by {designer}, {scene.en}",
            f"{subject.en.capitalize()} – {scene.en}",
            f"{scene.en.capitalize()} with {subject.en}",
        ),
    }
    return random.choice(patterns[language])


def _by(designer: str) -> str:
    """Say "de", or "d'" before a vowel."""
    return f"d'{designer}" if designer[0] in "AEIOUÉ" else f"de {designer}"


def _description(
    random: Random, mood: Word, scene: Word, uses: Iterable[Word], language: str
) -> str:
    season = random.choice(words.SEASONS)
    used = ", ".join(c.said(language) for c in uses)
    if language == "fr":
        told = f"Une image au ton {mood.fr}, prise ({season.fr}) : {scene.fr}."
        return told + (f" Prévue pour : {used}." if used else "")
    told = f"A picture with a {mood.en} tone, taken in {season.en}: {scene.en}."
    return told + (f" Made for: {used}." if used else "")


def _keywords(drawn: Iterable[Word]) -> str:
    said = [label for word in drawn for label in (word.fr, word.en)]
    return ", ".join(dict.fromkeys(said))


def _file(random: Random, number: int, subject: Word) -> Record:
    kind, mime, extension, _ = random.choices(KINDS, [k[3] for k in KINDS])[0]
    (width, height), _ = random.choices(SHAPES, [s[1] for s in SHAPES])[0]
    sized = kind != "document"
    stem = subject.en.replace(" ", "_")
    return {
        "kind": kind,
        "mime_type": mime,
        "file_name": f"{stem}_{number:05d}.{extension}",
        "width": width if sized else None,
        "height": height if sized else None,
        "megabytes": round(random.lognormvariate(2, 1), 1),
        "duration": random.randint(5, 600) if kind == "video" else None,
    }


def _access(random: Random, tenant: str) -> Record:
    people = list(MEMBERS[tenant])
    teams = random.choice((["marketing"], ["design"], ["press"], ["direction"]))
    rule = random.choices(("public", "team", "owner"), (60, 30, 10))[0]
    return {
        "owner": random.choice(people),
        "teams": teams if rule == "team" else [],
        "is_public": rule == "public",
        "credit": f"© {random.choice(words.BRANDS)}",
        "internal_note": random.choice((None, None, "à revoir", "budget dépassé")),
        "licence_cost": random.choice((None, 12_000, 45_000, 90_000)),
    }


def _meta(
    random: Random, tenant: str, subject: Word, uses: Sequence[Word]
) -> dict[str, Any]:
    """Fill about three definitions in five; subject and channels agree with the text.

    A mood is said in words alone: not all that people ask for has a field.
    """
    told: dict[str, Any] = {}
    for made in _definitions():
        if random.random() < FILLED:
            told[made["key"]] = _value(random, tenant, made)
    told["subjects"] = [term_id(tenant, "subjects", subject)]
    channels = [use for use in uses if use in words.CHANNELS]
    if channels:
        told["channels"] = [term_id(tenant, "channels", c) for c in channels]
    return told


def _value(random: Random, tenant: str, made: dict[str, Any]) -> Any:
    match made["type"]:
        case "vocabulary":
            return _term(random, tenant, made)
        case "number":
            return _number(random, made["key"])
        case "date":
            return (
                LAST.date() - timedelta(days=random.randint(-400, 1_500))
            ).isoformat()
        case "boolean":
            return random.random() < 0.5
        case _:
            return _text(random, made["key"])


def _term(random: Random, tenant: str, made: dict[str, Any]) -> Any:
    field, stock = made["key"], VOCABULARIES[made["key"]]
    if made.get("multi"):
        drawn = _some(random, stock, 3) or [random.choice(stock)]
        return [term_id(tenant, field, word) for word in drawn]
    return term_id(tenant, field, random.choice(stock))


_RANGES = {
    "product_width": (5, 260),
    "product_height": (2, 230),
    "product_depth": (5, 120),
    "people_count": (0, 8),
    "release_year": (1924, 2026),
}
_CHOICES = {
    "focal_length": (24, 35, 50, 85, 100),
    "iso": (100, 200, 400, 800, 1600),
    "aperture": (1.8, 2.8, 4, 5.6, 8),
}


def _number(random: Random, key: str) -> Any:
    if key in _RANGES:
        return random.randint(*_RANGES[key])
    if key in _CHOICES:
        return random.choice(_CHOICES[key])
    if key == "price":
        return random.randint(9, 3_900) * 100 + 90
    return round(random.uniform(0.2, 60), 1)


_TEXTS: dict[str, Callable[[Random], str]] = {
    "city": lambda r: r.choice(words.CITIES)[0],
    "country": lambda r: r.choice(words.CITIES)[1],
    "location": lambda r: f"{r.choice(words.SCENES).fr}, {r.choice(words.CITIES)[0]}",
    "campaign": lambda r: f"{r.choice(words.SEASONS).fr} {r.randint(2020, 2026)}",
    "collection_name": lambda r: r.choice(words.COLLECTIONS),
    "project_code": lambda r: f"PRJ-{r.randint(100, 999)}",
    "agency": lambda r: r.choice(words.names("agencies")),
    "stylist": lambda r: r.choice(words.PHOTOGRAPHERS),
    "caption": lambda r: (
        f"{r.choice(words.SUBJECTS).fr} et {r.choice(words.STYLES).fr}"
    ),
    "usage_note": lambda r: r.choice(words.names("usages")),
    "copyright_notice": lambda r: f"© {r.choice(words.BRANDS)}",
    "finish": lambda r: r.choice(words.names("finishes")),
}


def _text(random: Random, key: str) -> str:
    made = _TEXTS.get(key)
    return made(random) if made else f"{key.partition('_')[0]} {random.randint(1, 60)}"


def last_day() -> date:
    """Tell the newest possible day of the library."""
    return LAST.date()

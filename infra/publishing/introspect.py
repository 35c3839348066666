"""A manifest drafted from a running collection's schema: all of it private.

Every field is described and no profile names one, so a draft publishes nothing until
a person lets it. What can't be taken over is listed with its reason. The schemas of
servers from 0.24 to 30 are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Budget, Hit, Manifest, Origin, Profile, Tool
from vitrine.registry.operators import FieldType

Told = Mapping[str, Any]
NUMBERS = frozenset({"int32", "int64", "float"})
KNOWN = NUMBERS | {"string", "string*", "bool"}
PLACES = frozenset({"geopoint", "geopolygon"})
NOWHERE = "https://www.example"
_SIGNS = re.compile(r"[^a-z0-9_.]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_IDENTIFIER = re.compile(
    r"(^|[_.])(sku|gtin\d*|ean\d*|upc|isbn\d*|mpn|part_number|article_number)$"
)
_MOMENT = re.compile(
    r"(^|[_.])(timestamp|date|day|(created|updated|modified|published|added)(_at|_on)?"
    r"|.+_(at|on|date|time|ts))$"
)
_MONEY = re.compile(r"(^|[_.])(price|cost|amount|total|fee)([_.].+)?$")
_TITLES = ("name", "title", "product_name", "label", "headline")
_CHANGED = ("updated_at", "updated", "modified_at", "modified", "last_modified")


@dataclass(frozen=True, slots=True)
class Note:
    """What a person has to know or to decide, about a field or the whole."""

    where: str
    reason: str


@dataclass(slots=True)
class Draft:
    """A manifest to begin with, and what stands beside it."""

    manifest: Manifest
    notes: list[Note] = field(default_factory=list)


def drafted(schema: Told, source: str | None = None) -> Draft:
    """Draft the manifest of a collection; raise ``ValueError`` if nothing is usable."""
    notes: list[Note] = []
    fields: dict[str, Field] = {}
    for told in schema["fields"]:
        if why := _unusable(told, schema):
            notes.append(Note(told["name"], why))
            continue
        made = _field(told, fields)
        fields[made.key] = made
        notes.extend(Note(told["name"], why) for why in _doubts(told, made))
    if not fields:
        raise ValueError("no field of this collection can be taken over")
    notes.extend(Note("", why) for why in _rest(schema))
    name = _key(str(schema["name"])).replace(".", "_")
    return Draft(_manifest(name, source or name, schema, list(fields.values())), notes)


def _unusable(told: Told, schema: Told) -> str | None:
    """Tell why a field can't be taken over, if it can't."""
    name, kind = str(told["name"]), str(told["type"])
    base = kind.removesuffix("[]")
    reasons = (
        ("*" in name, "a pattern, not a field: what it brings is not known beforehand"),
        (name == "id", "the private id; it never leaves"),
        (base in PLACES, "places and areas are not filtered here"),
        ("embed" in told, "made by the server from other fields; there are no vectors"),
        ("num_dim" in told, "a vector; the public collection has none"),
        (base == "image", "pictures are not searched here"),
        (base == "auto", "its type is not said: name it with its type if you know it"),
        (base == "object", _object(name, schema)),
        (name.endswith("_sequence_id"), "the server's own number for a reference"),
        (base not in KNOWN, f"{kind} is no type that is known here"),
    )
    return next((why for holds, why in reasons if holds), None)


def _object(name: str, schema: Told) -> str:
    parts = [f["name"] for f in schema["fields"] if f["name"].startswith(f"{name}.")]
    if parts:
        return f"an object; its parts are fields of their own: {', '.join(parts)}"
    return "an object whose parts the schema does not name: add them by hand"


def _field(told: Told, known: Mapping[str, Field]) -> Field:
    name, kind = str(told["name"]), str(told["type"])
    base = _key(name)
    key, number = base, 2
    while key in known:
        key, number = f"{base}_{number}", number + 1
    found = _type(base, kind.removesuffix("[]"), facet=bool(told.get("facet")))
    return Field(
        key=key,
        type=found,
        label={"en": base.replace("_", " ").replace(".", " ")},
        multi=kind.endswith("[]"),
        integer=found is FieldType.NUMBER and kind.startswith("int"),
        column=None if key == name else name,
    )


def _key(name: str) -> str:
    """Make a key of a name: lower case, words parted by underscores."""
    lower = _SIGNS.sub("_", _HUMP.sub("_", name).lower())
    parts = [part.strip("_") for part in lower.split(".")]
    key = ".".join(part for part in parts if part)
    return key if key[:1].isalpha() else f"f_{key}".rstrip("_")


def _type(key: str, kind: str, *, facet: bool) -> FieldType:
    if kind == "bool":
        return FieldType.BOOLEAN
    if kind in NUMBERS:
        dated = kind == "int64" and _MOMENT.search(key)
        return FieldType.DATETIME if dated else FieldType.NUMBER
    if _IDENTIFIER.search(key):
        return FieldType.IDENTIFIER
    return FieldType.KEYWORD if facet else FieldType.TEXT


def _doubts(told: Told, made: Field) -> Iterator[str]:
    """Yield what is taken over in another way, or not as a whole."""
    if made.type is FieldType.DATETIME:
        yield "taken for seconds since 1970; say number if it is none"
    if made.type is FieldType.NUMBER and _MONEY.search(made.key):
        yield (
            "looks like money: name its currency, and list it under origin.decimal "
            "where records keep whole units"
        )
    if made.type is FieldType.KEYWORD:
        yield "its values are gathered at each publishing; give them labels"
    if told["type"] == "string*":
        yield "taken for a text; a record with several values needs multi"
    if "reference" in told:
        whose = told["reference"]
        yield f"a reference to {whose}: kept as its own value, nothing is joined"
    if told.get("store") is False:
        yield "not stored there, so an export does not have it"
    for name in ("infix", "stem", "symbols_to_index", "token_separators", "locale"):
        if told.get(name):
            yield f"{name} is not carried: texts are cut and stemmed by text_language"


def _rest(schema: Told) -> Iterator[str]:
    for name in ("symbols_to_index", "token_separators"):
        if schema.get(name):
            yield f"{name} is not carried: texts are cut here, identifiers squashed"
    yield "site, way_on, the tool's texts and text_language are to be filled in"
    yield "no profile names a field yet: name what may be filtered, shown and so on"


def _manifest(
    name: str, source: str, schema: Told, fields: Sequence[Field]
) -> Manifest:
    keys = {f.key: f for f in fields}
    gathered = tuple(f.key for f in fields if f.type is FieldType.KEYWORD)
    placed = {f.place: f.key for f in fields}
    order = placed.get(str(schema.get("default_sorting_field", "")))
    title = next((k for k in _TITLES if k in keys), _first_text(fields))
    use = f"Search {name.replace('_', ' ')}."
    changed = next((k for k in _CHANGED if _whole(keys.get(k))), None)
    return Manifest(
        source=source[:32],
        engine=EngineName.TYPESENSE,
        relation=f"public_{name}"[:63],
        title={"en": name.replace("_", " ")},
        site=NOWHERE,
        way_on=f"{NOWHERE}/search?q={{query}}",
        fields=tuple(fields),
        hit=Hit(title=title),
        tool=Tool(title=name, use=use, not_for="To be said.", example="To be said."),
        profiles={"closed": Profile(budget=Budget())},
        order=order if order and not keys[order].multi else None,
        origin=Origin(
            gathered=gathered,
            moment=keys[changed].place if changed else None,
            collection=str(schema["name"]),
        ),
    )


def _whole(found: Field | None) -> bool:
    return found is not None and found.type is FieldType.DATETIME


def _first_text(fields: Sequence[Field]) -> str:
    texts = (f.key for f in fields if f.type is FieldType.TEXT and not f.multi)
    return next(texts, fields[0].key)

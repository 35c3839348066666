"""Seeded registries, documents and trees, for property tests and campaigns.

Everything is drawn from one ``random.Random``, so a seed names a case; hypothesis
draws the seed. Values are hostile on purpose, and trees draw most of their values
from the documents, so that answers are neither always empty nor always whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

from hypothesis import strategies as st

from vitrine.language.folding import fold
from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Choice, Field
from vitrine.registry.manifest import Ambiguity, Hit, Manifest, Profile, TextField, Tool
from vitrine.registry.operators import (
    FULL_TEXT_FIELD,
    LIST_OPERATORS,
    ORIENTATIONS,
    FieldType,
)
from vitrine.registry.profiles import Registry, registry_for
from vitrine.tree.parse import clean

TODAY = date(2026, 11, 30)
SEEDS = st.integers(min_value=0, max_value=2**32 - 1)

# No stop word, no stem, no two within a typo of each other.
WORDS = ("zorbak", "quimp", "draltur", "blunk", "vontix", "grask", "hepyl", "jowm")
HOSTILE = (
    "a`b",
    "`) || hidden:=true || (x:=`",
    "x:[(] y",
    "[red, blue]",
    "Firm && Co.",
    "a || b",
    "it's",
    'say "no"',
    "100% _wool_",
    "back\\slash",
    "a,b;c",
    "日本語",
    "Crème brûlée",
    "STRASSE straße",
    "🎁 gift",
    "w" * 101,
    "-minus",
    "(half",
    "half)",
    "  inner   space",
    "<b>bold</b>",
    "true",
    "null",
    "001",
    "1000 xwoolx",
    "_x",
    "ax",
    "%",
    "\\%",
    "a\u00a0b",
    "a\u200bb",
    "e\u0301te\u0301",
    "\u0130stanbul",
    "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2",
    "\ufb01n \u0153uvre",
    "\u05e9\u05dc\u05d5\u05dd",
    "\u0935\u093f\u0926\u094d\u092f\u093e",
    "\U0001f469\u200d\U0001f680",
    "\u212bngstr\u00f6m \u2460 \u00bd",
    "line\nbreak\ttab",
    "{json: 1}",
    "$1 :name %s {}",
)
WILDCARDS = ("%", "_", "\\", "a_", "1%x", "\\%", "_x", "%%", ".*")
# Where runs of 256 characters begin: most scripts, marks, signs and private ones.
BLOCKS = (
    *range(0, 0x3500, 0x100),
    *(0xA700, 0xAB00, 0xAC00, 0xE000, 0xFA00, 0xFB00, 0xFE00, 0xFF00, 0x10400),
    *(0x1D400, 0x1F100, 0x1F600, 0x20000, 0xE0100),
)
NAMES = ("Marie", "Agnes", "Tom", "Dupont", "Kerr")
PERIODS = (
    "last_month",
    "last_spring",
    "this_year",
    "last_30_days",
    "2026-Q3",
    "since 2026-05",
    "before 2026",
    "2026-01..2026-06",
)
COLOURS = ("#ff0000", "#00ff00", "#0000ff", "#fefefe", "#101010", "#804020", "#ff3010")
# Around the hours that a zone leaves out or has twice, and beside a whole second.
EDGES = (
    "2026-03-29T00:59:59.999999+00:00",
    "2026-03-29T01:00:00+00:00",
    "2026-10-25T00:30:00+00:00",
    "2026-10-25T01:30:00+00:00",
    "1900-01-01T00:00:00+00:00",
    "2999-12-31T23:59:59+00:00",
    "2026-11-29T23:00:00.000001+00:00",
)
MISSING = (None, "")
MULTI = (FieldType.KEYWORD, FieldType.VOCABULARY, FieldType.COLOUR)
TRUSTED = Profile(filter=("*",), search=("title",), output=("*",))
KINDS = tuple(kind for kind in FieldType if kind is not FieldType.FULL_TEXT)


def registry(
    rng: Random,
    *,
    engine: EngineName = EngineName.POSTGRES,
    kinds: Sequence[FieldType] = KINDS,
    size: int = 6,
    multi: Sequence[FieldType] = MULTI,
) -> Registry:
    """Draw a registry of a trusted profile with ``size`` fields and full text.

    Half of the fields of the types in ``multi`` have several values.
    """
    fields = [_field(rng, index, rng.choice(kinds), multi) for index in range(size)]
    return registry_of(fields, engine=engine)


def registry_of(
    fields: Iterable[Field],
    *,
    engine: EngineName = EngineName.POSTGRES,
    grant: Profile = TRUSTED,
    ambiguous: tuple[Ambiguity, ...] = (),
) -> Registry:
    """Build a registry of a trusted profile on these fields and a searched title."""
    title = Field(key="title", type=FieldType.TEXT, label={"en": "title"})
    manifest = Manifest(
        source="things",
        engine=engine,
        relation="things",
        title={"en": "Things"},
        site="https://shop.example",
        way_on="https://shop.example/search?q={query}",
        fields=(title, *fields),
        text=(TextField(key="title"),),
        hit=Hit(title="title"),
        tool=Tool(title="Things", use="Find.", not_for="Buying.", example="red"),
        profiles={"trusted": grant},
        ambiguous=ambiguous,
    )
    return registry_for(manifest, "trusted", tenant="acme")


def _field(
    rng: Random, index: int, kind: FieldType, multi: Sequence[FieldType]
) -> Field:
    key = f"{kind.value}_{index}"
    more: dict[str, Any] = {"multi": kind in multi and rng.random() < 0.5}
    if kind is FieldType.NUMBER:
        more |= rng.choice(({}, {"unit": "cm"}, {"currency": "EUR"}, {"integer": True}))
    if kind in (FieldType.KEYWORD, FieldType.VOCABULARY):
        more["choices"] = _choices(rng)
    return Field(key=key, type=kind, label={"en": key.replace("_", " ")}, **more)


def _choices(rng: Random) -> tuple[Choice, ...]:
    values = rng.sample((*WORDS, *HOSTILE), 8)
    return tuple(Choice(value=v, code=f"c{i}") for i, v in enumerate(values))


def documents(rng: Random, registry: Registry, count: int = 20) -> list[dict[str, Any]]:
    """Draw documents; about a quarter of the values are missing, in every way."""
    return [_document(rng, registry) for _ in range(count)]


def _document(rng: Random, registry: Registry) -> dict[str, Any]:
    found: dict[str, Any] = {"title": " ".join(rng.choices(WORDS, k=rng.randint(1, 4)))}
    for field in registry.manifest.fields[1:]:
        if rng.random() < 0.1:
            continue
        found[field.key] = (
            _missing(rng, field) if rng.random() < 0.2 else _stored(rng, field)
        )
    return found


def _missing(rng: Random, field: Field) -> Any:
    if field.multi or field.type is FieldType.RELATION:
        return rng.choice((None, []))
    written = field.type in (FieldType.TEXT, FieldType.KEYWORD, FieldType.IDENTIFIER)
    return rng.choice(MISSING) if written else None


def _stored(rng: Random, field: Field) -> Any:
    if field.multi:
        drawn = [_single(rng, field) for _ in range(rng.randint(1, 3))]
        return list(dict.fromkeys(drawn))
    return _single(rng, field)


def _single(rng: Random, field: Field) -> Any:
    if field.choices:
        return rng.choice(field.choices).value
    return _DRAWN[field.type](rng, field)


def _number(rng: Random, field: Field) -> Any:
    if field.integer:
        return rng.choice((0, -1, 7, 42, 2**31, -(2**31), 2**53 - 1))
    if field.currency:
        return rng.choice((0, 1, 990, 4990, 5000, 199999, 10**11))
    return rng.choice((0, 1.5, -2.25, 0.1, 0.3, 1e-06, 180, 200.125, 123456789.123456))


def _day(rng: Random, _: Field) -> str:
    if rng.random() < 0.1:
        return rng.choice(("0001-01-01", "9999-12-31", "2024-02-29", "2026-10-25"))
    return (TODAY - timedelta(days=rng.randint(-40, 900))).isoformat()


def _instant(rng: Random, _: Field) -> str:
    start = datetime(2026, 11, 30, 22, 30, tzinfo=UTC)
    moment = start - timedelta(minutes=rng.choice((0, 1, 30, 1440, 45_000, 600_000)))
    if rng.random() < 0.3:
        moment = datetime.fromisoformat(rng.choice(EDGES))
    return moment.isoformat().replace("+00:00", "Z")


def _contacts(rng: Random, _: Field) -> list[dict[str, Any]]:
    roles = ("supplier", "client", "Fournisseur")
    return [
        {
            "name": " ".join(rng.sample(NAMES, 2)),
            "roles": rng.sample(roles, rng.randint(0, 2)),
            "tags": rng.sample(("VIP", "client", "press"), rng.randint(0, 2)),
        }
        for _ in range(rng.randint(1, 2))
    ]


def _text(rng: Random, _: Field) -> str:
    """Draw a word, something hostile, or any characters that say something."""
    while rng.random() < 0.2:
        drawn = "".join(chr(rng.choice(BLOCKS) + rng.randrange(256)) for _ in range(3))
        if clean(drawn) and fold(drawn):
            return drawn
    return rng.choice((*HOSTILE, *WORDS))


_DRAWN: dict[FieldType, Any] = {
    FieldType.TEXT: _text,
    FieldType.KEYWORD: _text,
    FieldType.VOCABULARY: lambda rng, _: rng.choice(WORDS),
    FieldType.IDENTIFIER: lambda rng, _: rng.choice(
        (
            *("6205-2RS", "62052RS", "6205 2rsx", "AB-1", "0001", "1", "TS01-H-18011"),
            *("\u65e5\u672c-77", "\u2167-99", "\u00c9cl-5", "a_b.c/d", "12\u00b2-x"),
            *("\u0663\u0664-zz", "%_\\6205"),
        )
    ),
    FieldType.NUMBER: _number,
    FieldType.DATE: _day,
    FieldType.DATETIME: _instant,
    FieldType.TIME: lambda rng, _: rng.choice(("00:00:00", "09:30:00", "23:59:59")),
    FieldType.BOOLEAN: lambda rng, _: rng.random() < 0.5,
    FieldType.COLOUR: lambda rng, _: rng.choice(COLOURS),
    FieldType.ORIENTATION: lambda rng, _: rng.choice(ORIENTATIONS),
    FieldType.RELATION: _contacts,
}


def tree(
    rng: Random,
    registry: Registry,
    documents: Sequence[dict[str, Any]] = (),
    *,
    depth: int = 3,
    text: bool = True,
) -> dict[str, Any]:
    """Draw a raw tree that is valid for the registry; ``text`` admits full text."""
    rules = [
        tree(rng, registry, documents, depth=depth - 1, text=text)
        if depth > 1 and rng.random() < 0.3
        else rule(rng, registry, documents, text=text)
        for _ in range(rng.randint(1, 3))
    ]
    group = {"type": "group", "operator": rng.choice(("and", "or")), "rules": rules}
    return group | ({"not": True} if rng.random() < 0.2 else {})


def rule(
    rng: Random,
    registry: Registry,
    documents: Sequence[dict[str, Any]] = (),
    *,
    text: bool = True,
) -> dict[str, Any]:
    """Draw a raw rule that is valid for the registry."""
    usable = [key for key in registry.filters if registry.operators(key)]
    keys = [key for key in usable if text or key != FULL_TEXT_FIELD]
    key = rng.choice(keys)
    operator = rng.choice(registry.operators(key))
    drawn = {"field": key, "operator": operator}
    if operator.startswith("is_"):
        return drawn
    return drawn | {"value": _value(rng, registry.filters[key], operator, documents)}


def _value(
    rng: Random, field: Field, operator: str, documents: Sequence[dict[str, Any]]
) -> Any:
    if field.type is FieldType.FULL_TEXT:
        return " ".join(rng.sample(WORDS, rng.randint(1, 2)))
    if operator == "in_period":
        return rng.choice(PERIODS)
    draws = [_asked(rng, field, documents) for _ in range(rng.randint(1, 3))]
    if operator == "between":
        return sorted([draws[0], _asked(rng, field, documents)])
    if operator in LIST_OPERATORS:
        return draws
    return _shaped(rng, draws[0], operator, field)


def _shaped(rng: Random, value: Any, operator: str, field: Field) -> Any:
    if operator == "near":
        return {"hex": value, "tolerance": rng.choice((0, 16, 48, 255))}
    if operator == "starts_with" and field.type is FieldType.IDENTIFIER:
        return value if sum(c.isalnum() for c in value) >= 4 else "6205"
    if operator in ("contains", "not_contains", "starts_with"):
        part = value[: rng.randint(1, 4)].strip()
        if rng.random() < 0.2:
            part = rng.choice(WILDCARDS)
        return part if fold(part) else value
    if field.type is FieldType.RELATION:
        return _spoken(rng, operator)
    return value


def _spoken(rng: Random, operator: str) -> Any:
    if operator == "person_name":
        return rng.choice(("Marie", "Dupont", "agnes kerr"))
    return rng.choice(("supplier", "vip", ["client", "press"], "fournisseur"))


def _asked(rng: Random, field: Field, documents: Sequence[dict[str, Any]]) -> Any:
    """Draw a value as a caller would say it, mostly one that a document has."""
    if field.type is FieldType.RELATION:
        return ""
    kept = [d[field.key] for d in documents if d.get(field.key) not in (None, "", [])]
    value = rng.choice(kept) if kept and rng.random() < 0.7 else _single(rng, field)
    if isinstance(value, list):
        value = rng.choice(value)
    return value / 100 if field.currency else value

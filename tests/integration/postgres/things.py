"""A source that holds whatever `tests.trees` draws: every type, column and `meta`.

Its table has a column for each (type, index), and the views that a source may have.
Beside the rows that the tests' caller sees there may be hidden ones and a stranger's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from vitrine.caller import Caller
from vitrine.postgres.scope import stem_of
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample
from vitrine.search.engine import Query
from vitrine.tree.conditions import Condition, Text

RELATION = "vitrine.things"
ACME = Caller(tenant="acme", subject="ann", client="test")
INDEXES = range(8)
_TYPES = {
    FieldType.NUMBER: "numeric",
    FieldType.DATE: "date",
    FieldType.DATETIME: "timestamptz",
    FieldType.TIME: "time",
    FieldType.BOOLEAN: "boolean",
}
_KINDS = [k for k in FieldType if k not in (FieldType.FULL_TEXT, FieldType.RELATION)]


@dataclass(frozen=True, slots=True)
class Thing:
    """A stored document: its id, and whether the test's caller may see it."""

    id: str
    document: Mapping[str, Any]
    hidden: bool = False
    tenant: str = "acme"


def column_of(field: Field) -> str:
    """Name the column of a field that is kept in one."""
    return f"{field.key}_many" if field.multi else field.key


def create(dsn: str) -> None:
    """Create the table and its views, open to the service role."""
    columns = [
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind))
        for name, kind in _columns()
    ]
    with psycopg.connect(dsn) as connection:
        connection.execute(_TABLE.format(sql.SQL(", ").join(columns)))
        connection.execute(_VIEWS)


def _columns() -> Iterable[tuple[str, str]]:
    for kind in _KINDS:
        single = _TYPES.get(kind, "text")
        for index in INDEXES:
            yield f"{kind.value}_{index}", single
            yield f"{kind.value}_{index}_many", f"{single}[]"
    for index in INDEXES:
        generated = f"vitrine.cells(colour_{index}_many)"
        kept = f"text[] GENERATED ALWAYS AS ({generated}) STORED"
        yield f"colour_{index}_many_cells", kept


_TABLE = sql.SQL("""
CREATE TABLE vitrine.thing_rows (
    tenant text NOT NULL, id uuid NOT NULL, hidden boolean NOT NULL,
    occurred_at timestamptz NOT NULL, title text, meta jsonb NOT NULL,
    tsv tsvector GENERATED ALWAYS AS (
        vitrine.vector('en', title, NULL, NULL, NULL)) STORED,
    {}, PRIMARY KEY (tenant, id))""")
_VIEWS = sql.SQL("""
CREATE VIEW vitrine.things AS
    SELECT t.*, vitrine.scoped(t.tsv, vitrine.marks_of(
        t.tenant, NOT t.hidden, 'nobody', '{}')) AS scoped
    FROM vitrine.thing_rows AS t
    WHERE t.tenant = (SELECT vitrine.tenant()) AND NOT t.hidden;
CREATE TABLE vitrine.thing_numbers (tenant text, field text, num numeric, id uuid);
CREATE VIEW vitrine.things_numbers AS
    SELECT n.field, n.num, n.id FROM vitrine.thing_numbers AS n
    WHERE n.tenant = (SELECT vitrine.tenant());
CREATE TABLE vitrine.thing_links (tenant text, id uuid, name text, marks text[]);
CREATE VIEW vitrine.things_roles AS
    SELECT l.id, vitrine.role_key(m) AS role_key
    FROM vitrine.thing_links AS l CROSS JOIN LATERAL unnest(l.marks) AS m
    WHERE l.tenant = (SELECT vitrine.tenant());
CREATE VIEW vitrine.things_names AS
    SELECT l.id, to_tsvector('vitrine.plain', vitrine.fold(l.name)) AS names
    FROM vitrine.thing_links AS l WHERE l.tenant = (SELECT vitrine.tenant());
CREATE TABLE vitrine.thing_terms (tenant text, field text, id text, label text);
CREATE VIEW vitrine.things_terms AS
    SELECT t.field, t.id, 'en' AS language, t.label, vitrine.fold(t.label) AS norm
    FROM vitrine.thing_terms AS t WHERE t.tenant = (SELECT vitrine.tenant());
GRANT SELECT ON vitrine.things, vitrine.things_numbers, vitrine.things_roles,
    vitrine.things_names, vitrine.things_terms TO vitrine_service;
CREATE INDEX ON vitrine.thing_rows USING gin (tenant, meta jsonb_path_ops);
CREATE INDEX ON vitrine.thing_rows USING gin (tenant, tsv, vitrine.scoped(
    tsv, vitrine.marks_of(tenant, NOT hidden, 'nobody', '{}')));
CREATE INDEX ON vitrine.thing_rows (tenant, occurred_at DESC, id DESC);
""")
_INSERT = sql.SQL("INSERT INTO vitrine.thing_rows ({}) VALUES ({})")
_LINK = sql.SQL("INSERT INTO vitrine.thing_links VALUES (%s, %s, %s, %s)")
_TERM = sql.SQL("INSERT INTO vitrine.thing_terms VALUES (%s, %s, %s, %s)")
_CLEAR = sql.SQL(
    "TRUNCATE vitrine.thing_rows, vitrine.thing_numbers, vitrine.thing_links,"
    " vitrine.thing_terms"
)
# What the library's trigger does for its definitions.
_NUMBERS = sql.SQL("""
INSERT INTO vitrine.thing_numbers
SELECT t.tenant, m.key, vitrine.ordinal(k.type, e.value), t.id
FROM vitrine.thing_rows AS t CROSS JOIN LATERAL jsonb_each(t.meta) AS m
CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(m.value)
    WHEN 'array' THEN m.value ELSE jsonb_build_array(m.value) END) AS e
CROSS JOIN (VALUES ('number'), ('date')) AS k (type)
WHERE starts_with(m.key, k.type || '_')
  AND vitrine.ordinal(k.type, e.value) IS NOT NULL""")


def placed(rng: Random, registry: Registry) -> Registry:
    """Give each field a place: a column of its own, or a key of `meta`."""
    fields = [_placed(rng, field) for field in _one_relation(registry)]
    manifest = registry.manifest.model_copy(
        update={
            "relation": RELATION,
            "fields": tuple(fields),
            "scoped": rng.random() < 0.5,
        }
    )
    samples = {f.key: _observed(rng, f) for f in fields if rng.random() < 0.7}
    return registry_for(manifest, "trusted", tenant="acme", samples=samples)


def _observed(rng: Random, field: Field) -> Sample:
    """Draw an extent, so that ranges are wide and narrow."""
    if field.type is FieldType.NUMBER:
        return Sample(low=-1e7, high=rng.choice((1e2, 1e7, 1e12)))
    if field.type is FieldType.DATE:
        return Sample(low=rng.choice(("0100-01-01", "2026-01-01")), high="2100-01-01")
    return Sample()


def _one_relation(registry: Registry) -> list[Field]:
    """Keep the first relation alone: a source has one set of links."""
    kept: list[Field] = []
    for field in registry.manifest.fields:
        relation = field.type is FieldType.RELATION
        if not (relation and any(f.type is FieldType.RELATION for f in kept)):
            kept.append(field)
    return kept


def _placed(rng: Random, field: Field) -> Field:
    if field.key == "title" or field.type is FieldType.RELATION:
        return field
    inside = rng.random() < 0.5
    place = f"meta:{field.key}" if inside else column_of(field)
    return field.model_copy(update={"column": place})


def store(
    dsn: str,
    registry: Registry,
    documents: Sequence[Mapping[str, Any]],
    *,
    hidden: Sequence[Mapping[str, Any]] = (),
    foreign: Sequence[Mapping[str, Any]] = (),
    coded: bool = False,
) -> list[Thing]:
    """Replace what is stored by these documents, in order, newest first.

    ``hidden`` are rows that the tests' caller may not see, ``foreign`` another
    tenant's; ``coded`` stores a vocabulary's codes in place of its labels.
    """
    things = [Thing(str(UUID(int=n + 1)), d) for n, d in enumerate(documents)]
    behind = [
        Thing(str(UUID(int=n + 10_001)), d, hidden=True) for n, d in enumerate(hidden)
    ]
    behind += [
        Thing(str(UUID(int=n + 20_001)), d, tenant="other")
        for n, d in enumerate(foreign)
    ]
    with psycopg.connect(dsn) as connection:
        connection.execute(_CLEAR)
        for number, thing in enumerate([*things, *behind]):
            _insert(connection, registry, thing, number, coded=coded)
        if coded:
            connection.cursor().executemany(_TERM, list(_terms(registry)))
        connection.execute(_NUMBERS)
    return things


def _terms(registry: Registry) -> Iterable[tuple[str, str, str, str]]:
    """List the vocabularies' codes and labels, and what another tenant calls them."""
    for field in registry.manifest.fields:
        for choice in field.choices or ():
            if field.type is FieldType.VOCABULARY:
                yield "acme", stem_of(field), choice.code, choice.value
                yield "other", stem_of(field), f"x{choice.code}", choice.value


def _insert(
    connection: psycopg.Connection[Any],
    registry: Registry,
    thing: Thing,
    number: int,
    *,
    coded: bool,
) -> None:
    meta: dict[str, Any] = {}
    row: dict[str, Any] = {
        "tenant": thing.tenant,
        "id": thing.id,
        "hidden": thing.hidden,
        "occurred_at": f"2026-01-01T00:00:{59 - number % 60:02d}Z",
    }
    for field in registry.manifest.fields:
        value = thing.document.get(field.key)
        if coded and field.type is FieldType.VOCABULARY:
            value = _codes(field, value)
        if field.type is FieldType.RELATION:
            _link(connection, thing, value or [])
        elif field.place.startswith("meta:"):
            if field.key in thing.document:
                meta[field.key] = value
        else:
            row[field.place] = _exact(value)
    row["meta"] = json.dumps(meta)
    names = sql.SQL(", ").join(map(sql.Identifier, row))
    marks = sql.SQL(", ").join(sql.Placeholder() * len(row))
    connection.execute(_INSERT.format(names, marks), list(row.values()))


def _codes(field: Field, value: Any) -> Any:
    if isinstance(value, list):
        return [_codes(field, one) for one in value]
    known = {choice.value: choice.code for choice in field.choices or ()}
    return known.get(value, value)


def _exact(value: Any) -> Any:
    """Keep all digits of a number: a float is cast to numeric with fifteen."""
    if isinstance(value, list):
        return [_exact(one) for one in value]
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return Decimal(str(value)) if numeric else value


def _link(
    connection: psycopg.Connection[Any], thing: Thing, contacts: Sequence[Any]
) -> None:
    for contact in contacts:
        marks = [*contact["roles"], *contact["tags"]]
        named = (thing.tenant, thing.id, contact["name"], marks)
        connection.execute(_LINK, named)


def query(
    registry: Registry, condition: Condition, text: Text | None = None, **more: Any
) -> Query:
    """Ask as the test's caller, for everything at once unless told otherwise."""
    asked: dict[str, Any] = {"caller": ACME, "limit": 100} | more
    return Query(registry=registry, condition=condition, text=text, **asked)

"""What a source's view must have, before a manifest may stand on it.

The service reads ``<relation>`` and, where a field needs them, its neighbours
``_terms`` (vocabulary), ``_roles`` and ``_names`` (relations), ``_numbers``
(tenant-defined numbers and dates), ``_definitions`` and ``_vectors``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from psycopg import sql

from vitrine.postgres.binds import Binds
from vitrine.postgres.scope import META, Scope, meta_key
from vitrine.postgres.statement import Statement
from vitrine.problems import Fault
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType

_WORDS = ("text", "character varying", "character")
_WHOLE = ("bigint", "integer", "smallint")
_KINDS: Mapping[FieldType, tuple[str, ...]] = MappingProxyType(
    {
        FieldType.NUMBER: (*_WHOLE, "numeric", "double precision", "real"),
        FieldType.DATE: ("date",),
        FieldType.DATETIME: ("timestamp with time zone",),
        FieldType.TIME: ("time without time zone",),
        FieldType.BOOLEAN: ("boolean",),
    }
)
# Each page is a walk of (occurred_at, id), so that every row has both.
_WALKED = MappingProxyType({"id": "uuid", "occurred_at": "timestamp with time zone"})
_COUNTED = frozenset({FieldType.NUMBER, FieldType.DATE})
_NEIGHBOURS = ("_terms", "_roles", "_names", "_numbers", "_definitions", "_vectors")

# By the catalogue, for `to_regclass` raises on a schema that the role may not use.
_SHAPE = sql.SQL("""WITH near AS (
    SELECT c.oid, substr(c.relname, length({name}) + 1) AS suffix
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = {schema} AND c.relname = ANY ({names})
        AND has_schema_privilege(n.oid, 'USAGE')
        AND has_table_privilege(c.oid, 'SELECT')
)
SELECT a.attname, format_type(a.atttypid, NULL)
FROM near AS r JOIN pg_attribute AS a ON a.attrelid = r.oid
WHERE r.suffix = '' AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL SELECT r.suffix, 'neighbour' FROM near AS r WHERE r.suffix <> ''""")


@dataclass(frozen=True, slots=True)
class Shape:
    """A view's columns with their types, and which neighbours can be read."""

    columns: Mapping[str, str]
    neighbours: frozenset[str]


def shaped(manifest: Manifest) -> Statement:
    """Make the statement that reads the shape of a manifest's view."""
    *schema, name = manifest.relation.split(".")
    binds = Binds()
    text = _SHAPE.format(
        schema=binds(".".join(schema) or "public", "text"),
        name=binds(name, "text"),
        names=binds([name, *(name + suffix for suffix in _NEIGHBOURS)], "text[]"),
    )
    return Statement(text, binds.values)


def counted(manifest: Manifest) -> Statement:
    """Make the statement that counts what the caller may see, without a cap."""
    view = Scope(manifest.relation).view
    return Statement(sql.SQL("SELECT count(*) FROM {}").format(view), {})


def shape(rows: Iterable[tuple[str, str]]) -> Shape:
    """Read the statement's rows."""
    found = dict(rows)
    near = frozenset(found) & frozenset(_NEIGHBOURS)
    return Shape({k: v for k, v in found.items() if k not in near}, near)


def misfits(manifest: Manifest, seen: Shape) -> tuple[Fault, ...]:
    """List what the view lacks, each with a pointer into the manifest."""
    if not seen.columns:
        remedy = "Create the view and grant SELECT on it to vitrine_service."
        return (_fault("/relation", f"There is no {manifest.relation}.", remedy),)
    return (*_frame(manifest, seen), *_fields(manifest, seen))


def _frame(manifest: Manifest, seen: Shape) -> Iterator[Fault]:
    wanted = dict(_WALKED)
    if manifest.text:
        wanted["tsv"] = "tsvector"
    if manifest.scoped:
        wanted["scoped"] = "tsvector"
    for name, kind in wanted.items():
        yield from _column("/relation", name, (kind,), seen)
    near = {"_definitions": manifest.defined, "_vectors": bool(manifest.vectors)}
    for suffix, needed in near.items():
        yield from _neighbour("/relation", manifest, suffix, seen) if needed else ()


def _fields(manifest: Manifest, seen: Shape) -> Iterator[Fault]:
    for number, field in enumerate(manifest.fields):
        pointer = f"/fields/{number}"
        for name, kinds in _places(field):
            yield from _column(pointer, name, kinds, seen)
        for suffix in _beside(field):
            yield from _neighbour(pointer, manifest, suffix, seen)


def _places(field: Field) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give each column that a field is read from, with the types that serve."""
    if field.type is FieldType.RELATION:
        return
    if meta_key(field) is not None:
        yield META.rstrip(":"), ("jsonb",)
        return
    kinds = _KINDS.get(field.type, _WORDS)
    yield field.place, tuple(f"{k}[]" for k in kinds) if field.multi else kinds
    if field.type is FieldType.COLOUR and field.multi:
        yield f"{field.place}_cells", ("text[]",)


def _beside(field: Field) -> tuple[str, ...]:
    match field.type:
        case FieldType.VOCABULARY:
            return ("_terms",)
        case FieldType.RELATION:
            return ("_roles", "_names")
        case kind if kind in _COUNTED and meta_key(field) is not None:
            return ("_numbers",)
        case _:
            return ()


def _column(
    pointer: str, name: str, kinds: tuple[str, ...], seen: Shape
) -> Iterator[Fault]:
    found = seen.columns.get(name)
    if found is None:
        yield _fault(pointer, f"The view has no column {name}.", f"Add {kinds[0]}.")
    elif found not in kinds:
        said = f"The column {name} is {found}."
        yield _fault(pointer, said, f"Give it as {' or '.join(kinds)}.")


def _neighbour(
    pointer: str, manifest: Manifest, suffix: str, seen: Shape
) -> Iterator[Fault]:
    if suffix not in seen.neighbours:
        said = f"There is no {manifest.relation}{suffix}."
        yield _fault(pointer, said, "Create it, and grant SELECT to vitrine_service.")


def _fault(pointer: str, message: str, remedy: str) -> Fault:
    return Fault(pointer, "unfit_relation", message, remedy)

"""A tenant's own definitions, read where it keeps them, as fields of the registry.

`publish` adds them to the manifest; their values live in ``meta`` under their key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import sql

from vitrine.postgres.scope import META, Scope
from vitrine.postgres.statement import Statement
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType

_DEFINITIONS = sql.SQL("""
SELECT d.key, d.type, d.multi, d.unit, d.currency, d.whole, d.label, d.keywords,
    d.section
FROM {} AS d ORDER BY d.position, d.key""")


def defined(manifest: Manifest) -> Statement:
    """Make the statement that reads the caller's tenant's definitions."""
    table = Scope(manifest.relation).beside("_definitions")
    return Statement(_DEFINITIONS.format(table), {})


def fields(rows: Sequence[tuple[Any, ...]]) -> tuple[Field, ...]:
    """Make a field of each definition."""
    return tuple(_field(*row) for row in rows)


def _field(
    key: str,
    kind: str,
    multi: bool,
    unit: str | None,
    currency: str | None,
    *more: Any,
) -> Field:
    whole, label, keywords, section = more
    return Field(
        key=key,
        type=FieldType(kind),
        label=label,
        group=section,
        multi=multi,
        unit=unit,
        currency=currency,
        integer=whole,
        keywords=tuple(keywords),
        column=META + key,
    )

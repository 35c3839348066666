"""What a compiled condition stands on: the source's view and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from psycopg import sql

from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import NOTHING, Sample

Way = Literal["sought", "met", "named"]
META = "meta:"
ROW = sql.Identifier("v")
"""The alias under which each statement reads the source's view."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A source's view, its language and what was observed of its fields.

    ``letters`` are the text weights that a profile may search, None for all.
    ``scoped`` tells that the view's words can be asked for by who may see them.
    ``way`` is how rows are come by: ``sought`` in any order, each filter by its index;
    ``met`` in the order of their dates, each filter a look at the row; or ``named`` by
    a text, beside which a wide range is a look as well.
    """

    relation: str
    language: str = "en"
    letters: str | None = None
    scoped: bool = False
    samples: Mapping[str, Sample] = field(default_factory=lambda: MappingProxyType({}))
    way: Way = "named"

    def come(self, way: Way) -> Scope:
        """Give the same scope for rows that are come by in another way."""
        return replace(self, way=way)

    @property
    def view(self) -> sql.Composed:
        """Give the view under its alias, as it stands after FROM."""
        return sql.SQL("{} AS {}").format(self.beside(""), ROW)

    def beside(self, suffix: str) -> sql.Identifier:
        """Name a neighbour of the view: ``_numbers``, ``_terms``, ``_roles`` …."""
        *schema, name = self.relation.split(".")
        return sql.Identifier(*schema, name + suffix)

    def sample(self, key: str) -> Sample:
        """Give what was observed of a field."""
        return self.samples.get(key, NOTHING)


def scope_of(registry: Registry) -> Scope:
    """See a registry's source as its compiled conditions need it."""
    manifest = registry.manifest
    return Scope(
        relation=manifest.relation,
        language=manifest.text_language,
        letters=_letters(registry),
        scoped=manifest.scoped,
        samples=registry.samples,
    )


def column(name: str) -> sql.Composed:
    """Name a column of the source's view."""
    return sql.SQL("{}.{}").format(ROW, sql.Identifier(name))


def meta_key(field: Field) -> str | None:
    """Give the key in ``meta`` of a tenant-defined field, None for a column."""
    return field.place.removeprefix(META) if field.place.startswith(META) else None


def stem_of(field: Field) -> str:
    """Name a field's vocabulary: the column or key that keeps its ids."""
    return field.place.removeprefix(META)


def letter_of(weight: int) -> str:
    """Give the weight class A–D of a manifest's text weight (1–15)."""
    bounds = ((8, "a"), (4, "b"), (2, "c"))
    return next((letter for least, letter in bounds if weight >= least), "d")


def _letters(registry: Registry) -> str | None:
    """Keep the letters whose every field this profile may search."""
    # A text vector tells weight classes apart and not fields: one closed field closes
    # its class.
    open_keys = set(registry.searches)
    closed = {
        letter_of(t.weight) for t in registry.manifest.text if t.key not in open_keys
    }
    if not closed:
        return None
    return "".join(letter for letter in "abcd" if letter not in closed)

"""Public documents: what a record becomes for each profile of one tenant.

Only what the profile may filter, facet, sort, search or output goes in, so nothing
hidden is there to leak. Shown values stand under the field's key, which the schema
does not name: the server keeps them and can't test them. Tests run on shadow fields
(see ``shadows``).

A record is encoded once: what a profile has of it is a part of what all have.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from typing import Any
from uuid import UUID

from vitrine.language.folding import squash
from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.typesense import integers, names, shadows
from vitrine.typesense.ranks import ranker
from vitrine.typesense.records import Record, identity, moment_of, reader
from vitrine.typesense.wording import wording_of
from vitrine.typesense.words import words

Document = dict[str, Any]
_DATED = frozenset({FieldType.DATE, FieldType.DATETIME})

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def public_id(key: bytes, tenant: str, source: str, private: str) -> str:
    """Derive the public id: a UUID that only the key's holder can link to the stock."""
    name = f"{tenant}\x1f{source}\x1f{private}".encode()
    raw = hmac.new(key, name, sha256).digest()[:16]
    return str(UUID(bytes=raw, version=4))


class Press:
    """Turns private records into the public documents of a source's profiles.

    The registries are those of one tenant's source, one for each profile.
    """

    def __init__(
        self, registries: Sequence[Registry], key: bytes, at: datetime | None = None
    ) -> None:
        """Prepare; ``at`` is since when a record is true that does not say so."""
        self.registries = tuple(registries)
        self._key = key
        self._at = at
        self._all = all_of(self.registries)
        manifest = self._all.manifest
        self._ranked = ranker(manifest)
        self._read = {k: reader(manifest, f) for k, f in self._all.fields.items()}
        self._writers = [
            (field, names.has(field), shadows.writer(field))
            for field in shadows.tested(self._all)
        ]
        self._sayers = [_sayer(self._all.fields[key]) for key in self._all.searches]
        shown = (self._all.fields[key] for key in self._all.outputs)
        self._showers = [(field, _shower(field)) for field in shown]
        self._held = [_held(registry) for registry in self.registries]

    def documents(self, record: Record) -> tuple[Document, ...]:
        """Encode one record for each registry.

        Raises ``Invalid`` with each value that does not fit. The record's ``id`` is
        the private id; it never enters a document.
        """
        whole, said = self._encoded(record)
        marks = self._marks(record)
        return tuple(
            {name: value for name, value in whole.items() if name in held}
            | _searched(registry, said, marks)
            for registry, held in zip(self.registries, self._held, strict=True)
        )

    def lines(self, record: Record) -> tuple[str, ...]:
        """Give the same documents as JSON, of which common parts are written once."""
        whole, said = self._encoded(record)
        parts: list[Document] = [{} for _ in self._shared]
        for name, value in whole.items():
            parts[self._places[name]][name] = value
        written = [_json(part)[1:-1] for part in parts]
        marks = self._marks(record)
        words = {
            r.searches: _json(_searched(r, said, marks))[1:-1] for r in self.registries
        }
        return tuple(
            self._line(number, written, words[registry.searches])
            for number, registry in enumerate(self.registries)
        )

    def _marks(self, record: Record) -> tuple[str, ...]:
        manifest = self._all.manifest
        marks = wording_of(manifest).marks
        return marks.get(identity(manifest, record), ()) if marks else ()

    def _line(self, number: int, written: Sequence[str], words: str) -> str:
        parts = (
            part
            for part, holders in zip(written, self._shared, strict=True)
            if part and number in holders
        )
        return "{" + ",".join((*parts, words)) + "}"

    @cached_property
    def _holders(self) -> dict[str, tuple[int, ...]]:
        """Say which registries hold each name that a document can have."""
        return {
            name: tuple(n for n, held in enumerate(self._held) if name in held)
            for name in _held(self._all)
        }

    @cached_property
    def _shared(self) -> list[tuple[int, ...]]:
        """List the different companies of registries that share some names."""
        return list(dict.fromkeys(self._holders.values()))

    @cached_property
    def _places(self) -> dict[str, int]:
        """Say for each name which part of a document it is written in."""
        return {name: self._shared.index(h) for name, h in self._holders.items()}

    def _encoded(self, record: Record) -> tuple[Document, dict[str, _Said]]:
        faults: list[Fault] = []
        whole = self._head(record)
        for field, has, write in self._writers:
            values = self._read[field.key](record)
            whole[has] = bool(values)
            if values:
                whole |= _guarded(faults, field, values, write)
        for field, show in self._showers:
            if values := self._read[field.key](record):
                whole |= _guarded(faults, field, values, show)
        if faults:
            # A field that is tested and shown would be named twice.
            raise Invalid(dict.fromkeys(faults))
        return whole, self._said(record)

    def _head(self, record: Record) -> Document:
        where = self._all
        since = self._since(record)
        return {
            **self._names(identity(where.manifest, record)),
            **self._rank(record),
            names.GUARD: names.guard(where.tenant, where.source),
            **({names.AS_OF: since.isoformat()} if since else {}),
        }

    def _rank(self, record: Record) -> Document:
        if not self._all.manifest.boosts:
            return {}
        try:
            return {names.RANK: self._ranked(record)}
        except ValueError:
            return {names.RANK: 0}  # the field itself is a fault, told where it stands

    def _names(self, private: str) -> Document:
        public = self.id_of(private)
        # 62 bits, so that the tie-break is unique and inside int64.
        return {"id": public, names.TIE: UUID(public).int >> 66}

    def id_of(self, private: str) -> str:
        """Give the public id of a private one."""
        return public_id(self._key, self._all.tenant, self._all.source, private)

    def gone(self, private: str) -> tuple[Document, ...]:
        """Give what stands for a deleted record until a run is over.

        No search finds it: its guard is no tenant's.
        """
        head = {**self._names(private), names.GUARD: names.GONE}
        head |= {names.RANK: 0} if self._all.manifest.boosts else {}
        empty = {names.WORDS: [], names.TEXT: ""}
        return tuple(
            head | empty | {names.has(f): False for f in shadows.tested(registry)}
            for registry in self.registries
        )

    def _since(self, record: Record) -> datetime | None:
        try:
            return moment_of(self._all.manifest, record) or self._at
        except ValueError as error:
            place = self._all.manifest.origin.moment
            message = f"{place}: {error}"
            raise Invalid([Fault(f"/{place}", "record", message)]) from None

    def _said(self, record: Record) -> dict[str, _Said]:
        wording = wording_of(self._all.manifest)
        found = {}
        for field, say in self._sayers:
            values = self._read[field.key](record)
            texts = [words(text) for value in values for text in say(value)]
            if said := tuple(dict.fromkeys(word for text in texts for word in text)):
                tokens = (token for text in texts for token in wording.told(text))
                every = dict.fromkeys((*wording.stems(said), *tokens))
                found[field.key] = _Said(said, tuple(every))
        return found


@dataclass(frozen=True, slots=True)
class Encoder:
    """A press of one registry."""

    registry: Registry
    key: bytes

    def document(self, record: Record) -> Document:
        """Encode one record; raise ``Invalid`` with each value that does not fit."""
        return Press([self.registry], self.key).documents(record)[0]


@dataclass(frozen=True, slots=True)
class _Said:
    """The words by which a text query finds a field's values.

    ``stems`` are theirs, and the tokens of what they are synonyms of.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]


def all_of(registries: Sequence[Registry]) -> Registry:
    """Give one registry that may do what any of them may."""
    first, *others = registries
    for other in others:
        first = replace(
            first,
            filters={**first.filters, **other.filters},
            fields={**first.fields, **other.fields},
            facets=_both(first.facets, other.facets),
            sorts=_both(first.sorts, other.sorts),
            searches=_both(first.searches, other.searches),
            outputs=_both(first.outputs, other.outputs),
        )
    return first


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _held(registry: Registry) -> frozenset[str]:
    """Name what a registry's documents may hold beside their words."""
    tested = (p["name"] for f in shadows.tested(registry) for p in shadows.declared(f))
    fixed = {"id", names.GUARD, names.TIE, names.AS_OF, names.RANK}
    return frozenset({*fixed, *tested, *registry.outputs})


def _searched(
    registry: Registry, said: Mapping[str, _Said], marks: Sequence[str] = ()
) -> Document:
    """Give the stems of each searched field, all of them as codes, and the words."""
    found = {key: said[key] for key in registry.searches if key in said}
    every = dict.fromkeys(stem for some in found.values() for stem in some.stems)
    typed = dict.fromkeys(
        word
        for key, some in found.items()
        if registry.fields[key].type is not FieldType.IDENTIFIER
        for word in some.words
    )
    return {
        **{names.stemmed(key): " ".join(some.stems) for key, some in found.items()},
        names.WORDS: [names.digest(one) for one in (*every, *marks)],
        names.TEXT: " ".join(typed),
    }


def _guarded(
    faults: list[Fault], field: Field, values: Sequence[Any], write: shadows.Writer
) -> Document:
    if len(values) > 1 and not field.multi:
        faults.append(_fault(field, "several values in a single-valued field"))
        return {}
    try:
        return write(values)
    except ValueError as error:
        faults.append(_fault(field, str(error)))
        return {}


def _fault(field: Field, why: str) -> Fault:
    remedy = "Correct the record, or the field in the manifest."
    return Fault(f"/{field.key}", "record", f"{field.key}: {why}", remedy)


def _sayer(field: Field) -> tuple[Field, Callable[[Any], Sequence[str]]]:
    """Give what a text query may find a value by: itself and its labels."""
    labels = {c.value: tuple(c.labels.values()) for c in field.choices or ()}
    coded = field.type is FieldType.IDENTIFIER

    def say(value: Any) -> Sequence[str]:
        said = str(value)
        squashed = (squash(said),) if coded else ()
        return (said, *labels.get(said, ()), *squashed)

    return field, say


def _shower(field: Field) -> shadows.Writer:
    """Make what writes a field's values as they are shown."""
    show, key = _shown(field), field.key
    if field.multi:
        return lambda values: {key: [show(value) for value in values]}
    return lambda values: {key: show(values[0])}


def _shown(field: Field) -> Callable[[Any], Any]:
    """Give how a value is made JSON; decimals keep what the filter tests."""
    if field.type in _DATED:
        return lambda value: integers.shown(field, integers.stored(field, value))
    if field.type is not FieldType.NUMBER:
        return _plain
    scale = Decimal(integers.scale(field))
    return lambda value: (
        value
        if isinstance(value, int)
        else _short(Decimal(integers.stored(field, value)) / scale)
    )


def _short(number: Decimal) -> float:
    return int(number) if number == number.to_integral_value() else float(number)


def _plain(value: Any) -> Any:
    """Give a text as a text, whatever a record keeps it as, and a truth as it is."""
    if isinstance(value, date | time):
        return value.isoformat()
    return value if isinstance(value, str | bool) else str(value)

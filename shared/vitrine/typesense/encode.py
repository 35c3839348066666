"""The public collection: its schema and documents, for one profile of one tenant.

Only what the profile may filter, facet, sort, search or output goes in, so nothing
hidden is there to leak. Shown values stand under the field's key, which the schema
does not name: the server keeps them and can't test them. Tests run on shadow fields
(see ``names``), whose codes and integers make every answer exact.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from hashlib import sha256
from typing import Any
from uuid import UUID

from vitrine.language.folding import squash
from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Field
from vitrine.registry.operators import IDENTIFIER_PREFIX, FieldType
from vitrine.registry.profiles import Registry
from vitrine.typesense import integers, names
from vitrine.typesense.texts import stems
from vitrine.typesense.words import folded, words

IDENTIFIER_LONGEST = 128
CODED = frozenset(
    {
        FieldType.KEYWORD,
        FieldType.VOCABULARY,
        FieldType.COLOUR,
        FieldType.ORIENTATION,
    }
)
WHOLE = frozenset({FieldType.TEXT, FieldType.IDENTIFIER})
# Only ASCII signs can be named; ours are cut before indexing, a customer's are not.
SEPARATORS = ["'", "-", "/", ".", "_"]
_STRINGS = "string[]"

Shadow = tuple[str, Any]


def public_id(key: bytes, tenant: str, source: str, private: str) -> str:
    """Derive the public id: a UUID that only the key's holder can link to the stock."""
    name = f"{tenant}\x1f{source}\x1f{private}".encode()
    raw = hmac.new(key, name, sha256).digest()[:16]
    return str(UUID(bytes=raw, version=4))


def schema(registry: Registry, name: str) -> dict[str, Any]:
    """Give the collection to create; raise ``ValueError`` for an unfit manifest."""
    if problems := list(_unfit(registry)):
        raise ValueError("; ".join(problems))
    return {
        "name": name,
        "token_separators": SEPARATORS,
        "fields": [
            {"name": names.GUARD, "type": "string"},
            {"name": names.TIE, "type": "int64"},
            {"name": names.WORDS, "type": _STRINGS},
            *(part for f in _tested(registry) for part in _shadows(f)),
            *(
                {"name": name, "type": "string", "optional": True}
                for key in registry.searches
                for name in (names.text(key), names.stemmed(key))
            ),
        ],
    }


def _unfit(registry: Registry) -> Iterator[str]:
    for field in registry.filters.values():
        if field.choices is None and field.type is FieldType.VOCABULARY:
            yield f"{field.key}: a vocabulary needs its closed list here"
        if field.choices is None and field.type is FieldType.COLOUR and field.multi:
            yield f"{field.key}: several colours need their closed list here"
    for key in registry.facets:
        if registry.fields[key].type in (*WHOLE, FieldType.RELATION):
            yield f"{key}: only closed lists, numbers, dates and booleans are facets"


def _tested(registry: Registry) -> Iterator[Field]:
    """List the fields that are filtered, counted or sorted."""
    tested = {*registry.filters, *registry.facets, *registry.sorts}
    order = registry.manifest.order
    return (f for k, f in registry.fields.items() if k in tested or k == order)


def _shadows(field: Field) -> Iterator[dict[str, Any]]:
    yield {"name": names.has(field), "type": "bool"}
    for name, kind, facet in _kinds(field):
        many = "[]" if field.multi and not kind.endswith("[]") else ""
        yield {"name": name, "type": kind + many, "optional": True, "facet": facet}


def _kinds(field: Field) -> Iterator[tuple[str, str, bool]]:
    if field.type in CODED:
        yield names.code_of(field), "string", True
    elif field.type in WHOLE:
        yield names.exact(field), "string", False
    elif field.type is FieldType.BOOLEAN:
        yield names.truth(field), "bool", True
    elif field.type in integers.ORDERED:
        yield names.integer(field), "int64", True
    if field.type is FieldType.IDENTIFIER:
        yield names.start(field), _STRINGS, False
    if field.multi and field.type in integers.ORDERED:
        yield names.trie(field), _STRINGS, False
    if field.steps:
        yield names.band(field), "string", True
    if open_colour(field):
        yield from ((name, "int32", False) for name in names.channels(field))


@dataclass(frozen=True, slots=True)
class Encoder:
    """Turns private records into public documents of one registry."""

    registry: Registry
    key: bytes

    def document(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Encode one record; raise ``Invalid`` with each value that does not fit.

        The record's ``id`` is the private id; it never enters the document.
        """
        faults: list[Fault] = []
        document = self._head(record)
        for field in _tested(self.registry):
            values = values_of(record, field)
            document[names.has(field)] = bool(values)
            document |= _guarded(faults, field, values)
        document |= self._words(record)
        if faults:
            raise Invalid(faults)
        return document | dict(self._shown(record))

    def _head(self, record: Mapping[str, Any]) -> dict[str, Any]:
        where = self.registry
        public = public_id(self.key, where.tenant, where.source, str(record["id"]))
        return {
            "id": public,
            names.GUARD: names.guard(where.tenant, where.source),
            # 62 bits, so that the tie-break is unique and inside int64.
            names.TIE: UUID(public).int >> 66,
        }

    def _words(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Give the words and stems of the searched fields, and all stems as codes."""
        language = self.registry.manifest.text_language
        found = {key: said for key, said in self._texts(record) if said}
        told = {key: stems(said, language) for key, said in found.items()}
        every = dict.fromkeys(s for some in told.values() for s in some)
        return {
            **{names.text(key): " ".join(said) for key, said in found.items()},
            **{names.stemmed(key): " ".join(some) for key, some in told.items()},
            names.WORDS: [names.digest(s) for s in every],
        }

    def _texts(self, record: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
        for key in self.registry.searches:
            field = self.registry.fields[key]
            said = (s for v in values_of(record, field) for s in _said(field, v))
            yield key, [w for text in said for w in words(text)]

    def _shown(self, record: Mapping[str, Any]) -> Iterator[Shadow]:
        for key in self.registry.outputs:
            field = self.registry.fields[key]
            if values := [_plain(field, v) for v in values_of(record, field)]:
                yield key, values if field.multi else values[0]


def values_of(record: Mapping[str, Any], field: Field) -> list[Any]:
    """List a record's values; None and an empty string are none."""
    value = record.get(field.key)
    many = value if isinstance(value, list | tuple) else [value]
    return [v for v in many if v is not None and v != ""]


def _guarded(faults: list[Fault], field: Field, values: list[Any]) -> dict[str, Any]:
    if not values:
        return {}
    if len(values) > 1 and not field.multi:
        faults.append(_fault(field, "several values in a single-valued field"))
        return {}
    try:
        return dict(_encoded(field, values))
    except ValueError as error:
        faults.append(_fault(field, str(error)))
        return {}


def _fault(field: Field, why: str) -> Fault:
    remedy = "Correct the record, or the field in the manifest."
    return Fault(f"/{field.key}", "record", f"{field.key}: {why}", remedy)


def _encoded(field: Field, values: list[Any]) -> Iterable[Shadow]:
    if field.type in CODED:
        yield names.code_of(field), _each(field, values, _coded)
        if open_colour(field):
            yield from zip(names.channels(field), rgb(values[0]), strict=True)
    elif field.type is FieldType.TEXT:
        yield names.exact(field), _each(field, values, lambda _, v: folded(str(v)))
    elif field.type is FieldType.IDENTIFIER:
        squashed = [_squashed(v) for v in values]
        yield names.exact(field), _each(field, squashed, lambda _, v: names.digest(v))
        yield names.start(field), [c for s in squashed for c in beginnings(s)]
    elif field.type is FieldType.BOOLEAN:
        yield names.truth(field), _each(field, values, _boolean)
    elif field.type in integers.ORDERED:
        yield from _ordered(field, values)


def _ordered(field: Field, values: list[Any]) -> Iterable[Shadow]:
    whole = [integers.stored(field, v) for v in values]
    yield names.integer(field), _each(field, whole, lambda _, v: v)
    if field.multi:
        found = (p for w in whole for p in integers.prefixes(w))
        yield names.trie(field), list(dict.fromkeys(found))
    if field.steps:
        yield names.band(field), _each(field, whole, integers.band)


def _each(field: Field, values: list[Any], turn: Callable[[Field, Any], Any]) -> Any:
    turned = list(dict.fromkeys(turn(field, v) for v in values))
    return turned if field.multi else turned[0]


def _coded(field: Field, value: Any) -> str:
    code = names.choice_code(field.choices, str(value))
    if code is None:
        raise ValueError(f"{value!r} is not in the closed list")
    return code


def open_colour(field: Field) -> bool:
    """Tell whether nearness is tested by channels rather than by a closed list."""
    return field.type is FieldType.COLOUR and field.choices is None and not field.multi


def rgb(colour: str) -> tuple[int, int, int]:
    """Read ``#rrggbb``; raise ``ValueError`` for anything else."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _boolean(_: Field, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("not true or false")  # noqa: TRY004 - one kind of fault
    return value


def _squashed(value: Any) -> str:
    squashed = squash(str(value))
    if not 0 < len(squashed) <= IDENTIFIER_LONGEST:
        raise ValueError(f"an identifier has 1 to {IDENTIFIER_LONGEST} characters")
    return squashed


def beginnings(squashed: str) -> Iterator[str]:
    """Give the codes of an identifier's beginnings, from four characters on."""
    for length in range(IDENTIFIER_PREFIX, len(squashed) + 1):
        yield names.digest(squashed[:length])


def _said(field: Field, value: Any) -> Iterator[str]:
    """Give what a text query may find a value by: itself and its labels."""
    choice = next((c for c in field.choices or () if c.value == value), None)
    yield str(value)
    if choice:
        yield from choice.labels.values()
    if field.type is FieldType.IDENTIFIER:
        yield squash(str(value))


def _plain(field: Field, value: Any) -> Any:
    """Make a shown value JSON; decimals keep what the filter tests."""
    if field.type is FieldType.NUMBER and not isinstance(value, int):
        number = Decimal(integers.stored(field, value)) / integers.scale(field)
        return float(number)
    return value.isoformat() if isinstance(value, date | time) else value

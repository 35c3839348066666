"""What a field is tested by: its shadow fields, declared and filled.

Codes and integers make every answer exact (see ``names``). A field's writer is made
once and runs for each of a catalogue's records, so nothing is looked up there twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from vitrine.language.folding import squash
from vitrine.registry.fields import Field
from vitrine.registry.operators import IDENTIFIER_PREFIX, FieldType
from vitrine.registry.profiles import Registry
from vitrine.typesense import integers, names
from vitrine.typesense.words import folded

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
STRINGS = "string[]"

Writer = Callable[[Sequence[Any]], dict[str, Any]]
"""From a field's values, of which there is at least one, to its shadow fields."""
Turn = Callable[[Any], Any]


def tested(registry: Registry) -> Iterator[Field]:
    """List the fields that are filtered, counted or sorted."""
    asked = {*registry.filters, *registry.facets, *registry.sorts}
    order = registry.manifest.order
    return (f for k, f in registry.fields.items() if k in asked or k == order)


def declared(field: Field) -> Iterator[dict[str, Any]]:
    """Give the shadow fields of a collection's schema."""
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
        yield names.start(field), STRINGS, False
    if field.multi and field.type in integers.ORDERED:
        yield names.trie(field), STRINGS, False
    if field.steps:
        yield names.band(field), "string", True
    if open_colour(field):
        yield from ((name, "int32", False) for name in names.channels(field))


def writer(field: Field) -> Writer:
    """Make a field's writer, which raises ``ValueError`` for a value that is unfit."""
    if field.type in CODED:
        return _coloured(field) if open_colour(field) else _coded(field)
    if field.type is FieldType.TEXT:
        return _each(field, names.exact(field), lambda value: folded(str(value)))
    if field.type is FieldType.IDENTIFIER:
        return _identified(field)
    if field.type is FieldType.BOOLEAN:
        return _each(field, names.truth(field), _boolean)
    return _ordered(field) if field.type in integers.ORDERED else lambda _: {}


def _each(field: Field, name: str, turn: Turn) -> Writer:
    if not field.multi:
        return lambda values: {name: turn(values[0])}
    return lambda values: {name: list(dict.fromkeys(turn(v) for v in values))}


def _coded(field: Field) -> Writer:
    known = {c.value: c.code for c in field.choices or ()}

    def code(value: Any) -> str:
        found = known.get(str(value))
        if found is None:
            raise ValueError(f"{value!r} is not in the closed list")
        return found

    spelt = field.choices is None
    turn: Turn = (lambda value: names.spelling(str(value))) if spelt else code
    return _each(field, names.code_of(field), turn)


def open_colour(field: Field) -> bool:
    """Tell whether nearness is tested by channels rather than by a closed list."""
    return field.type is FieldType.COLOUR and field.choices is None and not field.multi


def _coloured(field: Field) -> Writer:
    coded, channels = _coded(field), names.channels(field)

    def write(values: Sequence[Any]) -> dict[str, Any]:
        parts = zip(channels, rgb(values[0]), strict=True)
        return {**coded(values), **dict(parts)}

    return write


def rgb(colour: str) -> tuple[int, int, int]:
    """Read ``#rrggbb``; raise ``ValueError`` for anything else."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("not true or false")  # noqa: TRY004 - one kind of fault
    return value


def _identified(field: Field) -> Writer:
    exact = _each(field, names.exact(field), names.digest)
    start = names.start(field)

    def write(values: Sequence[Any]) -> dict[str, Any]:
        squashed = [_squashed(value) for value in values]
        codes = dict.fromkeys(c for s in squashed for c in beginnings(s))
        return {**exact(squashed), start: list(codes)}

    return write


def _squashed(value: Any) -> str:
    squashed = squash(str(value))
    if not 0 < len(squashed) <= IDENTIFIER_LONGEST:
        raise ValueError(f"an identifier has 1 to {IDENTIFIER_LONGEST} characters")
    return squashed


def beginnings(squashed: str) -> Iterator[str]:
    """Give the codes of an identifier's beginnings, from four characters on."""
    for length in range(IDENTIFIER_PREFIX, len(squashed) + 1):
        yield names.digest(squashed[:length])


def _ordered(field: Field) -> Writer:
    whole = _each(field, names.integer(field), lambda value: value)
    banded = _each(field, names.band(field), lambda value: integers.band(field, value))
    trie = names.trie(field)

    def write(values: Sequence[Any]) -> dict[str, Any]:
        found = [integers.stored(field, value) for value in values]
        made = whole(found)
        if field.multi:
            prefixes = (p for w in found for p in integers.prefixes(w))
            made[trie] = list(dict.fromkeys(prefixes))
        return {**made, **banded(found)} if field.steps else made

    return write

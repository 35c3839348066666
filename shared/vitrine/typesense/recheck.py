"""A last look at each hit: whether it passes the filter by its own stored values.

The server compares folded words; what we store and ask are codes and integers that
folding leaves alone, so the two never differ but for a document that is not ours.
A text is not looked at again: where only a text decides, a hit is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any as Anything

from vitrine.language.folding import fold, squash
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.conditions import (
    All,
    Any,
    Between,
    Condition,
    Contains,
    Member,
    Near,
    Not,
    Present,
)
from vitrine.typesense import integers, names, shadows
from vitrine.typesense.compile import code_of
from vitrine.typesense.shadows import CODED

Document = Mapping[str, Anything]
Verdict = bool | None
"""Whether a condition holds; None where it is not looked at."""


def looked_at(condition: Condition) -> tuple[str, ...]:
    """Name the stored fields that a second look needs."""
    found = (name for field in _fields(condition) for name in _stored(field))
    return tuple(dict.fromkeys(found))


def passes(condition: Condition, document: Document) -> bool:
    """Tell whether a document may pass; false only where it surely does not."""
    return _verdict(condition, document) is not False


def _fields(condition: Condition) -> Iterator[Field]:
    match condition:
        case All(parts) | Any(parts):
            for part in parts:
                yield from _fields(part)
        case Not(part):
            yield from _fields(part)
        case Member(field) | Between(field) | Present(field) | Near(field):
            yield field
        case Contains(field):
            yield field


def _stored(field: Field) -> Iterator[str]:
    yield from (part["name"] for part in shadows.declared(field))


def _verdict(condition: Condition, document: Document) -> Verdict:
    match condition:
        case All(parts):
            return _every([_verdict(part, document) for part in parts])
        case Any(parts):
            denied = [_denied(_verdict(part, document)) for part in parts]
            return _denied(_every(denied))
        case Not(part):
            return _denied(_verdict(part, document))
        case _:
            return _leaf(condition, document)


def _leaf(condition: Condition, document: Document) -> Verdict:
    match condition:
        case Present(field):
            return bool(document.get(names.has(field)))
        case Member(field, values):
            return _member(field, values, document)
        case Between():
            return _between(condition, document)
        case Contains(field, needle, True) if field.type is FieldType.IDENTIFIER:
            return names.digest(squash(needle)) in _values(document, names.start(field))
        case _:
            return None


def _every(verdicts: list[Verdict]) -> Verdict:
    """Join as Kleene's three-valued "and" does."""
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _denied(verdict: Verdict) -> Verdict:
    return None if verdict is None else not verdict


def _member(field: Field, values: Iterable[object], document: Document) -> Verdict:
    wanted = list(values)
    if field.type is FieldType.BOOLEAN:
        return _meet(document, names.truth(field), wanted)
    if field.type in integers.ORDERED:
        whole = [integers.member(field, value) for value in wanted]
        return _meet(document, names.integer(field), whole)
    if field.type in CODED:
        codes = [code_of(field, str(value)) for value in wanted]
        return _meet(document, names.code_of(field), codes)
    if field.type is FieldType.TEXT:
        folded = [names.digest(fold(str(value))) for value in wanted]
        return _meet(document, names.exact(field), folded)
    if field.type is FieldType.IDENTIFIER:
        squashed = [names.digest(squash(str(value))) for value in wanted]
        return _meet(document, names.exact(field), squashed)
    return None


def _between(test: Between, document: Document) -> bool:
    low, high = integers.span(
        test.field,
        test.low,
        test.high,
        low_open=test.low_open,
        high_open=test.high_open,
    )
    stored = _values(document, names.integer(test.field))
    return any(low <= value <= high for value in stored)


def _meet(document: Document, name: str, wanted: Iterable[object]) -> bool:
    stored = _values(document, name)
    return any(value in stored for value in wanted if value is not None)


def _values(document: Document, name: str) -> list[Anything]:
    value = document.get(name)
    if isinstance(value, list):
        return value
    return [] if value is None else [value]

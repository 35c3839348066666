"""The few DynamoDB expressions that the store writes, run on plain dicts.

Only what ``vitrine.store`` says is understood; anything else raises, so that a new
kind of write can't pass here as something it is not. A test holds this to moto.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import eq, ge, gt, le, lt
from typing import Any

Item = Mapping[str, Any]
Values = Mapping[str, Any]
Test = Callable[[Item, Values], bool]
Read = Callable[[Item, Values], Any]

_TOKEN = re.compile(r"\s*(#\w+|:\w+|<=|>=|[=<>(),]|\w+)")
_COMPARES: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "<": lt,
    ">": gt,
    "<=": le,
    ">=": ge,
}
_ABSENT = object()


def holds(condition: str, item: Item | None, values: Values) -> bool:
    """Tell whether a condition holds for an item, None where there is none."""
    return not condition or _condition(condition)(item or {}, values)


def changed(change: str, item: Item | None, values: Values) -> dict[str, Any]:
    """Give an item after an update's SET and ADD clauses."""
    before, after = item or {}, dict(item or {})
    for verb, name, value in _changes(change):
        new = value(before, values)
        after[name] = new if verb == "SET" else _added(before.get(name), new)
    return after


def _added(old: Any, new: Any) -> Any:
    if old is None:
        return new
    return old | new if isinstance(new, frozenset) else old + new


@dataclass(slots=True)
class _Tokens:
    """The rest of an expression."""

    left: list[str]

    def next(self, wanted: str = "") -> str:
        token = self.left.pop(0) if self.left else ""
        if not token or (wanted and token != wanted):
            message = f"{wanted or 'more'} is missing before {self.left}"
            raise ValueError(message)
        return token

    def take(self, wanted: str) -> bool:
        if self.left[:1] == [wanted]:
            self.left.pop(0)
            return True
        return False


def _cut(text: str) -> _Tokens:
    found, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            message = f"unreadable: {text[at:]!r}"
            raise ValueError(message)
        found.append(match[1])
        at = match.end()
    return _Tokens(found)


@lru_cache(maxsize=1_024)
def _condition(text: str) -> Test:
    tokens = _cut(text)
    test = _either(tokens)
    if tokens.left:
        message = f"too much: {tokens.left}"
        raise ValueError(message)
    return test


def _either(tokens: _Tokens) -> Test:
    tests = [_both(tokens)]
    while tokens.take("OR"):
        tests.append(_both(tokens))
    return lambda item, values: any(test(item, values) for test in tests)


def _both(tokens: _Tokens) -> Test:
    tests = [_one(tokens)]
    while tokens.take("AND"):
        tests.append(_one(tokens))
    return lambda item, values: all(test(item, values) for test in tests)


def _one(tokens: _Tokens) -> Test:
    if tokens.take("NOT"):
        inner = _one(tokens)
        return lambda item, values: not inner(item, values)
    if tokens.take("("):
        inner = _either(tokens)
        tokens.next(")")
        return inner
    if tokens.left[0] in _NAMED:
        return _named(tokens)
    return _compared(tokens)


_NAMED = frozenset({"attribute_not_exists", "attribute_exists", "contains"})


def _named(tokens: _Tokens) -> Test:
    name = tokens.next()
    tokens.next("(")
    place = tokens.next().removeprefix("#")
    if name == "contains":
        tokens.next(",")
        value = tokens.next()
        tokens.next(")")
        return lambda item, values: values[value] in item.get(place, ())
    tokens.next(")")
    wanted = name == "attribute_exists"
    return lambda item, _: (place in item) is wanted


def _compared(tokens: _Tokens) -> Test:
    one = _operand(tokens)
    compare = _COMPARES[tokens.next()]
    other = _operand(tokens)

    def test(item: Item, values: Values) -> bool:
        pair = one(item, values), other(item, values)
        # What is not there fits no comparison.
        return _ABSENT not in pair and compare(*pair)

    return test


def _operand(tokens: _Tokens) -> Read:
    name = tokens.next()
    if name == "size":
        tokens.next("(")
        inner = _operand(tokens)
        tokens.next(")")
        return lambda item, values: _size(inner(item, values))
    if name in ("if_not_exists", "list_append"):
        return _joined(name, tokens)
    if name.startswith(":"):
        return lambda _, values: values[name]
    place = name.removeprefix("#")
    return lambda item, _: item.get(place, _ABSENT)


def _size(value: Any) -> Any:
    return _ABSENT if value is _ABSENT else len(value)


def _joined(name: str, tokens: _Tokens) -> Read:
    tokens.next("(")
    first = _operand(tokens)
    tokens.next(",")
    second = _operand(tokens)
    tokens.next(")")
    if name == "list_append":
        return lambda item, values: [*first(item, values), *second(item, values)]

    def read(item: Item, values: Values) -> Any:
        there = first(item, values)
        return second(item, values) if there is _ABSENT else there

    return read


@lru_cache(maxsize=256)
def _changes(text: str) -> tuple[tuple[str, str, Read], ...]:
    tokens, verb = _cut(text), ""
    found: list[tuple[str, str, Read]] = []
    while tokens.left:
        if tokens.left[0] in ("SET", "ADD"):
            verb = tokens.next()
        name = tokens.next().removeprefix("#")
        if verb == "SET":
            tokens.next("=")
        found.append((verb, name, _operand(tokens)))
        tokens.take(",")
    return tuple(found)

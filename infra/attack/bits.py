"""A catalogue in memory as sets of bits: an engine for what a server is too slow for.

It holds the documents that a publish would send and tests their shadow fields, so it
means what Typesense means. An integer has a bit for each document, in the order in
which pages come (newest first): a search of 80,000 documents with its facets takes
milliseconds. Texts are strict; there is no ladder, and no rank but that order. A test
holds totals, facets and documents to a real server.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from vitrine.language.folding import fold, squash
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Count, Found, Hits, Query, Row, Wanted
from vitrine.tree import conditions as c
from vitrine.tree.conditions import Condition
from vitrine.typesense import answers, integers, names, request
from vitrine.typesense.encode import Encoder
from vitrine.typesense.search import Typesense
from vitrine.typesense.shadows import CODED
from vitrine.typesense.texts import HELD, worded

Record = Mapping[str, Any]
Test = Callable[[Any], int]
UNORDERED = ("CODE_", "BOOL_", "EXACT_", "START_", "BAND_", "HAS_")
INTEGER = "INT_"


class Bits:
    """The engine of one registry's documents."""

    def __init__(self, encoder: Encoder, records: Iterable[Record]) -> None:
        """Encode, order and index what is to be searched."""
        self.registry = encoder.registry
        order = self.registry.manifest.order
        newest = f"{INTEGER}{order}" if order else names.TIE
        made = [encoder.document(record) for record in records]
        made.sort(key=lambda d: (-d.get(newest, integers.SMALLEST), d[names.TIE]))
        self._documents = made
        self._every = (1 << len(made)) - 1
        self._places = _places(made)
        self._numbers = _numbers(made)
        self._masks: dict[tuple[str, Any], int] = {}
        nobody: Any = None
        self._labels = Typesense(nobody)

    def search(self, query: Query) -> Hits:
        """Find one page, its total and its facets."""
        found = self._found(_whole(query))
        number, size = query.after or (1, query.limit)
        start = (int(number) - 1) * int(size)
        page = _positions(found, start, int(size))
        total = found.bit_count()
        return Hits(
            rows=answers.rows(query.registry, {"hits": self._hits(page)}),
            total=total,
            facets={
                key: self._counts(query.registry, key, found) for key in query.facets
            },
            next=(int(number) + 1, int(size)) if start + int(size) < total else None,
            end=(int(number) + 1, int(size)) if len(page) == int(size) > 0 else None,
        )

    def count(self, query: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        """Count each condition alone."""
        del query
        return tuple(Count(self._found(one).bit_count()) for one in conditions)

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Resolve labels by the closed lists."""
        return self._labels.look_up(query, wanted)

    def fetch(self, query: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        """Read documents by public id."""
        hits = [{"document": d} for d in self._documents if d["id"] in set(ids)]
        return answers.rows(query.registry, {"hits": hits})

    def _hits(self, page: Iterable[int]) -> list[dict[str, Any]]:
        return [{"document": self._documents[at]} for at in page]

    def _counts(self, registry: Registry, key: str, found: int) -> answers.Counts:
        name = request.facet(registry, key)
        pairs = (
            (answers.facet_value(registry.fields[key], _said(value)), number)
            for value in self._places.get(name, ())
            if (number := (found & self._mask(name, value)).bit_count())
        )
        known = [(value, number) for value, number in pairs if value is not None]
        return tuple(sorted(known, key=lambda pair: (-pair[1], pair[0])))

    def _mask(self, name: str, value: Any) -> int:
        known = self._masks.get((name, value))
        if known is None:
            known = _mask(self._places.get(name, {}).get(value, ()))
            self._masks[name, value] = known
        return known

    def _among(self, name: str, values: Iterable[Any]) -> int:
        return reduce(or_, (self._mask(name, v) for v in values if v is not None), 0)

    def _found(self, condition: Condition) -> int:
        match condition:
            case c.All(parts):
                return reduce(and_, map(self._found, parts), self._every)
            case c.Any(parts):
                return reduce(or_, map(self._found, parts), 0)
            case c.Not(part):
                return self._every & ~self._found(part)
            case c.Text():
                language = self.registry.manifest.text_language
                return self._found(worded(condition, language))
            case _:
                return self._tested(condition)

    def _tested(self, condition: Condition) -> int:
        match condition:
            case c.Member(field, values):
                return self._member(field, values)
            case c.Present(field):
                return self._mask(names.has(field), True)  # noqa: FBT003 - a stored value
            case c.Between():
                return self._between(condition)
            case c.Contains(field, needle, True) if field.type is FieldType.IDENTIFIER:
                return self._among(names.start(field), [names.digest(squash(needle))])
            case c.Near(field):
                close = (
                    ch.value for ch in field.choices or () if _near(ch.value, condition)
                )
                return self._member(field, tuple(close))
            case _:
                message = f"not run here: {condition}"
                raise TypeError(message)

    def _member(self, field: Any, values: Iterable[Any]) -> int:
        if field.type is FieldType.BOOLEAN:
            return self._among(names.truth(field), values)
        if field is HELD:
            return self._among(names.WORDS, map(names.digest, map(str, values)))
        if field.type in integers.ORDERED:
            spans = (integers.span(field, v, v) for v in values)
            return reduce(or_, (self._within(field, *span) for span in spans), 0)
        if field.type is FieldType.VOCABULARY:
            return self._among(names.code_of(field), values)
        if field.type in CODED:
            codes = (names.choice_code(field.choices, str(v)) for v in values)
            return self._among(names.code_of(field), codes)
        plain = squash if field.type is FieldType.IDENTIFIER else fold
        return self._among(
            names.exact(field), (names.digest(plain(str(v))) for v in values)
        )

    def _between(self, span: c.Between) -> int:
        ends = {"low_open": span.low_open, "high_open": span.high_open}
        return self._within(
            span.field, *integers.span(span.field, span.low, span.high, **ends)
        )

    def _within(self, field: Any, low: int, high: int) -> int:
        held, places = self._numbers.get(names.integer(field), ([], array("I")))
        return _mask(places[bisect_left(held, low) : bisect_right(held, high)])


def _whole(query: Query) -> Condition:
    return c.All((query.condition, query.text)) if query.text else query.condition


def _near(value: str, test: Condition) -> bool:
    assert isinstance(test, c.Near)  # noqa: S101 - told apart by its caller
    pairs = zip(bytes.fromhex(value[1:]), bytes.fromhex(test.colour[1:]), strict=True)
    return all(abs(a - b) <= test.tolerance for a, b in pairs)


def _said(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _mask(places: Iterable[int]) -> int:
    """Set one bit per place; in bytes, since an integer is made anew each time."""
    places = list(places)
    if not places:
        return 0
    held = bytearray(max(places) // 8 + 1)
    for at in places:
        held[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(held, "little")


def _positions(found: int, start: int, size: int) -> list[int]:
    """Give the places of ``size`` set bits after the first ``start``."""
    positions: list[int] = []
    raw = found.to_bytes((found.bit_length() + 7) // 8, "little")
    for at, byte in enumerate(raw):
        if start >= byte.bit_count():
            start -= byte.bit_count()
            continue
        here = [at * 8 + bit for bit in range(8) if byte >> bit & 1]
        positions += here[start:]
        start = 0
        if len(positions) >= size:
            break
    return positions[:size]


def _places(documents: Sequence[Record]) -> dict[str, dict[Any, array[int]]]:
    """Index each value of each shadow field to its documents."""
    found: defaultdict[str, defaultdict[Any, array[int]]]
    found = defaultdict(lambda: defaultdict(lambda: array("I")))
    for at, document in enumerate(documents):
        for name, value in document.items():
            if name == names.WORDS or name.startswith(UNORDERED):
                for one in value if isinstance(value, list) else (value,):
                    found[name][one].append(at)
    return {name: dict(values) for name, values in found.items()}


def _numbers(documents: Sequence[Record]) -> dict[str, tuple[list[int], array[int]]]:
    """Sort each number with the places that hold it."""
    pairs: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, document in enumerate(documents):
        for name, value in document.items():
            if name.startswith(INTEGER):
                values = value if isinstance(value, list) else [value]
                pairs[name] += [(one, at) for one in values]
    found = {name: sorted(held) for name, held in pairs.items()}
    return {
        name: ([v for v, _ in held], array("I", (at for _, at in held)))
        for name, held in found.items()
    }

"""Attackers A1 to A5: ways through a catalogue, each as far as its tool lets it.

They know the manifest's closed lists, which a description gives to anybody, and
begin as many conversations as they like.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from infra.attack.tool import DRAINED, Crawl, Question, Reply, Rule, rule
from vitrine.language.money import from_minor
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry

Step = Generator[Question, Reply, Any]
WORDS = re.compile(r"[^\W\d_]{3,}")
MOST_WORDS = 3
OLDEST, NEWEST = date(2018, 1, 1), date(2026, 12, 31)
CHEAPEST, DEAREST = 0, 1_000_000
"""Cents."""


def by_words(registry: Registry) -> Crawl:
    """A1: each word that an answer shows is the next question; full pages get two."""
    todo: deque[tuple[str, ...]] = deque((label,) for label in _labels(registry))
    done = set(todo)
    while todo:
        asked = todo.popleft()
        question = Question(words=" ".join(asked))
        whole, heard = yield from _heard(question, _texts(registry))
        longer = [] if whole or len(asked) >= MOST_WORDS else heard
        fresh: list[tuple[str, ...]] = [(w,) for w in heard]
        fresh += [(*asked, w) for w in longer if w not in asked]
        for words in fresh:
            key = tuple(sorted(words))
            if key not in done:
                done.add(key)
                todo.append(words)


def _heard(
    question: Question, texts: Sequence[str]
) -> Generator[Question, Reply, tuple[bool, list[str]]]:
    heard: Counter[str] = Counter()
    reply = yield question
    heard.update(_told(reply, texts))
    while reply.cursor:
        reply = yield replace(question, cursor=reply.cursor)
        heard.update(_told(reply, texts))
    return reply.short, [word for word, _ in heard.most_common()]


def _told(reply: Reply, texts: Sequence[str]) -> Iterator[str]:
    for hit in reply.hits:
        text = " ".join(str(hit.get(key, "")) for key in texts)
        yield from set(WORDS.findall(text.lower()))


def _texts(registry: Registry) -> list[str]:
    """List the members of a hit that are texts, whatever the source calls them."""
    shown = (registry.fields[key] for key in registry.outputs)
    return ["title", *(f.key for f in shown if f.type is FieldType.TEXT)]


def _labels(registry: Registry) -> list[str]:
    choices = (c for f in registry.filters.values() for c in f.choices or ())
    listed = [c.labels.get("en", c.value) for c in choices]
    sampled = [
        label for key in registry.filters for label in registry.sample(key).labels
    ]
    return list(dict.fromkeys([*listed, *sampled]))


def by_facets(registry: Registry) -> Crawl:
    """A2: cell by cell, each by one more facet, until three pages show it whole."""
    yield from _cells(registry, _facets(registry), (), _nothing)


def by_ranges(registry: Registry) -> Crawl:
    """A3: halve a range of prices, or of dates, until three pages show it whole."""
    if span := spans(registry):
        yield from _halves(span, ())


def by_flips(registry: Registry) -> Crawl:
    """A4: cells of two facets, read from both ends: the newest, then the oldest."""
    inner = [key for key in _facets(registry) if key in _widest(registry)[:2]]
    span = days(registry) or spans(registry)
    last = (lambda fixed: _halves(span, fixed)) if span else _nothing
    yield from _cells(registry, inner, (), last)


def in_turn(*crawls: Crawl) -> Crawl:
    """A5: all of them, one question each in turn."""
    going = deque((crawl, next(crawl, None)) for crawl in crawls)
    while going:
        crawl, question = going.popleft()
        if question is None:
            continue
        reply = yield question
        try:
            going.append((crawl, crawl.send(reply)))
        except StopIteration:
            continue


CRAWLERS: Mapping[str, Callable[[Registry], Crawl]] = {
    "A1 words": by_words,
    "A2 facets": by_facets,
    "A3 ranges": by_ranges,
    "A4 flips": by_flips,
    "A5 combined": lambda r: in_turn(by_words(r), by_facets(r), by_ranges(r)),
}


def drained(question: Question, reply: Reply) -> Step:
    """Read the following pages; tell whether the last one was short."""
    while reply.cursor:
        reply = yield replace(question, cursor=reply.cursor)
    return reply.short


def _nothing(_: tuple[Rule, ...]) -> Step:
    return
    yield


def _cells(
    registry: Registry,
    free: Sequence[str],
    fixed: tuple[Rule, ...],
    last: Callable[[tuple[Rule, ...]], Step],
) -> Step:
    reply = Reply()
    if fixed:
        question = Question(fixed)
        reply = yield question
        if reply.short:
            return
        large = reply.total.above(DRAINED) and bool(free)
        if not large and (yield from drained(question, reply)):
            return
    if not free:
        yield from last(fixed)
        return
    key, *rest = free
    for tests in _values(registry.fields[key], reply):
        yield from _cells(registry, rest, (*fixed, *tests), last)


def _values(field: Field, reply: Reply) -> Iterator[tuple[Rule, ...]]:
    """List a facet's values as rules: those an answer counted, else the closed list."""
    listed = reply.facets.get(field.key) or {}
    known = [v for v, n in listed.items() if n.kind == "fewer_than" or n.number]
    if field.type is FieldType.NUMBER:
        yield from (_band(field.key, band) for band in known or bands_of(field))
        return
    operator = _EQUALS.get(field.type, "equals")
    values = known or [c.value for c in field.choices or ()]
    yield from ((rule(field.key, operator, value),) for value in values)


_EQUALS = {FieldType.VOCABULARY: "vocab_text_equals"}


def _band(key: str, band: str) -> tuple[Rule, ...]:
    low, _, high = band.partition("..")
    first = (rule(key, "greater_or_equal", float(low)),) if low else ()
    return (*first, rule(key, "less_than", float(high))) if high else first


def bands_of(field: Field) -> list[str]:
    """List the bands of a number as facets tell them: ``100..200``."""
    steps = ["", *(f"{_amount(field, s)}" for s in field.steps), ""]
    return [f"{low}..{high}" for low, high in pairwise(steps)]


def _amount(field: Field, stored: float) -> Decimal:
    return (
        from_minor(int(stored), field.currency) if field.currency else Decimal(stored)
    )


def _facets(registry: Registry) -> list[str]:
    """Order the facets by the length of their lists."""
    return sorted(registry.facets, key=lambda k: -len(registry.fields[k].choices or ()))


def _widest(registry: Registry) -> list[str]:
    return [k for k in _facets(registry) if registry.fields[k].choices]


Span = tuple[int, int, Callable[[int, int], Rule]]


def spans(registry: Registry) -> Span | None:
    """Give what can be halved most finely: prices, else days, else any number."""
    numbers = [f for f in registry.filters.values() if f.type is FieldType.NUMBER]
    priced = next((f for f in numbers if f.currency), None)
    if priced is None:
        return days(registry) or (_hundredths(numbers[0]) if numbers else None)
    return _hundredths(priced)


def _hundredths(field: Field) -> Span:
    def between(low: int, high: int) -> Rule:
        return rule(field.key, "between", [low / 100, high / 100])

    return CHEAPEST, DEAREST, between


def days(registry: Registry) -> Span | None:
    """Give the days of the source's date as a span, where it has one."""
    kinds = (FieldType.DATE, FieldType.DATETIME)
    key = next((f.key for f in registry.filters.values() if f.type in kinds), None)
    if key is None:
        return None

    def between(low: int, high: int) -> Rule:
        ends = [(OLDEST + timedelta(days=d)).isoformat() for d in (low, high)]
        return rule(key, "between", ends)

    return 0, (NEWEST - OLDEST).days, between


def _halves(span: Span, fixed: Iterable[Rule]) -> Step:
    low, high, between = span
    question = Question((*fixed, between(low, high)))
    reply = yield question
    if reply.short:
        return
    large = reply.total.above(DRAINED) and low < high
    if not large and (yield from drained(question, reply)):
        return
    if low < high:
        middle = (low + high) // 2
        yield from _halves((middle + 1, high, between), fixed)
        yield from _halves((low, middle, between), fixed)

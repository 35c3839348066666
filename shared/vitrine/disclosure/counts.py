"""Numbers as a profile may know them: buckets, suppression, or the plain truth.

A capped profile never meets a number below k, nor one from which such a number
follows. The buckets' edges are fixed, so that asking twice averages nothing out, and
a difference of two buckets says little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from vitrine.disclosure.answer import Total
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Count

FEWER, ABOUT, EXACT, AT_LEAST = "fewer_than", "about", "exact", "at_least"
UNTOLD = Total(0, AT_LEAST)
"""What a number says that may not be told."""


def threshold(registry: Registry) -> int | None:
    """Give the k below which a profile learns no number, None where it learns all."""
    return None if registry.budget is None else registry.grant.k


@lru_cache(4_096)
def told(count: Count, k: int | None) -> Total:
    """Tell a number: as it is without k, else "fewer than k" or its bucket.

    Zero is one of "fewer than k": that there is none would be a number too.
    """
    if k is None:
        return Total(count.number, EXACT if count.exact else AT_LEAST)
    # Before the question whether it is exact: a lower bound below k says as much.
    if count.number < k:
        return Total(k, FEWER)
    return Total(bucket(count.number, k), ABOUT if count.exact else AT_LEAST)


def bucket(number: int, k: int) -> int:
    """Give the lower end of a number's bucket; each begins at k, 10, 20, 50, 100…."""
    below = k
    for edge in _edges():
        if edge > number:
            return below
        below = max(below, edge)
    raise AssertionError  # the edges have no end


def told_list(counts: Sequence[int], k: int | None) -> tuple[Total, ...]:
    """Tell the counts of one list, of which no single one may be the difference.

    Where exactly one is suppressed, the smallest other goes with it: total less the
    shown ones would bound the only hidden one.
    """
    totals = [told(Count(number), k) for number in counts]
    hidden = [n for n, total in enumerate(totals) if total.kind == FEWER]
    shown = [n for n, total in enumerate(totals) if total.kind != FEWER]
    if k is not None and len(hidden) == 1 and shown:
        totals[min(shown, key=lambda n: counts[n])] = Total(k, FEWER)
    return tuple(totals)


def merged(values: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Add up a value that an engine lists twice, and leave out what has none."""
    sums: dict[str, int] = {}
    for value, number in values:
        sums[value] = sums.get(value, 0) + number
    return {value: number for value, number in sums.items() if number > 0}


def _edges() -> Iterator[int]:
    ten = 10
    while True:
        yield from (ten, 2 * ten, 5 * ten)
        ten *= 10

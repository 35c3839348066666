"""How well rankings agree with judgments of which every one gains 1."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

SHOWN = 10
DEEP = 100


@dataclass(frozen=True, slots=True)
class Judged:
    """Means over the queries, four digits each."""

    ndcg10: float
    mean_precision: float
    recall100: float

    @classmethod
    def of(cls, pairs: Iterable[tuple[Collection[str], Sequence[str]]]) -> Judged:
        """Judge pairs of what is relevant and what was found, best first."""
        kept = [(set(relevant), found) for relevant, found in pairs if relevant]
        means = (
            round(fmean(measure(*pair) for pair in kept), 4)
            for measure in (ndcg, precision, recall)
        )
        return cls(*means)


def ndcg(relevant: Collection[str], found: Sequence[str], most: int = SHOWN) -> float:
    """Give the discounted gain of the first places over the best there could be."""
    gained = sum(_gain(n) for n, key in enumerate(found[:most]) if key in relevant)
    return gained / sum(_gain(n) for n in range(min(most, len(relevant))))


def _gain(place: int) -> float:
    return 1 / math.log2(place + 2)


def precision(
    relevant: Collection[str], found: Sequence[str], most: int = DEEP
) -> float:
    """Give the average precision over all that is relevant."""
    places = [n for n, key in enumerate(found[:most], 1) if key in relevant]
    return sum(hits / place for hits, place in enumerate(places, 1)) / len(relevant)


def recall(relevant: Collection[str], found: Sequence[str], most: int = DEEP) -> float:
    """Give the share of what is relevant that was found at all."""
    return len(set(found[:most]) & set(relevant)) / len(relevant)

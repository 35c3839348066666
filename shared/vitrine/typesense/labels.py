"""From a readable label to codes, by the closed list that the manifest has.

Exact with case and accents folded, then the nearest by trigrams, as on PostgreSQL
(``pg_trgm``: each word padded by two spaces before and one behind).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from vitrine.language.folding import fold
from vitrine.registry.fields import Choice, Field
from vitrine.search.engine import Found

SIMILAR = 0.45
NEAREST = 5
_RUNS = re.compile(r"[^\W_]+")


def resolved(field: Field, label: str, language: str) -> Found:
    """Find the codes that a label means, or the labels nearest to it."""
    choices = field.choices or ()
    wanted = fold(label)
    same = [c for c in choices if wanted in _spellings(c)]
    if same:
        return _found(same, language)
    ranked = sorted(((_closeness(c, wanted), c.value, c) for c in choices), key=_rank)
    best = ranked[0][0] if ranked else 0.0
    if best >= SIMILAR:
        return _found([c for score, _, c in ranked if score == best], language)
    near = (named(c, language) for _, _, c in ranked[:NEAREST])
    return Found(nearest=tuple(near))


def _rank(scored: tuple[float, str, Choice]) -> tuple[float, str]:
    return -scored[0], scored[1]


def _found(choices: Iterable[Choice], language: str) -> Found:
    choices = tuple(choices)
    labels = tuple(named(c, language) for c in choices)
    return Found(tuple(c.code for c in choices), labels)


def named(choice: Choice, language: str) -> str:
    """Give a choice's label in a language, else in English, else its value."""
    return choice.labels.get(language) or choice.labels.get("en") or choice.value


def _spellings(choice: Choice) -> set[str]:
    return {fold(choice.value), *(fold(label) for label in choice.labels.values())}


def _closeness(choice: Choice, wanted: str) -> float:
    return max(similarity(s, wanted) for s in _spellings(choice))


def similarity(one: str, other: str) -> float:
    """Give shared trigrams over all trigrams of two folded texts."""
    ours, theirs = _trigrams(one), _trigrams(other)
    together = ours | theirs
    return len(ours & theirs) / len(together) if together else 0.0


def _trigrams(text: str) -> set[str]:
    padded = (f"  {run} " for run in _RUNS.findall(text))
    return {p[i : i + 3] for p in padded for i in range(len(p) - 2)}

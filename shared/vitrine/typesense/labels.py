"""From a readable label to codes, by the closed list that the manifest has.

Exact with case and accents folded; then a label that holds the words asked, one that
stands whole in them, or the nearest by trigrams, scored as on PostgreSQL (``pg_trgm``:
each word padded by two spaces before and one behind).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vitrine.language.folding import fold
from vitrine.registry.fields import Choice, Field
from vitrine.registry.kept import Kept
from vitrine.search.engine import Found, Query, Wanted

SIMILAR = 0.45
INSIDE = 0.8
"""Likeness of the words asked to some words of a label, from which it holds them."""
TIE = 0.1
"""Labels this close to the best one are meant as well."""
NEAREST = 5
MOST = 20
LONGEST = 5
"""Most words of a label that is looked for in what was asked."""
_RUNS = re.compile(r"[^\W_]+")
Trigrams = frozenset[str]


class Labels:
    """Resolve labels by the closed lists; no server is asked."""

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Find what each label means, in the caller's language."""
        fields, language = query.registry.filters, query.caller.language
        return tuple(
            resolved(fields[w.field], w.label, language)
            if w.field in fields
            else Found()
            for w in wanted
        )


@dataclass(frozen=True, slots=True)
class _Index:
    """A closed list by its folded spellings, and those by their trigrams."""

    choices: tuple[Choice, ...]
    owners: Mapping[str, tuple[int, ...]]
    trigrams: Mapping[str, Trigrams]
    holding: Mapping[str, list[str]]


def _indexed(field: Field) -> _Index:
    choices = field.choices or ()
    owners: dict[str, tuple[int, ...]] = {}
    holding: dict[str, list[str]] = {}
    for number, choice in enumerate(choices):
        for said in {fold(t) for t in (choice.value, *choice.labels.values())}:
            owners[said] = (*owners.get(said, ()), number)
    trigrams = {said: _trigrams(said) for said in owners}
    for said, own in trigrams.items():
        for gram in own:
            holding.setdefault(gram, []).append(said)
    return _Index(choices, owners, trigrams, holding)


_indexes = Kept(_indexed, most=128)


def resolved(field: Field, label: str, language: str) -> Found:
    """Find the codes that a label means, or the labels nearest to it."""
    index, asked = _indexes.of(field), fold(label)
    if asked in index.owners:
        return _found([index.choices[n] for n in index.owners[asked]], language)
    ranked = _ranked(index, _scores(index, asked))
    best = ranked[0][0] if ranked else 0.0
    if best >= SIMILAR:
        least = max(SIMILAR, best - TIE)
        return _found([c for score, c in ranked[:MOST] if score >= least], language)
    # Where nothing is alike, some of the list still help.
    near = dict.fromkeys(named(c, language) for _, c in ranked[:NEAREST])
    near |= dict.fromkeys(named(c, language) for c in index.choices[:NEAREST])
    return Found(nearest=tuple(near)[:NEAREST])


def _scores(index: _Index, asked: str) -> dict[str, float]:
    """Score the spellings that share a trigram, or stand whole in what was asked."""
    wanted = _trigrams(asked)
    shared = Counter(said for gram in wanted for said in index.holding.get(gram, ()))
    scores = {
        said: _alike(index.trigrams[said], wanted, said, number)
        for said, number in shared.items()
    }
    for run in _phrases(asked):
        if run in index.owners:
            # The longer a label that stands in the question, the more of it is meant.
            whole = 0.5 + 0.5 * len(run) / len(asked)
            scores[run] = max(whole, scores.get(run, 0.0))
    return scores


def _alike(own: Trigrams, wanted: Trigrams, said: str, shared: int) -> float:
    alike = shared / (len(own) + len(wanted) - shared)
    if shared < INSIDE * len(wanted):
        return alike  # no run of its words is likelier than that
    inside = max(_jaccard(run, wanted) for run in _runs(said))
    return max(alike, inside) if inside >= INSIDE else alike


def _ranked(index: _Index, scores: Mapping[str, float]) -> list[tuple[float, Choice]]:
    best: dict[int, float] = {}
    for said, score in scores.items():
        for number in index.owners[said]:
            best[number] = max(score, best.get(number, 0.0))
    ranked = [(score, index.choices[number]) for number, score in best.items()]
    return sorted(ranked, key=lambda pair: (-pair[0], pair[1].value))


def _phrases(asked: str) -> Iterator[str]:
    words = asked.split(" ")
    for start in range(min(len(words), MOST)):
        for length in range(1, LONGEST + 1):
            yield " ".join(words[start : start + length])


def _found(choices: Iterable[Choice], language: str) -> Found:
    choices = tuple(choices)
    labels = tuple(named(c, language) for c in choices)
    return Found(tuple(c.code for c in choices), labels)


def named(choice: Choice, language: str) -> str:
    """Give a choice's label in a language, else in English, else its value."""
    return choice.labels.get(language) or choice.labels.get("en") or choice.value


def _runs(label: str) -> Iterator[Trigrams]:
    """Yield the trigrams of each run of words (as ``strict_word_similarity``)."""
    words = [_trigrams(word) for word in _RUNS.findall(label)]
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            yield frozenset().union(*words[start:end])


def similarity(one: str, other: str) -> float:
    """Give shared trigrams over all trigrams of two folded texts."""
    return _jaccard(_trigrams(one), _trigrams(other))


def _jaccard(ours: Trigrams, theirs: Trigrams) -> float:
    together = ours | theirs
    return len(ours & theirs) / len(together) if together else 0.0


def _trigrams(text: str) -> Trigrams:
    padded = (f"  {run} " for run in _RUNS.findall(text))
    return frozenset(p[i : i + 3] for p in padded for i in range(len(p) - 2))

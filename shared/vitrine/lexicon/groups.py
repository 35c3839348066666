"""Sources of several kinds of thing: which kind a value is about.

Where hotels and trains share a source, their fields are grouped and alike: each has an
area or a date. A word for the kind that stands near a value tells, or another field
that only one kind has; without either, the talk goes on about the last kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.language.folding import fold
from vitrine.language.words import words
from vitrine.lexicon.mentions import SURE
from vitrine.lexicon.senses import Senses, senses
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.tree.model import Group, leaves

FAR = 1_000
"""Further than any word of a message: a kind that it does not name."""


def parted(said: Sentence) -> bool:
    """Tell whether a source holds several kinds of thing."""
    return any(field.group for field in said.registry.filters.values())


def near(said: Sentence, find: Find, tree: Group) -> Iterator[str]:
    """Yield the keys of a find's fields whose kind the message speaks of nearest by."""
    groups = {field.group for field, _ in find.options if field.group}
    if not groups:
        return
    away = {group: _away(said, find, group) for group in groups}
    last = current(said, tree)
    ranked = sorted(groups, key=lambda g: (away[g], g != last, g))
    best = ranked[0]
    if away[best] < FAR or best == last:
        yield from (field.key for field, _ in find.options if field.group == best)


def nearest(said: Sentence, place: int, last: str) -> str:
    """Give the kind that is named nearest to a place, else the last spoken of."""
    kinds = {f.group for f in said.registry.filters.values() if f.group}
    places = ((abs(at - place), kind) for kind in kinds for at in named(said, kind))
    return min(places, default=(0, last))[1]


def _away(said: Sentence, find: Find, group: str) -> int:
    """Count the words between a value and the nearest word for a kind."""
    places = (
        min(abs(at - find.start), abs(at + 1 - find.end)) for at in named(said, group)
    )
    return min(places, default=FAR)


def also(said: Sentence, group: str) -> Senses:
    """Give the senses of a kind's other names: what is on tv is a series."""
    known: dict[str, list[str]] = words(said.lang, "kinds")
    return frozenset().union(*(senses(fold(w)) for w in known.get(group, ())))


def named(said: Sentence, group: str) -> Iterator[int]:
    """Yield the tokens that name a kind, or a field or value that it alone has."""
    meaning = senses(group) | also(said, group)
    for at, row in enumerate(said.rows):
        if any(segment.senses & meaning for segment in row):
            yield at
    for mention in said.names:
        kinds = {field.group for field in mention.fields}
        if mention.share >= SURE and kinds == {group}:
            yield mention.start
    for find in (f for f in said.finds if f.kind == "value" and f.options):
        if {field.group for field, _ in find.options} == {group}:
            yield find.start


def turned(said: Sentence, span: tuple[int, int], tree: Group) -> bool:
    """Tell whether a stretch names kinds, and not the one that was spoken of last."""
    last, stretch = current(said, tree), range(*span)
    known = {f.group for f in said.registry.filters.values() if f.group}
    told = {kind for kind in known if any(at in stretch for at in named(said, kind))}
    return bool(last and told) and last not in told


def current(said: Sentence, tree: Group) -> str:
    """Give the kind that was spoken of last, by the newest rule of the tree."""
    known = said.registry.filters
    rules = (known.get(rule.field) for _, rule in leaves(tree))
    kinds = [field.group for field in rules if field and field.group]
    return kinds[-1] if kinds else ""

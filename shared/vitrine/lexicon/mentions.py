"""Where a sentence names a field, in full or in part.

A full name is told word for word, its small words and signs included, so that "goals
for" and "goals against" are two; a part counts by how much of the name it is. A word
may be told by another of its family: "released" for release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vitrine.lexicon.index import Entry, Word, root
from vitrine.lexicon.marks import joining
from vitrine.lexicon.sentence import Mention, Sentence

LEAST = 0.3
"""Least share of a name that counts as naming the field."""
SURE = 0.95
"""Share from which a name was told in full."""
THINGS = 3
"""Fields that one word may name; what names more is the thing they all describe."""
SKIP = 2
"""Small words that may stand inside a name."""
KIN = 0.8
"""What a word counts that is only of the same family."""


def mentions(said: Sentence) -> list[Mention]:
    """Give the mentions of fields in token order, none overlapping another."""
    found: list[Mention] = []
    for one in sorted(_candidates(said), key=_strength):
        twin = next((m for m in found if _span(m) == _span(one)), None)
        if twin is None and not any(_crossed(m, one) for m in found):
            found.append(one)
        elif twin and (twin.weight, twin.share) == (one.weight, one.share):
            both = {f.key: f for f in twin.fields + one.fields}
            found[found.index(twin)] = replace(twin, fields=tuple(both.values()))
    columns = (m for m in found if len(m.fields) <= THINGS)
    return sorted(columns, key=lambda m: m.start)


def sure(said: Sentence, mention: Mention) -> bool:
    """Tell a name in full of several words, or one with figures or signs in it."""
    if mention.share < SURE:
        return False
    told = said.folded(mention.start, mention.end)
    return len(told) > 1 or not told[0].isalpha()


def _strength(mention: Mention) -> tuple[float, float, int, int]:
    size = mention.end - mention.start
    return -mention.weight, -mention.share, size, mention.start


def _span(mention: Mention) -> tuple[int, int]:
    return mention.start, mention.end


def _crossed(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _candidates(said: Sentence) -> Iterator[Mention]:
    for at in range(len(said.found)):
        for entry in said.index.named(said.rows[at][0].senses, _root(said, at)):
            if one := _mention(said, entry, at):
                yield one


@dataclass(slots=True)
class _Walk:
    """The words of a name that are still to be met, and what was met so far."""

    left: list[Word]
    end: int
    met: float = 0.0
    content: bool = False

    def take(self, word: Word, counted: float, at: int) -> None:
        """Meet a word at a token."""
        self.left.remove(word)
        self.met += counted
        self.content |= word.weight >= 1
        self.end = max(self.end, at + 1)


def _mention(said: Sentence, entry: Entry, start: int) -> Mention | None:
    """Walk over the words of a name that stand together, in any order."""
    walk, at = _Walk(list(entry.words), start), start
    while at < len(said.found) and at - walk.end <= SKIP:
        hit = _met(said, at, walk.left)
        if hit:
            walk.take(*hit, at)
        elif at == start or not _small(said, at):
            break
        at += 1
    if not walk.content or walk.met / entry.size < LEAST:
        return None
    head = _headed(said, start, walk)
    return Mention(head, walk.end, (entry.field,), walk.met, walk.met / entry.size)


def _headed(said: Sentence, start: int, walk: _Walk) -> int:
    """Take the small words of a name that stand before its first word."""
    while start and (word := _same(said, start - 1, walk.left)):
        start -= 1
        walk.take(word, word.weight, start)
    return start


def _same(said: Sentence, at: int, left: Sequence[Word]) -> Word | None:
    token = said.found[at].folded
    return next((w for w in left if w.folded == token), None)


def _met(said: Sentence, at: int, left: Sequence[Word]) -> tuple[Word, float] | None:
    same = _same(said, at, left)
    if same or said.glue(at):
        return (same, same.weight) if same else None
    heard, family = said.rows[at][0].senses, _root(said, at)
    for word in left:
        if word.weight >= 1 and word.senses & heard:
            return word, word.weight
        if word.weight >= 1 and family and family == word.root:
            return word, word.weight * KIN
    return None


def _root(said: Sentence, at: int) -> str:
    return "" if said.glue(at) else root(said.found[at].folded)


def _small(said: Sentence, at: int) -> bool:
    """Tell a word that may stand inside a name: an article, "of", a bracket."""
    return (
        said.glue(at) and not joining(said, at) and said.found[at].folded not in ",;?"
    )

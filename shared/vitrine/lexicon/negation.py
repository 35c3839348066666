"""What is denied: a negation reaches the next find, and the list that it heads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vitrine.language.phrases import Span, phrases
from vitrine.lexicon.marks import ends, joint, mark
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.tree.slots import key, keys

REACH = 5
"""Words that may stand between a negation and what it denies."""


def apply(said: Sentence) -> None:
    """Mark the finds that a negation reaches, and claim the negation's words."""
    for span in negators(said):
        reached = _reached(said, span.end)
        if reached is None:
            continue
        chain = {id(f) for f in _chain(said, reached)}
        said.finds = [
            replace(f, negated=not f.negated) if id(f) in chain else f
            for f in said.finds
        ]
        said.settle([Find(span.start, span.end, "cue")])


def negated(said: Sentence, at: int) -> int:
    """Give where a negation that starts at a token ends, 0 where none does."""
    span = _at(said, at)
    return span.end if span else 0


def negators(said: Sentence) -> Iterator[Span]:
    """Yield the negations that no find claims, in order."""
    at = 0
    while at < len(said.found):
        span = _at(said, at)
        if span and said.free(span.start, span.end):
            yield span
            at = span.end
        else:
            at += 1


def _at(said: Sentence, at: int) -> Span | None:
    span = phrases(said.lang, "negation").at(said.found, at, inflected=False)
    end = max((mark(said, at, path) for path in _OTHERS), default=0)
    longest = max(end, span.end if span else 0)
    return Span(at, longest, ("not",)) if longest else None


# "other than" before a value as before a number
_OTHERS = ("comparison/before/not_equals", "lexicon/nor", "lexicon/denial")


def _reached(said: Sentence, place: int) -> Find | None:
    """Find what a negation denies: the next find, over a few small words."""
    ahead = (f for f in said.finds if f.start >= place)
    after = next((f for f in ahead if f.kind not in {"cue", "label"}), None)
    if after is None or after.start - place > REACH or after.kind == "dropped":
        return None
    between = range(place, after.start)
    # right behind "not", "yet" is no conjunction
    if any(ends(said, at) or joint(said, at, "but") for at in between[1:]):
        return None
    loose = sum(not said.glue(at) for at in between)
    return after if loose <= 2 else None  # noqa: PLR2004 - "not yet tagged VIP"


def _chain(said: Sentence, head: Find) -> Iterator[Find]:
    """Yield a find and those joined to it by or, and, a comma, of the same field."""
    yield head
    rest = [f for f in said.finds if f.start >= head.end]
    last = head
    for find in rest:
        if (
            find.field is None
            or not _joined(said, last, find)
            or not _alike(head, find)
            or _turns(said, head, find)
        ):
            return
        yield find
        last = find


def _turns(said: Sentence, head: Find, find: Find) -> bool:
    """Tell the new value behind the one that stands: "not red, blue"."""
    known = {k for rule in said.standing for k in keys(rule)}
    listed = any(joint(said, at, "or") for at in range(head.end, find.start))
    return not listed and key(head.value) in known and key(find.value) not in known


def _alike(head: Find, find: Find) -> bool:
    return head.field is not None and find.offers(head.field.key)


def _joined(said: Sentence, left: Find, right: Find) -> bool:
    between = range(left.end, right.start)
    linked = any(
        said.found[at].folded == "," or joint(said, at, "or") or joint(said, at, "and")
        for at in between
    )
    return linked and said.bridged(left.end, right.start)

"""What a question asks for: the columns that it wants to see, which are no filters.

"What is the college of the player from Duke?" asks for the college. The column stands
behind the question's word, over words that count or single out (average, number of,
lowest), and goes on over "and" and commas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from vitrine.lexicon.marks import ends, joint, mark
from vitrine.lexicon.sentence import Mention, Sentence

REACH = 3
"""Words of a subject that may stand between the question's word and its column."""


def asked(said: Sentence, found: Sequence[Mention]) -> list[Mention]:
    """Mark the mentions that a question asks for."""
    starts = {m.start: m for m in found}
    wanted = {m.start for _, at in openings(said) for m in _heads(said, starts, at)}
    return [replace(m, asked=True) if m.start in wanted else m for m in found]


def questions(said: Sentence) -> bool:
    """Tell whether a sentence asks for a column, or for who, where or when."""
    if any(mention.asked for mention in said.names):
        return True
    return any(mark(said, at, "questions/column") for at, _ in openings(said))


def openings(said: Sentence) -> Iterator[tuple[int, int]]:
    """Yield the words that open a question or an order, first token and end."""
    at = 0
    while at < len(said.found):
        end = _opened(said, at)
        if end:
            yield at, end
        at = end or at + 1


def _opened(said: Sentence, at: int) -> int:
    """Give where a question's word or an order ends; most stand only at a start."""
    begins = at == 0 or ends(said, at - 1)
    order = mark(said, at, "questions/orders") if begins else 0
    end = mark(said, at, "questions/column")
    adverb = mark(said, at, "questions/adverbs")
    if end and adverb == end and not (begins and _verbal(said, end)):
        end = 0  # "where the party is labour" opens no question
    return max(order, end)


def _verbal(said: Sentence, at: int) -> bool:
    return at < len(said.found) and bool(mark(said, at, "questions/stops"))


def _heads(
    said: Sentence, starts: Mapping[int, Mention], opening: int
) -> Iterator[Mention]:
    """Yield the mentions that are asked for from a place on."""
    at = _first(said, starts, opening)
    while at is not None and at in starts:
        yield starts[at]
        at = _joined(said, starts[at].end)


def _first(said: Sentence, starts: Mapping[int, Mention], opening: int) -> int | None:
    """Find the column: at once, or as the last word of a short subject."""
    strange = 0
    for at in range(opening, len(said.found)):
        if at in starts:
            return at
        if counts(said, at):
            continue
        if closing(said, at) or said.found[at].folded in ",;?" or strange == REACH:
            return None
        strange += not said.glue(at)
    return None


def counts(said: Sentence, at: int) -> bool:
    """Tell a word that counts or singles out, or what links it to its column."""
    if mark(said, at, "questions/aggregates"):
        return True
    before = at and mark(said, at - 1, "questions/aggregates")
    return bool(before and mark(said, at, "questions/counted"))


def _joined(said: Sentence, at: int) -> int | None:
    """Step over what joins a second column: "and", a comma, "and the"."""
    end = at
    while end < len(said.found) and _joins(said, end):
        end += 1
    if end == at:
        return None
    while end < len(said.found) and _leads(said, end):
        end += 1
    return end


def _joins(said: Sentence, at: int) -> bool:
    return joint(said, at, "and") or said.found[at].folded == ","


def _leads(said: Sentence, at: int) -> bool:
    return bool(mark(said, at, "lexicon/determiner")) or counts(said, at)


def closing(said: Sentence, at: int) -> bool:
    """Tell whether a small word ends a phrase: has, when, where, with."""
    return bool(mark(said, at, "questions/closers"))

"""Talk beside a request: errands, comments, guesses, and what is left for later.

"I'm going on business" tells why, "it seems the wind is not strong" repeats, "it's dear
in a 5-star hotel, right?" guesses. All may hold words that are values elsewhere, and
none asks for a thing.
"""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.lexicon.context import opening, spans
from vitrine.lexicon.marks import joint, mark, own
from vitrine.lexicon.sentence import Find, Sentence


def errands(said: Sentence) -> Iterator[Find]:
    """Yield what tells why a person travels; a value in as many words counts more."""
    for at in range(len(said.found)):
        if end := own(said, at, "errand"):
            yield Find(at, end, "dropped")


def comments(said: Sentence) -> None:
    """Drop what only comments on what was shown, up to the next phrase."""
    if said.wanted:
        return  # "I guess a cheap one" answers "which price?"
    for start, end in spans(said):
        stop = _comment(said, start, end)
        if stop:
            said.finds = [f for f in said.finds if not start <= f.start < stop]
            said.settle([Find(start, stop, "dropped", rank=9)])


def _comment(said: Sentence, start: int, end: int) -> int:
    """Give where a comment ends, told by how it opens or by its "right?", or 0."""
    if any(mark(said, at, "questions/tags") == end for at in range(start + 1, end)):
        return end
    opened = mark(said, opening(said, start), "questions/comments")
    if not opened or said.found[end - 1].folded == "?":
        return 0
    return next((at for at in range(opened, end) if _turns(said, at)), end)


def _turns(said: Sentence, at: int) -> bool:
    """Tell where another phrase begins: "that sounds nice, I'd like the red one"."""
    return said.found[at].folded in {",", ";", ":"} or joint(said, at, "but")

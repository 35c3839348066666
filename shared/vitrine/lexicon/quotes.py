"""What stands between quotation marks, of whichever kind.

An apostrophe is also a mark: one opens after a space and closes before one, so that
"players' names" and "l'été" hold none. A mark that nothing closes quotes to the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.lexicon.sentence import Find, Sentence

DOUBLE, SINGLE = '"', "'"


def propose(said: Sentence) -> Iterator[Find]:
    """Yield the quotes, with what is quoted."""
    at = 0
    while at < len(said.found):
        inside = _opened(said, at)
        close = _closed(said, at, inside) if inside else None
        if inside and close:
            yield from _quote(said, (at, inside), close)
        at = close[1] if close else at + 1


def _opened(said: Sentence, at: int) -> int:
    """Give where the quoted words start, 0 where no mark opens."""
    sign = said.found[at].folded
    if sign == DOUBLE:
        return at + 1
    if sign != SINGLE or not _apart(said, at):
        return 0
    following = at + 1 < len(said.found) and said.found[at + 1].folded == SINGLE
    return at + 2 if following else at + 1


def _apart(said: Sentence, at: int) -> bool:
    """Tell whether a space, a bracket or nothing stands before a mark."""
    place = said.found[at].start
    return place == 0 or said.text[place - 1] in " \t\n("


def _closed(said: Sentence, start: int, inside: int) -> tuple[int, int] | None:
    """Find the mark that closes a quote: its first token and its end."""
    sign, size = said.found[start].folded, inside - start
    for at in range(inside, len(said.found) - size + 1):
        marks = said.folded(at, at + size)
        if marks == [sign] * size and (
            sign == DOUBLE or _before_space(said, at + size)
        ):
            return at, at + size
    last = len(said.found)
    return (last, last) if sign == DOUBLE else None


def _before_space(said: Sentence, end: int) -> bool:
    place = said.found[end - 1].end
    return place >= len(said.text) or not said.text[place].isalnum()


def _quote(
    said: Sentence, opened: tuple[int, int], close: tuple[int, int]
) -> Iterator[Find]:
    start, inside = opened
    until = said.found[close[0]].start if close[0] < len(said.found) else len(said.text)
    inner = said.text[said.found[inside - 1].end : until].strip()
    if close[0] == len(said.found):
        inner = inner.rstrip(" ?.!")
    if inner:
        yield Find(start, close[1], "quote", what=inner, rank=9)

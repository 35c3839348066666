"""How far the words of a value reach, forward and backward from where they start."""

from __future__ import annotations

from vitrine.lexicon.asked import closing
from vitrine.lexicon.marks import ends, joint, mark
from vitrine.lexicon.measures import Measure
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.tree.model import Rule

Span = tuple[int, int]
_KEPT = frozenset(")%+#*")
_EDGES = ("questions/orders", "questions/aggregates")


def forward(said: Sentence, start: int) -> Span | None:
    """Take the words from a place on, up to what opens another phrase."""
    start = _determined(said, start)
    if start >= len(said.found):
        return None
    whole = _whole(said, start)
    end = whole or start
    while not whole and end < len(said.found) and not _parts(said, end, start):
        end = _past(said, end)
    while not whole and end > start and _loose(said, end - 1, start):
        end -= 1
    return (start, end) if end > start else None


def _determined(said: Sentence, at: int) -> int:
    """Step over an article, unless nothing follows it: "the" may be a value."""
    if at >= len(said.found):
        return at
    end = mark(said, at, "questions/articles")
    return end if end and end < len(said.found) and not _stops(said, end) else at


def _whole(said: Sentence, start: int) -> int:
    """Give where a quote ends, or a known value that stands before a small word."""
    taken = said.taken(start)
    if taken is None or taken.start != start:
        return 0
    known = taken.kind == "value" and taken.what is None
    if taken.kind == "quote":
        return taken.end
    after = taken.end
    small = after < len(said.found) and said.glue(after) and not ends(said, after)
    return after if known and small and not _named(said, taken) else 0


def _named(said: Sentence, find: Find) -> bool:
    """Tell whether a field is named inside a find."""
    return any(m.start < find.end and find.start < m.end for m in said.names)


def _past(said: Sentence, at: int) -> int:
    """Step over a token, or over the whole date or amount that starts there."""
    taken = said.taken(at)
    if taken and isinstance(taken.what, Measure) and taken.start == at:
        return taken.end
    return at + 1


def _loose(said: Sentence, at: int, start: int) -> bool:
    """Tell a small word or sign that closes no value; what touches a word stays."""
    token = said.found[at]
    if (
        at > start
        and said.found[at - 1].end == token.start
        and token.folded not in ",.?;:!"
    ):
        return False
    return said.glue(at) and token.folded not in _KEPT and at > start


def _stops(said: Sentence, at: int) -> bool:
    return bool(mark(said, at, "questions/stops"))


def _parts(said: Sentence, at: int, start: int) -> bool:
    """Tell whether a token parts a value from what follows."""
    sign = said.found[at].folded
    if sign == "?" or (sign == "." and at + 1 == len(said.found)):
        return True
    if _stops(said, at):
        return at > start
    if at > start and joint(said, at, "or"):
        return _listed(said, at + 1)
    opener = sign in {",", ";"} or joint(said, at, "and") or closing(said, at)
    return at > start and opener and opens(said, at + 1)


def _listed(said: Sentence, at: int) -> bool:
    """Tell whether another value of a list stands at a place, or another phrase."""
    at = mark(said, at, "questions/articles") or at
    if at >= len(said.found) or opens(said, at):
        return True
    taken = said.taken(at)
    quoted = taken is not None and taken.kind == "quote"
    return quoted or said.found[at].text[:1].isupper()


def opens(said: Sentence, at: int) -> bool:
    """Tell whether another phrase starts: a name, an amount, a verb, a question."""
    while at < len(said.found):
        if any(m.start == at for m in said.names) or _stops(said, at):
            return True
        taken = said.taken(at)
        if taken and isinstance(taken.what, Rule):
            return True
        if taken and isinstance(taken.what, Measure) and not taken.what.bare:
            return True
        if not (said.glue(at) or joint(said, at, "and")):
            return False
        at += 1
    return True


def backward(said: Sentence, end: int) -> Span | None:
    """Take the words before a place, back to what closes another phrase."""
    start = end
    while start and not _bounds(said, start - 1):
        start -= 1
    while start < end and said.glue(start) and not said.found[start].text[:1].isupper():
        start += 1
    return (start, end) if start < end else None


def _bounds(said: Sentence, at: int) -> bool:
    """Tell whether a phrase ends at a token, reading backwards."""
    if any(m.start <= at < m.end for m in said.names):
        return True
    taken = said.taken(at)
    if taken and isinstance(taken.what, Rule):
        return True
    if taken and isinstance(taken.what, Measure):
        return not taken.what.bare
    small = ends(said, at) or joint(said, at, "and") or closing(said, at)
    return small or any(mark(said, at, path) for path in _EDGES)


def trimmed(said: Sentence, span: Span) -> Span:
    """Leave off a verb that ends a question: "did Jane Doe perform"."""
    start, end = span
    helped = any(mark(said, at, "questions/helpers") for at in range(start))
    closed = end >= len(said.found) or ends(said, end) or said.glue(end)
    small = said.found[end - 1].text[:1].islower()
    if helped and closed and small and end - start > 1:
        return start, end - 1
    return span

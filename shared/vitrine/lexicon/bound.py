"""Words beside the names of fields: what stands next to a name is its value.

"Home team of Geelong", "silver is Max Weber", "Boston as the road team": a link behind
a name leads to its value; without one the words before a name that closes its phrase
are; then what follows at once. The words of a value run on to what opens another
phrase, so that a value may hold commas, small words and even another field's name.
"""

from __future__ import annotations

from collections.abc import Iterator

from vitrine.language.folding import fold
from vitrine.lexicon import extents
from vitrine.lexicon.asked import closing
from vitrine.lexicon.beside import claim
from vitrine.lexicon.fitness import cued, evidence, kinds
from vitrine.lexicon.marks import akin, ends, joint, mark, own
from vitrine.lexicon.measures import Measure
from vitrine.lexicon.mentions import SURE
from vitrine.lexicon.negation import negated as negators_at
from vitrine.lexicon.sentence import Mention, Sentence
from vitrine.lexicon.stretches import led
from vitrine.lexicon.texts import OPEN, worded
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType

Span = tuple[int, int]
HALF = 0.5
"""Share of a name that must be told before words that only touch it are its value."""


def bind(said: Sentence, served: set[int]) -> None:
    """Give the names that are not asked for, nor served, the words beside them."""
    for mention in said.names:
        if mention.asked or mention.start in served or not _untouched(said, mention):
            continue
        fields = [f for f in mention.fields if opened(f)]
        if not fields or _vague(said, mention, fields[0]) or _verbal(said, mention):
            continue
        span = _beside(said, mention)
        if span is None:
            continue
        field = _fittest(said, span, fields)
        if not _covered(said, span, field):
            _give(said, mention, span, field)


def _fittest(said: Sentence, span: Span, fields: list[Field]) -> Field:
    """Choose among fields that one name could mean by what the words look like."""
    if len(fields) == 1:
        return fields[0]
    told = led(said, *span)
    return max(fields, key=lambda f: evidence(said, told, f))


def _give(said: Sentence, mention: Mention, span: Span, field: Field) -> None:
    """Give a field its words, those that an "or" adds, and what denies them."""
    denied = negators_at(said, span[0])
    first = extents.forward(said, denied) if denied else span
    if first is None:
        return
    whole = min(span[0], mention.start), max(first[1], mention.end)
    more = list(_others(said, first[1], mention))
    claim(said, worded(said, first, whole, field, negated=bool(denied)))
    for other in more:
        claim(said, worded(said, other, other, field, negated=bool(denied)))


def _others(said: Sentence, end: int, mention: Mention) -> Iterator[Span]:
    """Yield the further values of a list: "Jones or Brown", "or the state of Ohio"."""
    while end < len(said.found) and joint(said, end, "or"):
        start = _renamed(said, end + 1, mention)
        span = extents.forward(said, start) if start < len(said.found) else None
        if span is None or not _telling(said, span[0]):
            return
        yield span
        end = span[1]


def _renamed(said: Sentence, at: int, mention: Mention) -> int:
    """Step over the same name said again, with its link."""
    start = mark(said, at, "lexicon/determiner") or at
    again = next((m for m in said.names if m.start == start), None)
    if again is None or again.fields[0].key != mention.fields[0].key:
        return at
    return mark(said, again.end, "questions/links") or again.end


def _vague(said: Sentence, mention: Mention, field: Field) -> bool:
    """Tell a word for anything at all, which is no more than a keyword of a field."""
    words = range(mention.start, mention.end)
    named = fold(field.named(said.lang)) == " ".join(said.folded(*_span(mention)))
    return not named and all(akin(said, at, "generic") for at in words)


def _span(mention: Mention) -> Span:
    return mention.start, mention.end


def _verbal(said: Sentence, mention: Mention) -> bool:
    """Tell a name whose verb says how to compare: "contains", "starts with"."""
    places = range(mention.end, min(mention.end + 2, len(said.found)))
    return any(
        own(said, at, verb) for at in places for verb in ("contains", "starts_with")
    )


def _covered(said: Sentence, span: Span, field: Field) -> bool:
    """Tell whether known values of the field, as a list, are all that was said."""
    known = [f for f in said.finds if f.kind == "value" and f.what is None]
    inside = [f for f in known if span[0] <= f.start and f.end <= span[1]]
    if not inside or not all(f.offers(field.key) for f in inside):
        return False
    return all(
        said.glue(at) or any(f.start <= at < f.end for f in inside)
        for at in range(*span)
    )


def opened(field: Field) -> bool:
    """Tell whether a field may hold words that no list has."""
    return field.type in OPEN and not field.choices


def _untouched(said: Sentence, mention: Mention) -> bool:
    """Tell whether no value or earlier binding covers a name."""
    return all(
        f.end <= mention.start
        or mention.end <= f.start
        or f.kind in {"label", "flag"}
        or (f.what is None and (f.start, f.end) == (mention.start, mention.end))
        for f in said.finds
    )


def _beside(said: Sentence, mention: Mention) -> Span | None:
    if not said.tabular:
        return _plain(said, mention)
    return (
        _linked(said, mention, "questions/links")
        or _before(said, mention)
        or _touching(said, mention)
        or _weakly(said, mention)
    )


def _weakly(said: Sentence, mention: Mention) -> Span | None:
    """Take "date on 11 July" where the small word leads to what the field holds."""
    cue = said.found[mention.end].folded if mention.end < len(said.found) else ""
    if not any(kinds(said, f) & cued(said, cue) for f in mention.fields):
        return None
    return _linked(said, mention, "questions/weak_links")


def _plain(said: Sentence, mention: Mention) -> Span | None:
    """Take only what looks like a value behind a name in full: words are searched."""
    if mention.share < SURE:
        return None
    span = _linked(said, mention, "questions/links") or _touching(said, mention)
    if span is None or not _telling(said, span[0]):
        return _headed(said, mention)
    taken = said.taken(span[0])
    counting = taken and any(m.start == taken.end and _counts(m) for m in said.names)
    if taken and isinstance(taken.what, Measure) and (counting or not taken.what.bare):
        return None  # "10 events" and "10 or more" are no names
    known = taken and taken.kind == "value" and taken.start == span[0]
    if taken and known and any(taken.offers(f.key) for f in mention.fields):
        return taken.start, taken.end  # "size S, red, men" goes on with other things
    return span


def _counts(mention: Mention) -> bool:
    return any(field.type is FieldType.NUMBER for field in mention.fields)


def _headed(said: Sentence, mention: Mention) -> Span | None:
    """Find the big words before a name that "as" leads to: "Dupont as last name"."""
    end = _back(said, mention.start, "lexicon/as_name")
    start = end
    while start and said.free(start - 1, start) and _telling(said, start - 1):
        start -= 1
    return (start, end) if start < end < mention.start else None


def _linked(said: Sentence, mention: Mention, path: str) -> Span | None:
    """Find the words behind a name, over what links them."""
    at = mention.end
    while at < len(said.found) and (end := mark(said, at, path)):
        at = end
    return extents.forward(said, at) if at > mention.end else None


def _touching(said: Sentence, mention: Mention) -> Span | None:
    """Find a value that follows a name at once: a big word, a figure, or any word."""
    at = mention.end
    if at >= len(said.found) or (said.glue(at) and not _quoted(said, at)):
        return None
    if mention.share < (HALF if _telling(said, at) else SURE):
        return None
    if mark(said, at, "questions/stops"):
        return None
    span = extents.forward(said, at)
    return extents.trimmed(said, span) if span else None


def _telling(said: Sentence, at: int) -> bool:
    """Tell what looks like a value: a big word, a figure, a quote."""
    text = said.found[at].text
    return text[:1].isupper() or text[:1].isdigit() or _quoted(said, at)


def _quoted(said: Sentence, at: int) -> bool:
    taken = said.taken(at)
    return taken is not None and taken.kind == "quote"


def _before(said: Sentence, mention: Mention) -> Span | None:
    """Find the words before a name that closes its phrase."""
    at = mention.end
    closed = at >= len(said.found) or ends(said, at) or joint(said, at, "and")
    if not closed and not closing(said, at):
        return None
    end = _back(said, mention.start)
    span = extents.backward(said, end)
    return extents.trimmed(said, span) if span and end < mention.start else span


def _back(said: Sentence, at: int, path: str = "questions/backlinks") -> int:
    """Step back over a determiner and what links a value with the name behind it."""
    for start in range(max(0, at - 3), at):
        if mark(said, start, path) == at:
            return start
    return at

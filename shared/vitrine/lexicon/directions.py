"""Which of two ends a value is: "from Lyon to Lille" names an origin and a goal.

The samples of open fields are chance: a city that was only seen as a destination may
be left from as well. A word of direction before it counts more than where it was seen.
"""

from __future__ import annotations

from vitrine.lexicon.bound import opened
from vitrine.lexicon.fitness import kinds, led
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field

ENDS = frozenset({"origin", "goal"})


def turned(said: Sentence, find: Find) -> Find:
    """Offer a value to the field of the other end, where its words lead there."""
    ways = led(said, find.start) & ENDS
    fields = [field for field, _ in find.options]
    if not ways or not fields or any(kinds(said, f) & ways for f in fields):
        return find
    one = next((f for f in fields if kinds(said, f) & ENDS and opened(f)), None)
    other = _other(said, one, ways) if one else None
    if other is None:
        return find
    return find.offered(other)


def _other(said: Sentence, one: Field, ways: set[str]) -> Field | None:
    """Find the field that is named like another but for its direction."""
    known = said.registry.filters.values()
    ends = [f for f in known if opened(f) and kinds(said, f) & ways]
    return max(
        ends, key=lambda f: len(_words(said, f) & _words(said, one)), default=None
    )


def _words(said: Sentence, field: Field) -> set[str]:
    names = said.index.names.get(field.key, ())
    return {word.folded for entry in names for word in entry.words}

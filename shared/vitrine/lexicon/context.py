"""What the assistant asked just before, and what a message asks back.

"Which size?" – "38": a bare value answers the field that was asked for. A question
about what was shown ("is it cheap?", "what's their number?") asks for a fact and
filters nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from vitrine.language.folding import tokens
from vitrine.lexicon import groups
from vitrine.lexicon.fitness import kinds, led
from vitrine.lexicon.marks import mark, own
from vitrine.lexicon.mentions import mentions
from vitrine.lexicon.sentence import Find, Sentence, sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Group

_QUESTION = re.compile(r"[^.!?]*\?")
_SIGNS = frozenset({".", "?", "!"})
_TYPES = {
    "day": frozenset({FieldType.DATE, FieldType.DATETIME}),
    "clock": frozenset({FieldType.TIME}),
    "number": frozenset({FieldType.NUMBER}),
}


def wanted(asked: str, said: Sentence) -> tuple[str, ...]:
    """Name the fields that the questions of an assistant's message ask for."""
    keys: dict[str, None] = {}
    for question in _QUESTION.findall(asked):
        heard = sentence(question, said.registry, said.lang)
        named = [f for m in mentions(heard) for f in m.fields]
        told = [f for kind in _asked(heard) for f in _told(heard, kind, named)]
        keys |= dict.fromkeys(f.key for f in _directed(heard, [*named, *told]))
    return tuple(keys)


def stated(asked: str) -> frozenset[str]:
    """Give the words of an assistant's message that are in none of its questions."""
    return frozenset(token.folded for token in tokens(_QUESTION.sub(" ", asked)))


def _asked(heard: Sentence) -> Iterator[str]:
    """Yield what a question's words ask for: where, when, how many."""
    for kind in ("place", "day", "clock", "number"):
        path = f"questions/asks/{kind}"
        if any(mark(heard, at, path) for at in range(len(heard.found))):
            yield kind


def _told(heard: Sentence, kind: str, named: Sequence[Field]) -> list[Field]:
    """List the fields of a kind, unless the question names one: "how many beds"."""
    if any(_is(heard, field, kind) for field in named):
        return []
    return [f for f in heard.registry.filters.values() if _is(heard, f, kind)]


def _directed(heard: Sentence, fields: list[Field]) -> list[Field]:
    """Keep the fields of the directions that a question speaks of, if there are any."""
    ways = {way for at in range(len(heard.found) + 1) for way in led(heard, at)}
    kept = [f for f in fields if kinds(heard, f) & ways]
    return kept or fields


def _is(heard: Sentence, field: Field, kind: str) -> bool:
    if kind in _TYPES:
        return field.type in _TYPES[kind]
    return kind in kinds(heard, field)


def requests(said: Sentence, tree: Group) -> Iterator[Find]:
    """Yield the sentences of a message that ask for a fact about what was shown.

    "How about the weather in Oslo?" behind talk of trains asks for another kind.
    """
    for start, end in spans(said):
        if _requests(said, start, end) and not groups.turned(said, (start, end), tree):
            places = range(start, end)
            having = any(mark(said, at, "questions/having") for at in places)
            yield Find(start, end, "dropped", what=having, rank=9)


def spans(said: Sentence) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of a message starts and ends, its sign included."""
    start = 0
    for at, token in enumerate(said.found):
        if token.folded in _SIGNS or at + 1 == len(said.found):
            yield start, at + 1
            start = at + 1


def answer(said: Sentence, requests: Iterable[Find]) -> None:
    """Keep of "does it have large rooms?" the value alone: such rooms are wanted."""
    for one in (r for r in requests if r.what):
        inside = [f for f in said.finds if one.start <= f.start < one.end]
        kept = [f for f in inside if f.kind == "value" and f.what is None]
        said.finds = [f for f in said.finds if f in kept or f not in inside]
        left = (at for at in range(one.start, one.end) if said.taken(at) is None)
        said.settle([Find(at, at + 1, "dropped") for at in left])


def remark(said: Sentence, *, asked: bool) -> None:
    """Drop what only repeats the assistant, in a message that asks for a fact.

    "I love hot pot. What is its number?" speaks of what was just offered.
    """
    for start, end in spans(said) if asked else ():
        inside = [f for f in said.finds if start <= f.start < end]
        values = [f for f in inside if f.kind == "value"]
        if values and all(_repeated(said, f) for f in values):
            said.finds = [f for f in said.finds if f not in inside]
            said.settle([Find(start, end, "dropped", rank=9)])


def _repeated(said: Sentence, find: Find) -> bool:
    return set(said.folded(find.start, find.end)) <= said.told


def doubt(said: Sentence) -> None:
    """Drop a yes-or-no question about no more than a property: "is there wifi?"."""
    for start, end in spans(said):
        inside = [f for f in said.finds if start <= f.start < end and f.kind != "cue"]
        flags = bool(inside) and all(_mere(said, f) for f in inside)
        opened = opening(said, start)
        asks = said.found[end - 1].folded == "?" and opened < end
        if flags and asks and mark(said, opened, "questions/whether"):
            said.finds = [f for f in said.finds if not start <= f.start < end]
            said.settle([Find(start, end, "dropped", rank=9)])


def _mere(said: Sentence, find: Find) -> bool:
    """Tell a property that nothing ties to a thing, as in "hotels with parking"."""
    led = find.start > 0 and own(said, find.start - 1, "with_person")
    return find.kind in {"flag", "label"} and not led


def opening(said: Sentence, start: int) -> int:
    """Step over what opens a sentence and says nothing: "ok", "by the way"."""
    while start < len(said.found) and (end := mark(said, start, "questions/fillers")):
        start = end
    return start


def _requests(said: Sentence, start: int, end: int) -> bool:
    """Tell a request: it speaks of "it" or "their", or opens as one."""
    opened, question = opening(said, start), said.found[end - 1].folded == "?"
    if opened < end and mark(said, opened, "questions/of_shown"):
        return question or opened == 0 or start == 0
    places = range(opened, end)
    return question and any(mark(said, at, "questions/of_its") for at in places)

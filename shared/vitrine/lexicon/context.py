"""What the assistant asked just before, and what a message asks back.

"Which size?" – "38": a bare value answers the field that was asked for. A question
about what was shown ("is it cheap?", "what's their number?") asks for a fact and
filters nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from vitrine.lexicon.fitness import kinds, led
from vitrine.lexicon.marks import mark
from vitrine.lexicon.mentions import mentions
from vitrine.lexicon.sentence import Find, Sentence, sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType

_QUESTION = re.compile(r"[^.!?]*\?")
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


def requests(said: Sentence) -> Iterator[Find]:
    """Yield the sentences of a message that ask for a fact about what was shown."""
    start = 0
    for at, token in enumerate(said.found):
        last = at + 1 == len(said.found)
        if token.folded not in {".", "?", "!"} and not last:
            continue
        if _requests(said, start, question=token.folded == "?"):
            having = any(mark(said, i, "questions/having") for i in range(start, at))
            yield Find(start, at + 1, "dropped", what=having, rank=9)
        start = at + 1


def answer(said: Sentence, requests: Iterable[Find]) -> None:
    """Keep of "does it have large rooms?" the value alone: such rooms are wanted."""
    for one in (r for r in requests if r.what):
        inside = [f for f in said.finds if one.start <= f.start < one.end]
        kept = [f for f in inside if f.kind == "value" and f.what is None]
        said.finds = [f for f in said.finds if f in kept or f not in inside]
        left = (at for at in range(one.start, one.end) if said.taken(at) is None)
        said.settle([Find(at, at + 1, "dropped") for at in left])


def _requests(said: Sentence, start: int, *, question: bool) -> bool:
    """Tell a request: it speaks of "it" or "their", or opens as one."""
    while start < len(said.found) and mark(said, start, "questions/fillers"):
        start = mark(said, start, "questions/fillers")
    if start >= len(said.found):
        return False
    return bool(mark(said, start, "questions/of_shown")) and (question or start == 0)

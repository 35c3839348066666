"""One message being read: its tokens, and who claimed which.

A pass proposes finds; ``settle`` keeps the longest of those that overlap. What no
find claims is glue (stop words, conjunctions, signs) or text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from vitrine.language.folding import Token, fold, tokens
from vitrine.language.phrases import is_stop
from vitrine.language.words import language as known
from vitrine.language.words import languages, words
from vitrine.lexicon.index import Index, index_of
from vitrine.lexicon.senses import Segment, segments
from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.tree.model import Rule

Kind = Literal[
    "value", "label", "flag", "amount", "period", "quote", "person", "cue", "dropped"
]
LONGEST = 400
"""Tokens read of a message; 2,000 characters hold fewer."""


@dataclass(frozen=True, slots=True)
class Find:
    """Tokens ``start`` up to ``end`` and what they are taken for.

    ``options`` are the fields that could hold it, best first, each with the value as
    that field stores it. ``what`` is the pass's own: a period's name, a comparison.
    ``also`` are values of which the words are a side: "Tanks" and "Bras & Tanks".
    """

    start: int
    end: int
    kind: Kind
    options: tuple[tuple[Field, Any], ...] = ()
    what: Any = None
    rank: int = 0
    negated: bool = False
    also: tuple[tuple[Field, Any], ...] = ()

    @property
    def field(self) -> Field | None:
        """Give the best field."""
        return self.options[0][0] if self.options else None

    @property
    def value(self) -> Any:
        """Give the value as the best field stores it."""
        return self.options[0][1] if self.options else None

    def of(self, key: str) -> Find:
        """Give the same find with one field's option first, where it has one."""
        chosen = tuple(o for o in self.options if o[0].key == key)
        rest = tuple(o for o in self.options if o[0].key != key)
        return replace(self, options=(*chosen, *rest))

    def offered(self, field: Field) -> Find:
        """Give the same find with a further field first, which takes its value."""
        return replace(self, options=((field, self.value), *self.options))

    @property
    def values(self) -> tuple[Any, ...]:
        """Give the value with those that name it as one of their sides."""
        best = self.field
        return (self.value, *(v for f, v in self.also if best and f.key == best.key))

    def offers(self, key: str) -> bool:
        """Tell whether a field could hold it."""
        return any(option[0].key == key for option in self.options)


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens ``start`` up to ``end`` that name ``fields``, best first.

    ``weight`` is how much was said, ``share`` how much of the name that is; what is
    ``asked`` is a column that a question wants to see.
    """

    start: int
    end: int
    fields: tuple[Field, ...]
    weight: float
    share: float
    asked: bool = False

    def names(self, key: str) -> bool:
        """Tell whether it names a field."""
        return any(field.key == key for field in self.fields)


@dataclass(slots=True)
class Sentence:
    """A message's tokens with the finds so far, in token order.

    ``names`` are the mentions of fields. ``tabular`` tells a question about a table:
    it asks for a column, outside of a conversation, and no text can be searched.
    ``wanted`` are the keys of the fields that the assistant has just asked for, and
    ``told`` the words of what it stated. ``standing`` are the tree's leaves; where the
    message corrects one (``replacing``), ``swapped`` are the fields of its old number.
    """

    text: str
    lang: str
    registry: Registry
    found: tuple[Token, ...]
    rows: list[list[Segment]]
    finds: list[Find] = field(default_factory=list)
    names: tuple[Mention, ...] = ()
    tabular: bool = False
    wanted: tuple[str, ...] = ()
    told: frozenset[str] = frozenset()
    standing: tuple[Rule, ...] = ()
    replacing: bool = False
    swapped: frozenset[str] = frozenset()

    @property
    def corrected(self) -> frozenset[str]:
        """Name the fields that a correction may be about."""
        held = (rule.field for rule in self.standing)
        return frozenset(held) if self.replacing else frozenset()

    @property
    def index(self) -> Index:
        """Give the registry's index."""
        return index_of(self.registry)

    def taken(self, at: int) -> Find | None:
        """Give the find that claims a token."""
        return next((f for f in self.finds if f.start <= at < f.end), None)

    def free(self, start: int, end: int) -> bool:
        """Tell whether no find claims any of these tokens."""
        return all(f.end <= start or end <= f.start for f in self.finds)

    def settle(self, proposals: Iterable[Find]) -> None:
        """Keep, of overlapping proposals, the longest, then the best ranked."""
        for find in sorted(proposals, key=_strength):
            if self.free(find.start, find.end):
                self.finds.append(find)
        self.finds.sort(key=lambda f: f.start)

    def swap(self, change: Callable[[Find], Find | None]) -> None:
        """Replace each find by what ``change`` makes of it; None drops it."""
        self.finds = [new for f in self.finds if (new := change(f))]

    def folded(self, start: int, end: int) -> list[str]:
        """Give the folded words of a span."""
        return [token.folded for token in self.found[start:end]]

    def glue(self, at: int) -> bool:
        """Tell whether a token only holds the sentence together."""
        token = self.found[at]
        return not token.folded[:1].isalnum() or is_stop(token, self.lang)

    def bridged(self, start: int, end: int) -> bool:
        """Tell whether only glue stands between two places."""
        return all(self.glue(i) and not self.taken(i) for i in range(start, end))


def _strength(find: Find) -> tuple[int, int, int]:
    return find.start - find.end, -find.rank, find.start


def sentence(text: str, registry: Registry, language: str) -> Sentence:
    """Cut a message, in the language it is written in."""
    found = tuple(part for token in tokens(text) for part in _parted(token))[:LONGEST]
    lang = spoken(text, found, language)
    return Sentence(text, lang, registry, found, segments(found, lang))


_COUNTED = re.compile(r"(\d+(?:[.,]\d+)?)-([^\W\d_]{3,})")


def _parted(token: Token) -> Iterator[Token]:
    """Cut "5-star" into its number and its word; a code keeps its hyphen."""
    match = _COUNTED.fullmatch(token.text)
    if match is None or token.text.isupper():
        yield token
        return
    for text, at in ((match[1], match.start(1)), (match[2], match.start(2))):
        start = token.start + at
        yield Token(text, fold(text), start, start + len(text))


def spoken(text: str, found: Sequence[Token], language: str) -> str:
    """Tell a message's language by its small words; the caller's breaks a tie."""
    scores = {lang: _score(text, found, lang) for lang in languages()}
    scores[known(language)] += 0.5
    return max(scores, key=lambda lang: scores[lang])


def _score(text: str, found: Sequence[Token], lang: str) -> float:
    telling = {w.lower() for w in words(lang, "telltale")}
    accents = sum(sign in words(lang, "accents") for sign in text.lower())
    heard = sum(t.text.lower() in telling or is_stop(t, lang) for t in found)
    return float(heard + accents)

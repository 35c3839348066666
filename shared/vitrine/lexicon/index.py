"""What a registry's words point to: values, labels and keywords, by sense.

Names are built once per registry object, values when a message could mean them; the
index is kept for the few registries that an environment serves.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from vitrine.language.folding import Token, fold, tokens
from vitrine.language.words import languages, words
from vitrine.lexicon.doors import doors, opened
from vitrine.lexicon.senses import Part, Senses, hollow, parts, senses
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry

Kind = Literal["value", "label"]
VALUED = frozenset(
    {
        FieldType.KEYWORD,
        FieldType.VOCABULARY,
        FieldType.RELATION,
        FieldType.IDENTIFIER,
        FieldType.TEXT,
        FieldType.COLOUR,
    }
)
WHOLE, SIDE, HEAD = 3, 2, 1
SMALL, SIGN = 0.3, 0.2
"""What small words and signs of a name weigh beside a word's one."""
FAMILY = 4
"""Letters that the words of a family share at least."""
CODE = 2
"""Letters of a side that stands for nothing by itself: the CA of "Anaheim, CA"."""
COMMON = 3
"""Values that one side may name; what more of them share tells none apart."""
LONG = 60
"""Characters of a value from which it is a sentence, whose parts name nothing."""
FIELD, ROOM = 1_000_000_000, 1_000
"""Places that a field has for its entries, and one phrase of it for its own."""
KEPT = 16
"""Registries whose index stays in memory."""
# "Bras & Tanks", "on paper, print", "Young British Artists (YBA)": each side names it
_SLASH = re.compile(r"(?<=\d)\s*/\s*(?=\d)")
_SIDES = re.compile(r"\s*(?:[&,/()]|\band\b|\bet\b)\s*")


@dataclass(frozen=True, slots=True)
class Word:
    """One word or sign of a field's name; small ones weigh little."""

    folded: str
    senses: Senses
    weight: float
    root: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One way to say one value or one field.

    ``weight`` falls with the distance to what is stored: 3 the whole, 2 a side of it
    or a key, 1 its head. ``lang`` is the language it is written in, where that is
    known; ``place`` is the order of the registry.
    """

    kind: Kind
    field: Field
    parts: tuple[Part, ...]
    value: Any = None
    weight: int = WHOLE
    lang: str = ""
    place: int = 0
    words: tuple[Word, ...] = ()

    @property
    def size(self) -> float:
        """Sum the weights of the words."""
        return sum(word.weight for word in self.words)


@dataclass(slots=True)
class Waiting:
    """A phrase for a value whose meaning no message has asked for yet."""

    listed: Listed
    number: int
    phrase: str
    done: bool = False


@dataclass(slots=True)
class Listed:
    """What a field is known to hold, in order: each phrase, its value and language."""

    field: Field
    place: int
    ways: Mapping[str, tuple[str, str]]
    shared: frozenset[str] | None = None

    def entries(self, number: int, phrase: str) -> Iterator[Entry]:
        """Yield the ways to say one phrase's value."""
        if self.shared is None:
            self.shared = _shared(self.field, tuple(self.ways))
        value, lang = self.ways[phrase]
        sides = _sides(self.field, phrase, value, self.shared)
        place = self.place + number * ROOM
        for entry in (*_said("value", self.field, phrase, value), *sides):
            yield replace(entry, lang=lang, place=place)
            place += 1


@dataclass(slots=True)
class Index:
    """The names of each field by its key, and the ways to say its values by sense.

    ``words`` are the names by each sense and family of their words. Values wait behind
    their ``doors`` until a sense could meet them: a cold start reads a few hundred of
    the tens of thousands that a large source has.
    """

    entries: dict[str, list[Entry]]
    names: Mapping[str, tuple[Entry, ...]]
    words: Mapping[str, tuple[Entry, ...]]
    doors: dict[str, list[Waiting]]

    def about(self, senses: Iterable[str]) -> list[Entry]:
        """List the entries that have a part with one of these senses."""
        senses = tuple(senses)
        for door in {door for sense in senses for door in opened(sense)}:
            self._open(door)
        found = {e.place: e for s in senses for e in self.entries.get(s, ())}
        return [found[place] for place in sorted(found)]

    def _open(self, door: str) -> None:
        """Work out what waits behind a door.

        Threads that open the same one at once enter the same entries twice, at the
        same places, and ``about`` keeps one of each; a door closes behind its work.
        """
        for waiting in self.doors.get(door, ()):
            if not waiting.done:
                for entry in waiting.listed.entries(waiting.number, waiting.phrase):
                    _enter(self.entries, entry)
                waiting.done = True
        self.doors.pop(door, None)

    def named(self, senses: Iterable[str], family: str) -> list[Entry]:
        """List the names that have a word with one of these senses, or of a family."""
        keys = (*senses, f"~{family}") if family else senses
        found = {e.place: e for s in keys for e in self.words.get(s, ())}
        return [found[place] for place in sorted(found)]


def _enter(entries: dict[str, list[Entry]], entry: Entry) -> None:
    for sense in {s for part in entry.parts for s in part.senses}:
        entries.setdefault(sense, []).append(entry)


def index_of(registry: Registry) -> Index:
    """Give the index of a registry, built on first use."""
    return _kept(Same(registry))


class Same:
    """Compares by identity: a registry holds mappings and can't be hashed."""

    __slots__ = ("registry",)

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.registry is self.registry

    def __hash__(self) -> int:
        return id(self.registry)


@lru_cache(maxsize=KEPT)
def _kept(same: Same) -> Index:
    found: dict[str, list[Entry]] = {}
    names: dict[str, list[Entry]] = defaultdict(list)
    told: dict[str, list[Entry]] = defaultdict(list)
    for entry in _names(same.registry):
        _enter(found, entry)
        names[entry.field.key].append(entry)
        for key in _keys(entry):
            told[key].append(entry)
    return Index(found, _frozen(names), _frozen(told), _waiting(same.registry))


def _fields(registry: Registry) -> Iterator[tuple[int, Field]]:
    """Give each field with the place where its entries begin."""
    for number, field in enumerate(registry.filters.values()):
        if field.type is not FieldType.FULL_TEXT:
            yield number * FIELD, field


def _names(registry: Registry) -> Iterator[Entry]:
    for place, field in _fields(registry):
        for number, entry in enumerate(_labels(field)):
            yield replace(entry, place=place + number)


def _waiting(registry: Registry) -> dict[str, list[Waiting]]:
    found: dict[str, list[Waiting]] = defaultdict(list)
    for place, field in _fields(registry):
        listed = Listed(field, place, {} if field.sensitive else _ways(field, registry))
        # the names of a field come before its values
        for number, phrase in enumerate(listed.ways, start=1):
            waiting = Waiting(listed, number, phrase)
            for door in doors(phrase):
                found[door].append(waiting)
    return dict(found)


def _keys(entry: Entry) -> set[str]:
    """Name what may start a mention: each content word's senses and family."""
    content = [word for word in entry.words if word.weight >= 1]
    families = {f"~{word.root}" for word in content if word.root}
    return families.union(*(word.senses for word in content))


def _frozen(table: Mapping[str, list[Entry]]) -> Mapping[str, tuple[Entry, ...]]:
    return MappingProxyType({key: tuple(entries) for key, entries in table.items()})


def _labels(field: Field) -> Iterator[Entry]:
    name = field.key.rsplit(".", 1)[-1].replace("_", " ")
    spoken = dict.fromkeys([*field.label.values(), *field.keywords])
    for phrase in spoken:
        yield from _said("label", field, phrase)
    if name not in spoken:
        yield from _said("label", field, name, weight=SIDE)


def _ways(field: Field, registry: Registry) -> dict[str, tuple[str, str]]:
    """Give each phrase for a value of a field, with the value and the language."""
    if field.type not in VALUED or not _askable(field, registry):
        return {}
    ways: dict[str, tuple[str, str]] = {}
    for value, phrase, lang in _known(field, registry):
        ways.setdefault(phrase, (value, lang))
    return ways


def _askable(field: Field, registry: Registry) -> bool:
    """Tell whether the engine can look into open text, the only odd case."""
    return field.type is not FieldType.TEXT or "contains" in registry.operators(
        field.key
    )


def _known(field: Field, registry: Registry) -> Iterator[tuple[str, str, str]]:
    """Give each value with each way to write it, and the language of that."""
    for choice in field.choices or ():
        for lang, label in choice.labels.items():
            yield choice.value, label, lang
        yield choice.value, choice.value, ""
    sample = registry.sample(field.key)
    for value in (*sample.labels, *sample.values):
        yield value, value, registry.manifest.text_language


def _cut(phrase: str) -> list[str]:
    return [s for s in _SIDES.split(phrase) if len(s) > CODE and s != phrase]


def _shared(field: Field, phrases: Sequence[str]) -> frozenset[str]:
    """Name the sides that too many values share to name one: the town of addresses."""
    if field.type is FieldType.TEXT:
        return frozenset()
    counts = Counter(side for phrase in phrases for side in set(_cut(phrase)))
    return frozenset(side for side, number in counts.items() if number > COMMON)


def _unnamed(field: Field, phrase: str) -> Iterator[str]:
    """Leave a field's own name out of its value: the "Thai" of "Thai cuisine"."""
    first, *between = phrase.split()
    last = between.pop() if between else ""
    names = {fold(label) for label in field.label.values()}
    if last and fold(last) in names:
        yield " ".join((first, *between))
    elif last and fold(first) in names:
        yield " ".join((*between, last))


def _undivided(phrase: str) -> bool:
    """Tell a sentence or an address, whose parts name nothing by themselves."""
    figures = any(sign.isdigit() for sign in phrase)
    return len(phrase) > LONG or (figures and phrase.count(",") > 1)


def _sides(
    field: Field, phrase: str, value: str, shared: Collection[str]
) -> Iterator[Entry]:
    if field.type is FieldType.TEXT:
        yield from _head(field, phrase)
        return
    if _undivided(phrase):
        return
    for side in (*_cut(phrase), *_unnamed(field, phrase)):
        if side not in shared:
            yield from _said("value", field, side, value, weight=SIDE)


def _head(field: Field, phrase: str) -> Iterator[Entry]:
    """Take what a phrase is of: the words before its first preposition.

    "Lithograph on paper" is a lithograph; a name without a preposition has no head.
    """
    found = tokens(phrase)
    ends = (at for at, t in enumerate(found) if at and hollow(t))
    end = next(ends, 0)
    if 0 < end < len(found) and found[0].text[:1].isalpha():
        head = phrase[: found[end - 1].end]
        yield from _said("value", field, head, head, weight=HEAD)


def _said(
    kind: Kind, field: Field, phrase: str, value: Any = None, *, weight: int = WHOLE
) -> Iterator[Entry]:
    spelled = _spelled(phrase) if kind == "label" else ()
    for way in parts(phrase):
        yield Entry(kind, field, way, value, weight, words=spelled)


def _spelled(phrase: str) -> tuple[Word, ...]:
    spelled = tuple(_word(token.folded) for token in tokens(_SLASH.sub("/", phrase)))
    if any(word.weight >= 1 for word in spelled):
        return spelled
    return tuple(replace(w, weight=1.0) if w.senses else w for w in spelled)


@lru_cache(maxsize=8192)
def _word(folded: str) -> Word:
    if not folded[:1].isalnum():
        return Word(folded, frozenset(), SIGN)
    small = hollow(Token(folded, folded, 0, len(folded)))
    if small or (len(folded) == 1 and folded.isalpha()):
        return Word(folded, senses(folded), SMALL)
    return Word(folded, senses(folded), 1.0, root(folded))


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """Reduce a word to what its family shares, nothing for a short one.

    "Released" and "release" are one family, as are "elected" and "election".
    """
    for lang in languages():
        for ending in words(lang, "stem/families"):
            bare = word.removesuffix(fold(ending))
            if bare != word and len(bare) >= FAMILY:
                return bare
    return word if len(word) >= FAMILY else ""

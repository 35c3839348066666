"""The conversation's state: the tree, not the words.

Deleting the messages leaves tree and results as they are.
The store keeps a session; this room only says what a turn makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from vitrine.language.folding import tokens
from vitrine.registry.manifest import Ambiguity, Reading
from vitrine.registry.operators import FULL_TEXT_FIELD
from vitrine.registry.profiles import Registry
from vitrine.tree.describe import describe
from vitrine.tree.merge import Change, Unmet, merge
from vitrine.tree.model import EMPTY, Group, Rule, leaves
from vitrine.tree.slots import key, keys, values

Intent = Literal["search", "refine", "expand", "remove", "reset", "clarify"]
MESSAGES = 10
UNKNOWN = "unknown"
"""The reading of a term that was heard but not settled."""
_SEARCHING = frozenset({"contains", "vocab_text_equals", "vocab_text_in"})


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a question: a reading's name and its label."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Clarify:
    """A question instead of a search; ``reason`` is stable."""

    reason: Literal["ambiguous", "off_topic", "unclear"]
    question: str
    options: tuple[Option, ...] = ()
    term: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One message's meaning, whoever read it: a model, the lexicon or arguments.

    ``delta`` says the difference to the tree, never the whole.
    ``by`` names the interpreter for the report ("lexicon", "openrouter", "caller").
    ``unread`` are words that its reading had no use for.
    """

    intent: Intent
    delta: Group = EMPTY
    explanation: str = ""
    clarify: Clarify | None = None
    by: str = "caller"
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One line of the conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """What is kept between turns, bound to tenant, subject and client.

    ``readings`` holds each ambiguous term's reading or ``unknown``.
    ``version`` counts turns; the store writes only over the version it read.
    What models took is summed over the turns: ``calls`` with their ``retries``,
    ``tokens``, and ``micros`` (millionths of a dollar).
    """

    id: str
    tenant: str
    subject: str
    client: str
    source: str
    tree: Group = EMPTY
    messages: tuple[Message, ...] = ()
    readings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    version: int = 0
    tokens: int = 0
    micros: int = 0
    calls: int = 0
    retries: int = 0

    def hearing(self, *messages: Message) -> Session:
        """Append messages, keeping the last ten."""
        return replace(self, messages=(*self.messages, *messages)[-MESSAGES:])


@dataclass(frozen=True, slots=True)
class Step:
    """What a turn made of a session.

    ``sentence`` says the tree as it now stands; ``clarify`` is the turn's question.
    The tree is to be validated before it runs: a delta may have been loose.
    """

    session: Session
    changes: tuple[Change, ...]
    unmet: tuple[Unmet, ...]
    sentence: str
    clarify: Clarify | None = None


def advance(
    session: Session, turn: Turn, registry: Registry, *, message: str, language: str
) -> Step:
    """Merge a turn into a session: tree, messages, memory and version.

    What a term means is read off the merged tree, never off the turn's words, and a
    reading that is known is never changed by a later turn.
    """
    merged = merge(session.tree, turn.intent, turn.delta, registry)
    sentence = describe(merged.tree, registry, language)
    answer = turn.clarify.question if turn.clarify else sentence
    heard = session.hearing(Message("user", message), Message("assistant", answer))
    moved = replace(
        heard,
        tree=merged.tree,
        readings=_remembered(session, merged.tree, registry, message),
        # Also for a turn that only asked back: its lines were added to the ones it
        # read, which a parallel turn has read as well.
        version=session.version + 1,
    )
    unmet = (*merged.unmet, *_unread(turn))
    return Step(moved, merged.changes, unmet, sentence, turn.clarify)


def _unread(turn: Turn) -> tuple[Unmet, ...]:
    """Tell the words that were left aside, as the search that they would have been."""
    if not turn.unread:
        return ()
    return (Unmet("unread", Rule(FULL_TEXT_FIELD, "keyword_search", turn.unread)),)


def ambiguous_terms(
    message: str, language: str, session: Session, registry: Registry
) -> list[Ambiguity]:
    """List the terms that a message uses barely and the session has not settled.

    "en paysage" is settled by its phrase; "paysage" alone can be either. The words of
    ``language`` are looked for first, then those of the others.
    """
    said = _words(message)
    settled = {t for t, reading in session.readings.items() if reading != UNKNOWN}
    return [
        term
        for term in registry.manifest.ambiguous
        if term.term not in settled and _bare(term, said, language)
    ]


def _bare(term: Ambiguity, said: list[str], language: str) -> bool:
    """Tell whether some word of a term stands outside of each settled phrase."""
    # By places, not by words: in "paysage en mode paysage" one of the two stands bare.
    covered = {
        at
        for phrase in term.settled
        for start, end in _places(_words(phrase), said)
        for at in range(start, end)
    }
    bare = [
        start
        for word in _forms(term, language)
        for start, end in _places(_words(word), said)
        if not covered.issuperset(range(start, end))
    ]
    return bool(bare)


def _forms(term: Ambiguity, language: str) -> list[str]:
    # Every language is heard: people mix them, and a term that is missed is a guess.
    ordered = sorted(term.words, key=lambda lang: lang != language)
    return [word for lang in ordered for word in term.words[lang]]


def _words(text: str) -> list[str]:
    return [token.folded for token in tokens(text)]


def _places(phrase: list[str], said: list[str]) -> list[tuple[int, int]]:
    size = len(phrase)
    starts = range(len(said) - size + 1) if size else ()
    return [(at, at + size) for at in starts if said[at : at + size] == phrase]


def _remembered(
    session: Session, tree: Group, registry: Registry, message: str
) -> Mapping[str, str]:
    """Read each term that was heard off the tree; keep what is known."""
    said, readings = _words(message), dict(session.readings)
    for term in registry.manifest.ambiguous:
        before = readings.get(term.term)
        if before is None and not _heard(term, said):
            continue
        if before in (None, UNKNOWN):
            readings[term.term] = _reading(term, tree) or UNKNOWN
    return MappingProxyType(readings)


def _heard(term: Ambiguity, said: list[str]) -> bool:
    forms = [word for listed in term.words.values() for word in listed]
    return any(_places(_words(form), said) for form in (*forms, *term.settled))


def _reading(term: Ambiguity, tree: Group) -> str | None:
    """Name the reading that a tree bears out: its filter, else the word searched."""
    rules = [rule for _, rule in leaves(tree)]
    for reading in term.readings:
        if reading.field and any(_filters(rule, reading) for rule in rules):
            return reading.name
    forms = [_words(word) for listed in term.words.values() for word in listed]
    searched = [
        _words(str(v)) for rule in rules if _searches(rule) for v in values(rule)
    ]
    if any(_places(form, words) for form in forms for words in searched):
        return next((r.name for r in term.readings if not r.field), None)
    return None


def _filters(rule: Rule, reading: Reading) -> bool:
    if rule.field != reading.field:
        return False
    return reading.value is None or key(reading.value) in keys(rule)


def _searches(rule: Rule) -> bool:
    return rule.field == FULL_TEXT_FIELD or rule.operator in _SEARCHING

"""The conversation's state: the tree, not the words.

Deleting the messages leaves tree and results as they are.
The store keeps a session; this room only says what a turn makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from vitrine.tree.model import EMPTY, Group

Intent = Literal["search", "refine", "expand", "remove", "reset", "clarify"]
MESSAGES = 10
UNKNOWN = "unknown"
"""The reading of a term that was heard but not settled."""


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
    """

    intent: Intent
    delta: Group = EMPTY
    explanation: str = ""
    clarify: Clarify | None = None
    by: str = "caller"


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
    ``tokens`` and ``micros`` (millionths of a dollar) are summed over the turns.
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

    def hearing(self, *messages: Message) -> Session:
        """Append messages, keeping the last ten."""
        return replace(self, messages=(*self.messages, *messages)[-MESSAGES:])

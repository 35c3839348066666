"""What a turn is read with: everything that comes from outside, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from vitrine.lexicon.linking import Link
from vitrine.models.chat import Chat

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class Verdicts(Protocol):
    """What is remembered of earlier verdicts on a topic; None where nothing is."""

    def known(self, key: str) -> bool | None:
        """Give a verdict that still holds."""
        ...

    def keep(self, key: str, *, on_topic: bool) -> None:
        """Remember a verdict for an hour."""
        ...


@dataclass(frozen=True, slots=True)
class Means:
    """A clock and a way to wait, a chat (None: switched off, or none), and memories.

    ``verdicts`` are those on topics; ``gated`` asks for one before a doubtful turn, in
    a call of its own, else the turn itself gives it. ``habits`` maps a term to the
    reading that a tenant's people give it so clearly that nobody is asked. ``link``
    is for the lexicon, and only where it has the last word: a model knows synonyms.
    """

    clock: Clock
    sleep: Sleep
    chat: Chat | None = None
    verdicts: Verdicts | None = None
    gated: bool = False
    habits: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    link: Link | None = None

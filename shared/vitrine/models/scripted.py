"""A chat that says what it was told to say: the double of every test and bench."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from vitrine.models.chat import Completion, Messages, ModelFailure, Schema

Reply = str | Completion | ModelFailure


@dataclass(frozen=True, slots=True)
class Request:
    """One call as it was made."""

    messages: Messages
    schema: Schema | None
    timeout: float


@dataclass(slots=True)
class ScriptedChat:
    """Give the replies in turn, raise the failures, and keep every request.

    Past the last reply it fails as a dead provider does.
    """

    replies: Iterable[Reply] = ()
    name: str = "scripted"
    requests: list[Request] = field(default_factory=list)
    _queue: deque[Reply] = field(init=False)

    def __post_init__(self) -> None:
        self._queue = deque(self.replies)

    def complete(
        self, messages: Messages, *, schema: Schema | None, timeout: float
    ) -> Completion:
        """Give the next reply; a text costs a token a word and no money."""
        self.requests.append(Request(list(messages), schema, timeout))
        if not self._queue:
            raise ModelFailure("transport", "The script has ended.")
        reply = self._queue.popleft()
        if isinstance(reply, ModelFailure):
            raise reply
        if isinstance(reply, Completion):
            return reply
        asked = sum(len(m["content"].split()) for m in messages)
        return Completion(reply, asked, len(reply.split()), model=self.name)

"""What a turn asks of a language model, and what it gets.

Pure: the loop in ``interpret`` reads these types, and each provider fills them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vitrine.problems import Unavailable

Messages = Sequence[Mapping[str, str]]
"""Chat messages, each ``{"role": "system"|"user"|"assistant", "content": text}``."""
Schema = Mapping[str, Any]
TEMPERATURE = 0.1
MAX_TOKENS = 2_000
FailureKind = Literal["transport", "busy", "refused", "schema", "broken"]


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply, whatever it is worth: ``text`` may be empty, prose or broken JSON.

    ``micros`` are millionths of a dollar.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0
    model: str = ""

    @property
    def tokens(self) -> int:
        """Sum the tokens of both ways."""
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens, for providers that report no cost."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def micros(self, tokens_in: int, tokens_out: int) -> int:
        """Price tokens: dollars per million of them are micros for each."""
        return round(tokens_in * self.tokens_in + tokens_out * self.tokens_out)


class ModelFailure(Unavailable):
    """Tell why there is no reply.

    ``transport``  no answer in time, a cut connection, a 5xx
    ``busy``       429: the provider asks for patience
    ``refused``    another 4xx: the key, the model or the request is not accepted
    ``schema``     the provider takes no JSON schema; the next call sends none
    ``broken``     an answer that is no chat completion
    """

    code = "model-failure"
    title = "The language model did not answer"

    def __init__(self, kind: FailureKind, detail: str = "") -> None:
        super().__init__(detail)
        self.kind = kind

    @property
    def passing(self) -> bool:
        """Tell whether a second call may succeed."""
        return self.kind in {"transport", "busy", "broken"}


class Chat(Protocol):
    """A model that completes a conversation; ``name`` stands in the report."""

    @property
    def name(self) -> str:
        """Name the provider."""
        ...

    def complete(
        self, messages: Messages, *, schema: Schema | None, timeout: float
    ) -> Completion:
        """Complete within ``timeout`` seconds, or raise ``ModelFailure``."""
        ...

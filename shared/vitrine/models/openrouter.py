"""Chat completions over HTTP: OpenRouter, or any server that speaks its protocol.

The key travels in one header and stands in no message, log line or ``repr``.
Usage and cost are the provider's own figures; where it tells no cost, configured
prices count the tokens, so that the kill switch sees money in either case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import urllib3

from vitrine.models.chat import (
    MAX_TOKENS,
    TEMPERATURE,
    Completion,
    Messages,
    ModelFailure,
    Prices,
    Schema,
)
from vitrine.models.wire import Line, check, decoded, whole

BASE = "https://openrouter.ai/api/v1"
MODEL = "openai/gpt-oss-120b:exacto"
# A provider that takes no JSON schema says so with one of these.
_SCHEMA_STATUS = frozenset({400, 404, 415, 422, 501})


@dataclass(slots=True)
class OpenRouter:
    """One model at one base URL; ``schemas`` turns off when it refuses them."""

    key: str = field(repr=False)
    base: str = BASE
    model: str = MODEL
    prices: Prices = field(default_factory=Prices)
    schemas: bool = True
    name: str = "openrouter"
    http: urllib3.PoolManager = field(default_factory=urllib3.PoolManager, repr=False)

    def complete(
        self, messages: Messages, *, schema: Schema | None, timeout: float
    ) -> Completion:
        """Complete within ``timeout`` seconds of wall clock, retrying nothing."""
        asked = self._request(messages, schema if self.schemas else None)
        line = Line(self.key, self.base, self.http)
        status, body = line.post("/chat/completions", asked, seconds=timeout)
        if _refuses_schema(status, body, asked):
            self.schemas = False
            raise ModelFailure("schema", f"The provider answered {status}.")
        check(status)
        return self._completion(decoded(body))

    def _request(self, messages: Messages, schema: Schema | None) -> dict[str, Any]:
        return {
            "model": self.model,
            "temperature": TEMPERATURE,
            "max_tokens": MAX_TOKENS,
            "messages": [dict(m) for m in messages],
            "response_format": _format(schema),
        }

    def _completion(self, document: Mapping[str, Any]) -> Completion:
        text = _text(document)
        usage = document.get("usage")
        usage = usage if isinstance(usage, Mapping) else {}
        told_in, told_out = (
            whole(usage.get(k)) for k in ("prompt_tokens", "completion_tokens")
        )
        return Completion(
            text=text,
            tokens_in=told_in,
            tokens_out=told_out,
            micros=self._micros(usage.get("cost"), told_in, told_out),
            model=str(document.get("model") or self.model),
        )

    def _micros(self, cost: object, tokens_in: int, tokens_out: int) -> int:
        if isinstance(cost, int | float) and not isinstance(cost, bool):
            return max(0, round(cost * 1_000_000))
        return self.prices.micros(tokens_in, tokens_out)


def _format(schema: Schema | None) -> dict[str, Any]:
    if schema is None:
        return {"type": "json_object"}
    named = {"name": "turn", "strict": True, "schema": dict(schema)}
    return {"type": "json_schema", "json_schema": named}


def _refuses_schema(status: int, body: bytes, asked: Mapping[str, Any]) -> bool:
    if asked["response_format"]["type"] != "json_schema":
        return False
    words = (b"response_format", b"json_schema", b"schema", b"structured")
    return status in _SCHEMA_STATUS and any(w in body.lower() for w in words)


def _text(document: Mapping[str, Any]) -> str:
    """Read the first choice's content; an absent or null one is an empty text."""
    choices = document.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, Mapping) else None
    if not isinstance(message, Mapping):
        raise ModelFailure("broken", "The reply has no message.")
    content = message.get("content")
    return content if isinstance(content, str) else ""

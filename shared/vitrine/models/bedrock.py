"""Amazon Bedrock by its Converse call: one model, the same schema, priced by settings.

Bedrock reports tokens and no money, so that configured prices make the cost; without
them the kill switch would be blind, and none is built then. The function's own role
signs the call: there is no key to keep.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
)
from botocore.parsers import ResponseParserError

from vitrine.models.chat import (
    MAX_TOKENS,
    TEMPERATURE,
    Completion,
    Messages,
    ModelFailure,
    Prices,
    Schema,
)
from vitrine.models.wire import SERVER, TOO_MANY, whole

CONNECT, READ = 3, 25
"""Seconds to reach the provider, and the longest silence: that of a whole turn."""
# botocore's own retries would spend the turn's deadline behind its back.
_ONCE = Config(
    connect_timeout=CONNECT, read_timeout=READ, retries={"total_max_attempts": 1}
)
_BUSY = frozenset({"ThrottlingException", "ModelNotReadyException"})
_PASSING = frozenset({408, 424})
"""The model took too long, or failed on this request: another call may do."""
_SCHEMA = ("outputconfig", "textformat", "schema", "structured")
_BAD = 400
_ODD = (AttributeError, LookupError, TypeError, ValueError)
_OURS = (
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
)


@dataclass
class Bedrock:
    """One model or inference profile; ``schemas`` turns off when it refuses them.

    ``endpoint`` is for an address of one's own; else region and role tell it.
    """

    model: str
    prices: Prices
    schemas: bool = True
    name: str = "bedrock"
    endpoint: str | None = None
    connect: Callable[..., Any] = field(default=boto3.client, repr=False)

    @cached_property
    def client(self) -> Any:
        """Open the client at the first call: who never asks a model pays nothing."""
        return self.connect("bedrock-runtime", config=_ONCE, endpoint_url=self.endpoint)

    def complete(
        self, messages: Messages, *, schema: Schema | None, timeout: float
    ) -> Completion:
        """Complete within ``timeout`` seconds of wall clock, retrying nothing."""
        asked = self._request(messages, schema if self.schemas else None)
        try:
            document = within(timeout, lambda: self.client.converse(**asked))
        except ClientError as error:
            failure = _failure(error, asked)
            self.schemas = self.schemas and failure.kind != "schema"
            raise failure from error
        except ResponseParserError as error:
            raise ModelFailure("broken", "The reply can't be read.") from error
        except _ODD as error:
            # the parser expects a service's shapes, and trips over any other
            raise ModelFailure("broken", "The reply has another shape.") from error
        except _OURS as error:
            raise ModelFailure("refused", type(error).__name__) from error
        except (BotoCoreError, HTTPClientError) as error:
            raise ModelFailure("transport", type(error).__name__) from error
        return self._completion(document)

    def _request(self, messages: Messages, schema: Schema | None) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "modelId": self.model,
            "system": [{"text": m["content"]} for m in messages if _orders(m)],
            "messages": [
                {"role": m["role"], "content": [{"text": m["content"]}]}
                for m in messages
                if not _orders(m)
            ],
            "inferenceConfig": {"maxTokens": MAX_TOKENS, "temperature": TEMPERATURE},
        }
        return asked | ({"outputConfig": _format(schema)} if schema else {})

    def _completion(self, document: Mapping[str, Any]) -> Completion:
        usage = document.get("usage")
        usage = usage if isinstance(usage, Mapping) else {}
        told_in, told_out = (
            whole(usage.get(k)) for k in ("inputTokens", "outputTokens")
        )
        return Completion(
            text=_text(document),
            tokens_in=told_in,
            tokens_out=told_out,
            micros=self.prices.micros(told_in, told_out),
            model=self.model,
        )


def within(seconds: float, call: Callable[[], Any]) -> Any:
    """Give a call's result, or a transport failure when the time is over.

    A socket's timeout starts anew with each byte, and botocore's is fixed when a
    client is made; so that another thread waits, and is left behind where it must.
    """
    heard: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    Thread(target=lambda: heard.put(_caught(call)), daemon=True).start()
    try:
        result, error = heard.get(timeout=seconds)
    except Empty:
        raise ModelFailure("transport", "The reply took too long.") from None
    if error is not None:
        raise error
    return result


def _caught(call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return call(), None
    except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
        return None, error


def _orders(message: Mapping[str, str]) -> bool:
    return message["role"] == "system"


def _format(schema: Schema) -> dict[str, Any]:
    """Give ``outputConfig``: the API takes the schema as a text of JSON."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    structure = {"jsonSchema": {"name": "turn", "schema": text}}
    return {"textFormat": {"type": "json_schema", "structure": structure}}


def _failure(error: ClientError, asked: Mapping[str, Any]) -> ModelFailure:
    told = error.response.get("Error", {})
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    code, said = str(told.get("Code", "")), str(told.get("Message", "")).lower()
    detail = f"The provider answered {status}."
    if code in _BUSY or status == TOO_MANY:
        return ModelFailure("busy", detail)
    if status >= SERVER or status in _PASSING:
        return ModelFailure("transport", detail)
    about = status == _BAD and any(word in said for word in _SCHEMA)
    if about and "outputConfig" in asked:
        return ModelFailure("schema", detail)
    return ModelFailure("refused", detail)


def _text(document: Mapping[str, Any]) -> str:
    """Join the reply's texts; what a model thought aloud is no part of it."""
    output = document.get("output")
    message = output.get("message") if isinstance(output, Mapping) else None
    blocks = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(blocks, list):
        raise ModelFailure("broken", "The reply has no message.")
    return "".join(_texts(blocks))


def _texts(blocks: Iterable[Any]) -> Iterable[str]:
    for block in blocks:
        text = block.get("text") if isinstance(block, Mapping) else None
        if isinstance(text, str):
            yield text

"""Amazon Bedrock's runtime on the loopback: Converse, saying what it is told.

It checks the shape that botocore's own model of the service does not, such as that a
schema is JSON and that turns alternate, and then behaves as ``provider`` does.

    with serve(rule=says({"intent": "reset", ...})) as runtime:
        Bedrock("any-model", Prices(1, 2), endpoint=runtime.url)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote

from infra.local.provider import Behaviour, Provider, Rule, Speaker, answering

PATH = re.compile(r"/model/([^/]+)/converse")
ERRORS = {
    400: "ValidationException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}


@contextmanager
def serve(*, rule: Rule | Behaviour | None = None) -> Iterator[Provider]:
    """Run a runtime until the block ends; ``requests`` hold each ``modelId``, too."""
    with answering(_handler, rule) as runtime:
        yield runtime


def _handler(runtime: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(Speaker):
        provider = runtime

        def do_POST(self) -> None:  # noqa: N802 - http.server's own name
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            named = PATH.fullmatch(self.path)
            if named is None:
                self.send(Behaviour(status=404), b"{}")
                return
            if not self.headers.get("Authorization", "").startswith("AWS4-HMAC-SHA256"):
                self.send(Behaviour(status=403), b"{}")
                return
            asked = json.loads(raw) | {"modelId": unquote(named[1])}
            if said := wrong(asked):
                self.send(Behaviour(status=400), error(400, said))
                return
            chosen = runtime.answer(asked)
            runtime.rest(chosen.wait)
            self.send(chosen, chosen.body or _document(chosen, asked))

        def more(self, chosen: Behaviour) -> dict[str, str]:
            if chosen.status == 200:
                return {}
            return {"x-amzn-ErrorType": ERRORS.get(chosen.status, "Unknown")}

    return Handler


def wrong(asked: dict[str, Any]) -> str:
    """Tell what Bedrock would refuse in a request's shape, nothing where it is good."""
    roles = [m["role"] for m in asked["messages"]]
    turns = [("user", "assistant")[at % 2] for at in range(len(roles))]
    if roles != turns or roles[-1] != "user":
        return "The turns of a conversation must alternate and begin with the user."
    if any(not block.get("text", "x") for block in _blocks(asked)):
        return "The text field in a content block is blank."
    try:
        _schema(asked)
    except ValueError:
        return "outputConfig.textFormat: the schema is no JSON."
    return ""


def _blocks(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from asked.get("system", ())
    for message in asked["messages"]:
        yield from message["content"]


def _schema(asked: dict[str, Any]) -> Any:
    told = asked.get("outputConfig", {}).get("textFormat")
    return json.loads(told["structure"]["jsonSchema"]["schema"]) if told else None


def error(status: int, said: str) -> bytes:
    """Write an error's body; its name travels in a header."""
    del status
    return json.dumps({"message": said}).encode()


def _document(chosen: Behaviour, asked: dict[str, Any]) -> bytes:
    if chosen.status != 200:
        return error(chosen.status, "no")
    told = sum(len(block.get("text", "")) for block in _blocks(asked)) // 4
    spent = len(chosen.text) // 4 + 1
    usage = {"inputTokens": told, "outputTokens": spent, "totalTokens": told + spent}
    thought = {"reasoningContent": {"reasoningText": {"text": "{}"}}}
    content = [thought, {"text": chosen.text}]
    document = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "end_turn",
        "usage": usage,
        "metrics": {"latencyMs": 1},
    }
    return json.dumps(document, ensure_ascii=False).encode()

"""A body is read once before anything else reads it: what no JSON is, is no fault.

The resolver's own reader fails untyped on what nests too deep, on a number of
thousands of digits, on bytes that are no text and on media types that it does not
know; each would be a fault of ours in the metrics, for anybody to raise.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from vitrine.problems import Fault, Invalid

LARGEST = 256 * 1024
"""Bytes: a tree of 32 kB in which every letter is escaped, beside two tokens."""
DEEPEST = 100
"""A tree nests eight groups; below, every reader's stack holds."""
JSON = "application/json"


def check_body(event: Mapping[str, Any]) -> None:
    """Raise ``Invalid`` where a request brings a body that is not plain JSON."""
    body = event.get("body")
    if not body:
        return
    kind = _media_type(event.get("headers") or {})
    if kind not in {"", JSON}:
        raise _refused("content_type", "The body is not JSON.", f"Send {JSON}.")
    if len(body) > LARGEST:
        raise _refused("too_large", "The body is too large.", f"Send {LARGEST} bytes.")
    text = _text(body, encoded=bool(event.get("isBase64Encoded")))
    if text is None or not _plain(text):
        raise _refused("json", "The body is not valid JSON.", "Send a JSON object.")


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _text(body: str, *, encoded: bool) -> str | None:
    try:
        return b64decode(body).decode() if encoded else body
    except ValueError:
        return None


def _plain(text: str) -> bool:
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False
    # Only what has as many brackets can nest as deep: others are not walked.
    return text.count("[") + text.count("{") <= DEEPEST or not _deep(found)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a member that stands twice: whoever looked before may have read the other.

    RFC 8259, 4: of two, each reader takes its own.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a member stands twice")
    return found


def _no_constant(name: str) -> None:
    message = f"{name} is no JSON"
    raise ValueError(message)


def _deep(found: Any) -> bool:
    left = [(found, 1)]
    while left:
        value, depth = left.pop()
        if depth > DEEPEST:
            return True
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list):
            left += [(one, depth + 1) for one in inner]
    return False


def _refused(code: str, message: str, remedy: str) -> Invalid:
    return Invalid([Fault("", code, message, remedy)])

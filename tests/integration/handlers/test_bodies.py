"""No body, however hostile, is a fault of ours: each is refused with its kind."""

from __future__ import annotations

import json

import pytest

from tests.integration.handlers.conftest import Call, Post, told

TREE = b'{"source": "products", "tree": {"type": "group", "operator": "and", "rules": '
DEEP = TREE + b'[{"operator": "and", "rules": ' * 3_000
HOSTILE = {
    "deep": b"[" * 100_000,
    "a deep tree": DEEP + b"[]" + b"}]" * 3_000 + b"}}",
    "digits": TREE + b'[{"field": "price", "operator": "equals", "value": '
    b"%s}]}}" % (b"9" * 5_000),
    "no number": TREE + b'[{"field": "price", "operator": "equals", "value": NaN}]}}',
    "no text": b'{"source": "\xff"}',
    "half a character": b'{"source": "\xed\xa0\x80"}',
    "another encoding": json.dumps({"source": "products"}).encode("utf-16"),
    "packed": b"\x1f\x8b\x08\x00\x00",
    "twice": b'{"source": "media", "source": "products"}',
    "large": b'{"source": "%s"}' % (b"x" * 300_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_body_is_refused(name: str, post: Post) -> None:
    answer = post("/v1/execute", HOSTILE[name])

    assert (422, ["too_large" if name == "large" else "json"]) == (
        answer.status,
        [error["code"] for error in answer.json["errors"]],
    )


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_what_is_sent_as_something_else_is_refused(kind: str, post: Post) -> None:
    body = {"source": "products", "tree": {}}

    answer = post("/v1/validate", body, **{"content-type": kind})

    assert (422, "content_type") == (answer.status, answer.json["errors"][0]["code"])


@pytest.mark.parametrize(
    "arguments",
    [
        {"filters": "[" * 50_000},
        {"all": "[" * 50_000},
        {"query": "lamp", "limit": "9" * 5_000},
        {"filters": json.dumps([{"field": "price"}])[:-1]},
    ],
)
def test_a_hostile_argument_is_refused_in_words(
    arguments: dict[str, str], call: Call
) -> None:
    answer = call("search_products", **arguments)

    assert answer["isError"]
    assert "our side" not in told(answer)

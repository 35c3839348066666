"""Stored ids may be sent by a trusted editor, and by no chat, agent or shopper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Post
from tests.unit.edge.fake_agent import ERAS, rpc

BY_ID = {"field": "tags", "operator": "vocab_id_in", "value": ["t1"]}
TREE = {"type": "group", "operator": "and", "rules": [BY_ID]}
Token = Callable[..., str]


@pytest.mark.parametrize(
    ("expected", "claims"),
    [
        (True, {"profile": "trusted"}),
        (False, {"profile": "closed"}),
        (False, {"profile": "trusted", "actor": "an-agent"}),
    ],
)
def test_validate_knows_ids_for_a_trusted_editor_alone(
    post: Post, token: Token, expected: bool, claims: dict[str, Any]
) -> None:
    body = {"source": "media", "tree": TREE}

    answer = post("/v1/validate", body, token(**claims)).json

    assert expected is answer["valid"]
    refused = [(e["code"], e["pointer"]) for e in answer["errors"]]
    wrong = [("operator_not_here", "/tree/rules/0/operator")]
    assert refused == ([] if expected else wrong)
    assert all("vocab_id" not in e["remedy"] for e in answer["errors"])


@pytest.mark.parametrize(
    ("status", "surface"),
    [(200, "api"), (200, "gallery"), (422, "chat_preview")],
)
@pytest.mark.parametrize("path", ["/v1/execute", "/v1/explain-empty"])
def test_a_chat_searches_by_labels_alone(
    post: Post, token: Token, path: str, status: int, surface: str
) -> None:
    body = {"source": "media", "tree": TREE, "surface": surface}

    answer = post(path, body, token(profile="trusted"))

    assert status == answer.status, answer.body


def test_an_agent_that_acts_for_an_editor_searches_by_labels_alone(
    post: Post, token: Token
) -> None:
    body = {"source": "media", "tree": TREE}

    answer = post("/v1/execute", body, token(profile="trusted", actor="an-agent"))

    assert answer.status == 422
    assert answer.json["errors"][0]["code"] == "operator_not_here"


@pytest.mark.parametrize("era", ERAS)
def test_a_tool_takes_no_ids_whoever_calls_it(
    seeded: Stack, token: Token, era: str
) -> None:
    arguments = {"name": "search_media", "arguments": {"filters": [BY_ID]}}
    request = rpc(era, "tools/call", **arguments)
    sent = {k: v for k, v in request["headers"].items() if "mcp" in k}
    sent["accept"] = request["headers"]["accept"]

    answer = seeded.call(
        "POST", "/mcp", request["body"].encode(), token(profile="trusted"), headers=sent
    )

    result = answer.json["result"]
    assert result["isError"] is True
    assert "has no operator `vocab_id_in`" in str(result)
    assert "vocab_id" not in str(result).replace("`vocab_id_in`", "")

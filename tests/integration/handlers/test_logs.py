"""What is said, and who says it, stands in no log, whatever becomes of the call."""

from __future__ import annotations

import json
from collections.abc import Callable

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Call, Post, Send
from tests.unit.edge.fake_agent import ERAS

SAID = "zqsaidword"
PERSON = "zqperson@example.org"
FORGED = 'desk", "level": "FORGED", "x": "'
FUNCTIONS = ("Execute", "Interpret", "Validate", "Searches", "Sessions", "Mcp")


def test_no_log_tells_words_or_people_or_takes_a_line_from_a_token(
    seeded: Stack, post: Post, call: Call, send: Send, token: Callable[..., str]
) -> None:
    bearer = token(user=PERSON, client=FORGED)
    rule = {"field": SAID, "operator": SAID, "value": SAID}
    text = {"field": "full_text_search", "operator": "keyword_search", "value": SAID}
    trees = [{"type": "group", "operator": "and", "rules": [r]} for r in (rule, text)]

    for tree in trees:
        for path in ("/v1/validate", "/v1/execute", "/v1/sessions"):
            post(path, {"source": "products", "tree": tree}, bearer)
    named = {"source": "products", "tree": trees[1], "name": SAID}
    assert 200 == post("/v1/searches", named, bearer).status
    message = {"source": "products", "message": f"a lamp, {SAID}"}
    assert 200 == post("/v1/interpret", message, bearer).status
    post("/v1/interpret", f'{{"{SAID}"'.encode(), bearer)
    call("ask", bearer, source="products", message=SAID)
    call("search_products", bearer, query=SAID, session=SAID, cursor=SAID)
    call("get_products", bearer, refs=[SAID])
    send(ERAS[0], SAID, bearer)
    send(ERAS[0], "tools/call", bearer, name=SAID, arguments={SAID: SAID})

    written = "".join(map(seeded.logs, FUNCTIONS))
    assert SAID not in written
    assert PERSON not in written
    levels = {json.loads(line).get("level") for line in written.splitlines()}
    assert "FORGED" not in levels

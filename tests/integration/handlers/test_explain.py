from __future__ import annotations

from typing import Any

from tests.integration.handlers.conftest import Post

WOOL = {"field": "full_text_search", "operator": "hybrid_search", "value": "lamp"}
CHEAP = {"field": "price", "operator": "less_than", "value": 1}


def body(*rules: Any) -> dict[str, Any]:
    tree = {"type": "group", "operator": "and", "rules": list(rules)}
    return {"source": "products", "tree": tree}


def test_an_empty_search_is_explained_filter_by_filter(post: Post) -> None:
    empty = post("/v1/execute", body(WOOL, CHEAP)).json

    told = post("/v1/explain-empty", body(WOOL, CHEAP)).json

    assert not empty["hits"]
    assert "explain_empty" in empty["report"]["notes"]
    assert [f["pointer"] for f in told["filters"]] == ["/rules/0", "/rules/1"]
    assert "/rules/1" in told["blocking"]


def test_a_search_that_finds_something_is_not_explained(post: Post) -> None:
    answer = post("/v1/explain-empty", body(WOOL))

    assert (answer.status, answer.json["errors"][0]["code"]) == (422, "not_empty")

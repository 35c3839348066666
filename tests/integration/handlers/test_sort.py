"""A chosen order through the gateway: over HTTP and MCP, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.stack import Response
from tests.integration.handlers.conftest import Call, Post

TABLES = {"field": "category", "operator": "equals", "value": "table"}
TRUSTED = {"media": "trusted"}


def body(source: str, *rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    tree = {"type": "group", "operator": "and", "rules": list(rules)}
    return {"source": source, "tree": tree, **more}


def prices(answer: Response) -> list[float]:
    assert answer.status == 200, answer.body
    return [float(hit["price"]["amount"]) for hit in answer.json["hits"]]


def cheap(limit: int) -> dict[str, Any]:
    return {"field": "price", "operator": "less_than", "value": limit}


@pytest.mark.parametrize("sort", ["price", "-price"])
def test_a_page_and_the_next_are_in_the_chosen_order(post: Post, sort: str) -> None:
    """P02: the cursor may come with the order or alone."""
    asked = body("products", cheap(2_000), sort=sort)
    first = post("/v1/execute", asked)
    onward = {"cursor": first.json["next_cursor"]}
    alone = {k: v for k, v in asked.items() if k != "sort"}

    second = post("/v1/execute", alone | onward)
    found = [*prices(first), *prices(second)]

    assert sorted(found, reverse=sort[0] == "-") == found
    assert 20 == len(found)
    assert sort == first.json["report"]["sort"] == second.json["report"]["sort"]
    assert not {h["ref"] for h in first.json["hits"]} & {
        h["ref"] for h in second.json["hits"]
    }


def test_another_order_and_another_words_order_are_refused(post: Post) -> None:
    asked = body("products", cheap(2_000), sort="price")
    onward = {"cursor": post("/v1/execute", asked).json["next_cursor"]}

    answer = post("/v1/execute", asked | onward | {"sort": "-price"})

    assert (422, "/sort") == (answer.status, answer.json["errors"][0]["pointer"])


@pytest.mark.parametrize("key", ["purchase_cost", "weight", "no_such_field"])
def test_t02_a_closed_field_orders_like_one_that_never_was(
    post: Post, key: str
) -> None:
    answer = post("/v1/execute", body("products", cheap(2_000), sort=key))

    (fault,) = answer.json["errors"]
    assert (422, "unknown_sort") == (answer.status, fault["code"])
    assert f"sort: there is no order by {key!r} here" == fault["message"]
    assert "price, -price" in fault["remedy"]
    assert key not in fault["remedy"]


@pytest.mark.parametrize("sort", ["rating", "-rating", "imported_on", "-downloads"])
def test_a_library_is_walked_in_the_chosen_order(
    post: Post, token: Callable[..., str], sort: str
) -> None:
    bearer = token(profile=TRUSTED, user="camille")
    asked = body("media", sort=sort, limit=100)
    key = sort.removeprefix("-")

    found: list[Any] = []
    onward: dict[str, Any] = {}
    for _ in range(3):
        answer = post("/v1/execute", asked | onward, bearer)
        assert answer.status == 200, answer.body
        found += [hit.get(key) for hit in answer.json["hits"]]
        onward = {"cursor": answer.json["next_cursor"]}

    there = [value for value in found if value is not None]
    assert sorted(there, reverse=sort[0] == "-") == there
    assert [None] * (len(found) - len(there)) == found[len(there) :]
    assert 300 == len(found)


def test_an_agent_orders_and_goes_on_with_the_cursor_alone(call: Call) -> None:
    told = call("search_products", filters=[cheap(2_000)], sort="-price")
    first = told["structuredContent"]
    again = {"session": first["session"], "cursor": first["next_cursor"]}

    second = call("search_products", **again)["structuredContent"]

    amounts = [
        float(hit["price"]["amount"])
        for page in (first, second)
        for hit in page["hits"]
    ]
    assert sorted(amounts, reverse=True) == amounts
    assert 10 == len(amounts)
    assert "-price" == second["report"]["sort"]


def test_an_agent_is_told_the_orders_there_are(call: Call) -> None:
    told = call("search_products", filters=[cheap(2_000)], sort="margin")

    assert told["isError"]
    assert "price, -price" in told["content"][0]["text"]

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.handlers.conftest import Post

RED = {"field": "colour", "operator": "equals", "value": "red"}


def group(*rules: Any) -> dict[str, Any]:
    return {"type": "group", "operator": "and", "rules": list(rules)}


def test_a_good_tree_is_given_back_in_its_normal_form(post: Post) -> None:
    tree = group({"field": "price", "operator": "less_than", "value": "300 €"})

    answer = post("/v1/validate", {"source": "products", "tree": tree}).json

    assert (answer["valid"], answer["errors"]) == (True, [])
    again = post("/v1/validate", {"source": "products", "tree": answer["tree"]}).json
    assert answer["tree"] == again["tree"]


@pytest.mark.parametrize("field", ["supplier", "purchase_cost", "no_such_field"])
def test_f13_a_field_that_is_not_the_callers_refuses_the_whole_tree(
    post: Post, field: str
) -> None:
    tree = group(RED, {"field": field, "operator": "equals", "value": "x"})

    answer = post("/v1/validate", {"source": "products", "tree": tree}).json

    assert answer["valid"] is False
    assert [e["pointer"] for e in answer["errors"]] == ["/tree/rules/1/field"]
    assert field not in answer["errors"][0]["remedy"]


def test_what_the_engine_can_not_take_at_once_is_told_before_it_is_asked(
    post: Post,
) -> None:
    """The words of the refusal are those of the search, also for a rare spelling."""
    names = [f"never called so {n}" for n in range(60)]
    rules = [{"field": "name", "operator": "equals", "value": n} for n in names]
    either = {"type": "group", "operator": "or", "rules": rules[:30]}
    price = {"field": "price", "operator": "between"}
    cheap = [price | {"value": [n, 900]} for n in range(30)]
    other = {"type": "group", "operator": "or", "rules": cheap[:29]}
    tree = group(either, *cheap, other)

    judged = post("/v1/validate", {"source": "products", "tree": tree}).json
    refused = post("/v1/execute", {"source": "products", "tree": tree})

    (said,), (fault,) = judged["errors"], refused.json["errors"]
    assert (judged["valid"], refused.status) == (False, 422)
    assert said | {"pointer": ""} == fault | {"pointer": ""}
    assert said["code"] == "too-large"
    assert "one list" in said["remedy"]


@pytest.mark.parametrize(
    ("claims", "source", "status"),
    [
        ({"scope": "media:read"}, "products", 403),
        ({"scope": ""}, "products", 403),
        ({"tenant": "nobody"}, "products", 404),
        ({"profile": "no-such-profile"}, "products", 404),
        ({"scope": "elsewhere:read"}, "elsewhere", 404),
        ({"tenant": None}, "products", 401),
        ({"tenant": ["aurore", "boreal"]}, "products", 401),
        ({"client_id": None}, "products", 401),
        ({"seconds": -3600}, "products", 401),
        ({"aud": "https://other.example"}, "products", 401),
        ({"iss": "https://other.example"}, "products", 401),
    ],
)
def test_only_a_covering_token_opens_a_source(
    post: Post,
    token: Callable[..., str],
    claims: dict[str, Any],
    source: str,
    status: int,
) -> None:
    body = {"source": source, "tree": group(RED)}

    answer = post("/v1/validate", body, token(**claims))

    assert status == answer.status == answer.json["status"]
    assert answer.headers["content-type"] == "application/problem+json"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Post
from vitrine.caller import Caller
from vitrine.store import sessions
from vitrine.store.table import Table
from vitrine.tree.model import Group, Rule

LAMP = {"field": "full_text_search", "operator": "hybrid_search", "value": "lamp"}
LAMP_RULE = ("full_text_search", "hybrid_search")
DAY = 150
FORGED = "A" * 120


def tree(*rules: Any) -> dict[str, Any]:
    return {"type": "group", "operator": "and", "rules": list(rules)}


def body(*rules: Any, **more: Any) -> dict[str, Any]:
    return {"source": "products", "tree": tree(*rules or (LAMP,))} | more


def test_a_page_brings_public_facts_facets_and_the_report(post: Post) -> None:
    answer = post("/v1/execute", body()).json

    assert 1 <= len(answer["hits"]) <= 10
    assert {"ref", "title", "url"} <= set(answer["hits"][0])
    assert len(answer["facets"]) == 8
    assert answer["total"]["number"] >= len(answer["hits"])
    assert answer["report"]["mode"] == "strict"
    assert "lamp" in answer["report"]["sentence"]
    assert answer["budget"]["day_left"] == DAY - len(answer["hits"])


def test_pages_follow_each_other_without_repetition(post: Post) -> None:
    first = post("/v1/execute", body(limit=3)).json
    second = post("/v1/execute", body(limit=3, cursor=first["next_cursor"])).json

    refs = [hit["ref"] for page in (first, second) for hit in page["hits"]]
    assert 6 == len(refs) == len(set(refs))


def test_a_larger_page_is_refused_naming_ten(post: Post) -> None:
    answer = post("/v1/execute", body(limit=11))

    assert answer.status == 422
    assert "10" in answer.json["detail"]


@pytest.mark.parametrize(
    "broken",
    [
        {"tree": None},
        {"session": "s"},
        {"cursor": FORGED},
        {"limit": -1},
        {"surface": "mcp"},
        {"tenant": "boreal"},
        {"profile": "trusted"},
    ],
)
def test_a_body_that_can_not_be_run_is_refused(
    post: Post, broken: dict[str, Any]
) -> None:
    sent = {k: v for k, v in (body() | broken).items() if v is not None}

    answer = post("/v1/execute", sent)

    assert answer.status == 422
    assert answer.json["errors"]


def test_a_kept_session_is_searched_at_its_version(
    post: Post, table: Table, token: Callable[..., str], request: pytest.FixtureRequest
) -> None:
    caller = Caller("aurore", request.node.name, "desk")
    kept = sessions.create(
        table, caller, "products", number="s-1", now=datetime.now(UTC)
    )
    asked = {"source": "products", "session": kept.id}

    current = post("/v1/execute", asked | {"version": kept.version})
    stale = post("/v1/execute", asked | {"version": kept.version + 1})
    foreign = post("/v1/execute", asked, token(user="mallory"))
    unknown = post("/v1/execute", asked | {"session": "s-unknown"}, token())

    assert [current.status, stale.status] == [200, 409]
    assert stale.json["version"] == kept.version
    assert (foreign.status, foreign.json) == (unknown.status, unknown.json)
    assert foreign.status == 404


def test_one_product_more_than_a_session_has_is_refused_with_the_way_on(
    post: Post, table: Table, request: pytest.FixtureRequest
) -> None:
    caller = Caller("aurore", request.node.name, "desk")
    now = datetime.now(UTC)
    session = sessions.create(table, caller, "products", number="s-41", now=now)

    answers = []
    for word in ("lamp", "table", "chair", "mirror", "rug"):
        wanted = replace(session, tree=Group(rules=(Rule(*LAMP_RULE, word),)))
        session = sessions.save(table, wanted, seen=session.version, now=now)
        asked = {"source": "products", "session": session.id}
        answers.append(post("/v1/execute", asked))

    *pages, refused = answers
    assert [len(page.json["hits"]) for page in pages] == [10] * 4
    assert [page.json["budget"]["session_left"] for page in pages] == [30, 20, 10, 0]
    assert (refused.status, refused.json["budget"]) == (429, "session")
    assert "rug" in refused.json["way_on"]
    assert int(refused.headers["retry-after"]) > 0


def test_a_search_leaves_one_line_without_the_persons_words(
    post: Post, seeded: Stack
) -> None:
    word = "zwiebelmuster"
    post("/v1/execute", body(LAMP | {"value": word}, limit=1))

    written = seeded.logs("Execute")

    assert '"message":"query"' in written
    assert word not in written

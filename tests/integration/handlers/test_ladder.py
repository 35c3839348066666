"""What the ladder did is told on every way in: how, and which words came instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg import sql

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Call, Post, told

TRUSTED = {"media": "trusted", "persons": "trusted", "events": "trusted"}
SENTENCE = "une lumière de montagne au matin derrière la zyglothèque"
WIDENED = [
    ("media", "montagnne", "typo"),
    ("media", "biblioth", "prefix"),
    ("media", SENTENCE, "partial"),
    ("products", "lampadere", "typo"),
]
"""Sources, words that nothing has as they stand, and the rung that they end at."""
widened = pytest.mark.parametrize(("source", "said", "mode"), WIDENED)
HIDDEN = sql.SQL("""INSERT INTO library.assets
    (tenant, language, kind, status, title, occurred_at, owner, teams, is_public)
    VALUES ('aurore', 'fr', 'photo', 'approved', 'Brumaille', '2030-01-01', 'nora',
        '{direction}', FALSE)""")
WORD = sql.SQL("INSERT INTO directory.words VALUES ('media', 'aurore', 'brumaille')")
GONE = sql.SQL("DELETE FROM library.assets WHERE title = 'Brumaille'")
FORGOTTEN = sql.SQL("DELETE FROM directory.words WHERE word = 'brumaille'")


@pytest.fixture
def bearer(token: Callable[..., str]) -> str:
    return token(profile=TRUSTED)


def tree(said: str, *rules: dict[str, Any]) -> dict[str, Any]:
    words = {"field": "full_text_search", "operator": "keyword_search", "value": said}
    return {"type": "group", "operator": "and", "rules": [words, *rules]}


def ran(report: dict[str, Any]) -> tuple[Any, ...]:
    return report["mode"], report.get("original"), report.get("fallback")


@pytest.mark.parametrize("case", WIDENED)
def test_http_chat_and_agents_are_told_the_same(
    post: Post, call: Call, bearer: str, case: tuple[str, str, str]
) -> None:
    """S01: the words that were asked, those that were searched, and how."""
    source, said, mode = case
    body = {"source": source, "tree": tree(said)}
    api = post("/v1/execute", body, bearer).json["report"]
    agent = call(f"search_{source}", bearer, query=said, limit=10)
    kept = agent["structuredContent"]
    session = {"source": source, "session": kept["session"], "surface": "chat_preview"}
    chat = post("/v1/execute", session, bearer).json["report"]

    assert (mode, said) == ran(api)[:2]
    assert api["fallback"]
    assert ran(api) == ran(chat) == ran(kept["report"])
    assert f"Widened to {mode} matches." in told(agent)
    assert f"Instead of {said!r}: {api['fallback']!r}" in told(agent)


@widened
def test_a_hit_that_lacks_a_word_says_so_itself(
    post: Post, bearer: str, source: str, said: str, mode: str
) -> None:
    body = {"source": source, "tree": tree(said)}

    hits = post("/v1/execute", body, bearer).json["hits"]

    assert hits
    assert {mode} == {hit["mode"] for hit in hits}


@widened
def test_a_later_page_tells_what_the_first_did(
    post: Post, bearer: str, source: str, said: str, mode: str
) -> None:
    body = {"source": source, "tree": tree(said), "limit": 2}
    first = post("/v1/execute", body, bearer).json

    onward = body | {"cursor": first["next_cursor"]}
    second = post("/v1/execute", onward, bearer).json

    assert mode == second["report"]["mode"]
    assert ran(first["report"]) == ran(second["report"])


@widened
def test_a_filter_changes_nothing_of_it(
    post: Post, bearer: str, source: str, said: str, mode: str
) -> None:
    """S02: even one that leaves nothing."""
    key = "price" if source == "products" else "width"
    none = {"field": key, "operator": "less_than", "value": 1}

    answer = post("/v1/execute", {"source": source, "tree": tree(said, none)}, bearer)

    assert [] == answer.json["hits"]
    if source == "media":
        assert (mode, said) == ran(answer.json["report"])[:2]


def test_an_explanation_says_how_it_counted_words(
    post: Post, call: Call, bearer: str
) -> None:
    none = {"field": "width", "operator": "less_than", "value": 1}
    body = {"source": "media", "tree": tree("montagne", none)}

    over_http = post("/v1/explain-empty", body, bearer).json
    agent = call(
        "explain_empty", bearer, source="media", query="montagne", filters=[none]
    )
    wordless = {**body, "tree": {**body["tree"], "rules": [none]}}

    assert not agent.get("isError"), told(agent)
    assert "strict" == over_http["mode"] == agent["structuredContent"]["mode"]
    assert "Words are counted as they were written." in told(agent)
    assert "mode" not in post("/v1/explain-empty", wordless, bearer).json


@pytest.fixture
def _hidden(seeded: Stack) -> Iterator[None]:
    """Add a word that the management's team alone may see, known to the dictionary."""
    with closing(psycopg.connect(seeded.dsn, autocommit=True)) as connection:
        connection.execute(HIDDEN)
        connection.execute(WORD)
        yield
        connection.execute(GONE)
        connection.execute(FORGOTTEN)


@pytest.mark.usefixtures("_hidden")
@pytest.mark.parametrize(("user", "sees"), [("nora", True), ("jeanne", False)])
def test_t03_no_correction_is_a_word_of_a_hidden_row(
    post: Post, call: Call, token: Callable[..., str], *, user: str, sees: bool
) -> None:
    bearer = token(user=user, profile=TRUSTED)
    body = {"source": "media", "tree": tree("brumailel")}

    over_http = post("/v1/execute", body, bearer).body.decode()
    agent = str(call("search_media", bearer, query="brumailel", limit=10))

    assert (sees, sees) == ("brumaille" in over_http, "brumaille" in agent)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.handlers.conftest import Post

Say = Callable[..., dict[str, Any]]


@pytest.fixture
def say(post: Post) -> Say:
    """Say a message about the shop, and give the turn."""

    def said(message: str, session: str | None = None, **more: str) -> dict[str, Any]:
        body = {"source": "products", "message": message} | more
        answer = post("/v1/interpret", body | ({"session": session} if session else {}))
        assert answer.status == 200, answer.body
        turn: dict[str, Any] = answer.json
        return turn

    return said


def fields(node: dict[str, Any]) -> list[str]:
    if "field" in node:
        return [node["field"]]
    return [field for rule in node["rules"] for field in fields(rule)]


def test_a_sentence_becomes_a_tree_that_executes(say: Say, post: Post) -> None:
    turn = say("oak tables under 900 euros")
    asked = {"source": "products", "session": turn["session"], "version": 1}

    answer = post("/v1/execute", asked)

    assert "price" in fields(turn["tree"])
    assert (turn["version"], turn["turn"]["by"]) == (1, "lexicon")
    assert answer.status == 200
    prices = [float(hit["price"]["amount"]) for hit in answer.json["hits"]]
    assert prices
    assert max(prices) <= 900


def test_a_refinement_replaces_in_place_and_says_so(say: Say) -> None:
    first = say("tables under 900 euros")
    second = say("under 500 euros instead", first["session"])

    assert fields(first["tree"]).count("price") == fields(second["tree"]).count("price")
    assert "replaced" in [change["kind"] for change in second["changes"]]
    assert "500" in second["summary"]
    assert second["version"] == 2


def test_french_is_answered_in_french(say: Say) -> None:
    turn = say("une table en chêne à moins de 900 €", language="fr")

    assert "prix" in turn["sentence"].lower()


def test_a_turn_by_the_lexicon_is_free(say: Say) -> None:
    cost = say("lamp")["cost"]

    assert cost == {"calls": 0, "retries": 0, "tokens": 0, "micros": 0}


@pytest.mark.parametrize("message", ["", "x" * 2_001])
def test_a_message_out_of_bounds_is_refused(post: Post, message: str) -> None:
    answer = post("/v1/interpret", {"source": "products", "message": message})

    assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, "/message")


def test_a_session_belongs_to_its_person_and_client(
    say: Say, post: Post, token: Callable[..., str]
) -> None:
    session = say("lamp")["session"]
    body = {"source": "products", "message": "red", "session": session}

    for thief in ({"user": "mallory"}, {"client": "other"}, {"tenant": "boreal"}):
        assert post("/v1/interpret", body, token(**thief)).status == 404


def test_a_fresh_token_continues_a_session(
    say: Say, post: Post, token: Callable[..., str]
) -> None:
    session = say("lamp")["session"]
    body = {"source": "products", "message": "red", "session": session}

    assert post("/v1/interpret", body, token(jti="another")).json["version"] == 2


def test_a_session_keeps_to_its_source(say: Say, post: Post) -> None:
    session = say("lamp")["session"]
    body = {"source": "media", "message": "paysage", "session": session}

    assert post("/v1/interpret", body).json["errors"][0]["code"] == "other_source"


def test_the_twenty_first_message_of_a_minute_is_refused(post: Post) -> None:
    body = {"source": "products", "message": "lamp"}

    answers = [post("/v1/interpret", body) for _ in range(21)]

    assert [answer.status for answer in answers[:20]] == [200] * 20
    assert (
        answers[20].status,
        answers[20].json["type"],
    ) == (429, "urn:vitrine:problem:too-fast")
    assert 0 < int(answers[20].headers["retry-after"]) <= 60

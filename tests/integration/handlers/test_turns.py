"""Agents' turns: sentences, intents, forms, dry runs, and empty results explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Call, told
from tests.unit.edge.fake_agent import ERAS, rpc

TRUSTED = {"media": "trusted", "persons": "trusted", "events": "trusted"}
RED = {"field": "colour", "operator": "equals", "value": "red"}
CHEAP = {"field": "price", "operator": "less_than", "value": "1"}
LANDSCAPE = {"field": "orientation", "operator": "equals", "value": "landscape"}
FORMS = {"elicitation": {"form": {}}}


def test_an_empty_search_is_explained_by_its_session(call: Call) -> None:
    empty = call("search_products", query="lamp", filters=[CHEAP])
    session = empty["structuredContent"]["session"]

    by_session = call("explain_empty", source="products", session=session)
    by_words = call("explain_empty", source="products", query="lamp", filters=[CHEAP])

    assert not empty["structuredContent"]["hits"]
    blocked = [f["blocks"] for f in by_session["structuredContent"]["filters"]]
    assert any(blocked)
    assert (
        by_session["structuredContent"]["filters"]
        == (by_words["structuredContent"]["filters"])
    )
    assert "blocks: " in told(by_session)


def test_a_search_that_finds_something_is_not_explained(call: Call) -> None:
    answer = call("explain_empty", source="products", query="lamp")

    assert answer["isError"]
    assert "nothing to explain" in told(answer)


def test_a_sentence_is_searched_and_changed(call: Call) -> None:
    first = call("ask", source="products", message="oak tables under 900 euros")
    data = first["structuredContent"]
    again = call(
        "ask",
        source="products",
        message="under 500 euros instead",
        session=data["session"],
    )["structuredContent"]

    assert data["hits"]
    assert "900" in data["sentence"]
    assert "500" in again["changes"]
    assert again["session"] == data["session"]
    prices = [float(hit["price"]["amount"]) for hit in again["hits"]]
    assert all(price <= 500 for price in prices)


def test_an_ambiguous_word_is_asked_back_as_a_field(
    call: Call, token: Callable[..., str]
) -> None:
    bearer = token(profile=TRUSTED)

    answer = call("ask", bearer, source="media", message="paysage", language="fr")
    data = answer["structuredContent"]
    settled = call(
        "ask", bearer, source="media", message="format", session=data["session"]
    )

    assert "hits" not in data
    assert {"format", "subject"} == {o["name"] for o in data["clarify"]["options"]}
    assert data["clarify"]["question"] in told(answer)
    assert settled["structuredContent"]["hits"]


@pytest.mark.parametrize(
    ("asked", "doubted"),
    [
        ({"query": "paysage"}, True),
        ({"query": "paysage", "filters": [LANDSCAPE]}, False),
        ({"query": "format paysage"}, False),
        ({"query": "forêt"}, False),
    ],
)
def test_an_agents_word_with_two_readings_is_searched_and_asked_about(
    call: Call, token: Callable[..., str], asked: dict[str, Any], doubted: bool
) -> None:
    answer = call("search_media", token(profile=TRUSTED), language="fr", **asked)
    data = answer["structuredContent"]

    assert data["total"]["kind"]
    assert doubted == ("clarify" in data)
    assert doubted == ("Perhaps to be asked" in told(answer))


@pytest.fixture
def elicit(seeded: Stack, token: Callable[..., str]) -> Callable[..., Any]:
    """Ask about a word with two readings, as a client that has forms."""
    bearer = token(profile=TRUSTED)

    def asked(era: str = ERAS[1], bearer: str = bearer, **params: Any) -> Any:
        given = {"source": "media", "message": "paysage"}
        request = rpc(
            era, "tools/call", **({"name": "ask", "arguments": given} | params)
        )
        body = json.loads(request["body"])
        if "_meta" in body["params"]:
            key = "io.modelcontextprotocol/clientCapabilities"
            body["params"]["_meta"][key] = FORMS
        kept = {k: v for k, v in request["headers"].items() if "mcp" in k}
        kept["accept"] = request["headers"]["accept"]
        return seeded.call("POST", "/mcp", body, bearer, headers=kept).json

    return asked


def filled(reading: str) -> dict[str, Any]:
    return {"answer": {"action": "accept", "content": {"reading": reading}}}


def test_a_client_with_forms_is_given_one(elicit: Callable[..., Any]) -> None:
    form = elicit()["result"]
    schema = form["inputRequests"]["answer"]["params"]["requestedSchema"]

    done = elicit(requestState=form["requestState"], inputResponses=filled("format"))

    assert form["resultType"] == "input_required"
    options = [one["const"] for one in schema["properties"]["reading"]["oneOf"]]
    assert options == ["format", "subject"]
    assert done["result"]["structuredContent"]["hits"]


def test_another_instance_reads_a_forms_answer(
    elicit: Callable[..., Any], seeded: Stack
) -> None:
    form = elicit()["result"]
    seeded.renew("Mcp")

    done = elicit(requestState=form["requestState"], inputResponses=filled("format"))

    assert done["result"]["structuredContent"]["hits"]


def test_a_retry_finds_its_form_and_the_forms_own_answer(
    elicit: Callable[..., Any],
) -> None:
    given = {"source": "media", "message": "paysage", "request_id": "f-1"}
    forms = [elicit(arguments=given)["result"] for _ in range(2)]
    sent = {
        "arguments": given,
        "requestState": forms[0]["requestState"],
        "inputResponses": filled("format"),
    }

    first, retry = (elicit(**sent)["result"] for _ in range(2))
    other = elicit(**sent | {"inputResponses": filled("subject")})["result"]

    assert "input_required" == forms[0]["resultType"]
    assert forms[0] == forms[1]
    assert first["structuredContent"]["hits"]
    # The marks in the lines are drawn anew for each answer: this one was kept.
    assert first["content"] == retry["content"]
    assert first["structuredContent"] == retry["structuredContent"]
    assert other["structuredContent"] != first["structuredContent"]


def test_a_retried_sentence_is_one_answer_and_one_charge(call: Call) -> None:
    asked = {"source": "products", "message": "oak tables", "request_id": "s-1"}
    first, retry = (call("ask", **asked) for _ in range(2))
    session = first["structuredContent"]["session"]
    after = call("search_products", query="oak table", limit=0)

    assert first["content"] == retry["content"]
    left = [a["structuredContent"]["budget"]["day_left"] for a in (first, after)]
    assert left[0] == left[1]
    assert retry["structuredContent"]["session"] == session


def test_a_form_that_is_declined_leaves_the_question(
    elicit: Callable[..., Any],
) -> None:
    form = elicit()["result"]
    declined = {"answer": {"action": "decline"}}

    done = elicit(requestState=form["requestState"], inputResponses=declined)

    assert "hits" not in done["result"]["structuredContent"]
    assert done["result"]["structuredContent"]["clarify"]["question"]


def test_the_older_era_has_no_forms(elicit: Callable[..., Any]) -> None:
    answer = elicit(ERAS[0])["result"]

    assert answer["structuredContent"]["clarify"]


@pytest.mark.parametrize("theft", ["user", "arguments", "forged"])
def test_a_forms_state_serves_only_who_and_what_it_was_made_for(
    elicit: Callable[..., Any], token: Callable[..., str], theft: str
) -> None:
    state = elicit()["result"]["requestState"]
    more: dict[str, Any] = {
        "user": {"bearer": token(user="mallory", profile=TRUSTED)},
        "arguments": {"arguments": {"source": "media", "message": "portrait"}},
        "forged": {},
    }[theft]
    sent = "A" * 80 if theft == "forged" else state

    answer = elicit(requestState=sent, inputResponses=filled("format"), **more)

    assert (answer["error"]["code"], "result" in answer) == (-32602, False)
    assert "requestState" in answer["error"]["message"]


def test_a_dry_run_says_the_search_and_charges_nothing(call: Call) -> None:
    dry = call("search_products", query="lamp", filters=[RED], dry_run=True)
    wrong = call(
        "search_products", filters=[RED | {"value": "no such colour"}], dry_run=True
    )
    after = call("search_products", query="lamp", limit=1)["structuredContent"]

    assert "hits" not in dry["structuredContent"]
    assert "session" not in dry["structuredContent"]
    assert "lamp" in dry["structuredContent"]["sentence"]
    assert wrong["isError"]
    assert after["budget"]["day_left"] == 149


def test_an_intent_says_what_to_do_with_the_session(call: Call) -> None:
    """Each intent is the merge's own; here only that it is passed on."""
    first = call("search_products", query="lamp", filters=[RED])["structuredContent"]
    session = first["session"]

    removed = call(
        "search_products",
        session=session,
        intent="remove",
        filters=[{"field": "colour"}],
    )["structuredContent"]
    anew = call("search_products", session=session, intent="search", query="table")
    emptied = call("search_products", session=session, intent="reset")

    assert not [a["content"] for a in (anew, emptied) if a.get("isError")]
    assert "lamp" in removed["sentence"]
    assert "red" not in removed["sentence"]
    assert "lamp" not in anew["structuredContent"]["sentence"]
    assert not emptied["structuredContent"]["hits"]
    assert emptied["structuredContent"]["facets"]


@pytest.mark.parametrize("intent", ["refine", "expand", "remove"])
def test_an_intent_that_needs_a_session_says_so(call: Call, intent: str) -> None:
    answer = call("search_products", intent=intent, query="lamp")

    assert answer["isError"]
    assert "session" in told(answer)

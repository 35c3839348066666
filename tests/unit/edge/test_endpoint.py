from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.edge.fake_agent import ERAS, FRONT, TRUST, Scripted, event, rpc, served
from vitrine.edge.exchange import Form
from vitrine.problems import BudgetSpent, Fault, Invalid, Unavailable


def result(answer: dict[str, Any]) -> Any:
    assert answer["statusCode"] == 200
    return json.loads(answer["body"])["result"]


@pytest.mark.parametrize("era", ERAS)
def test_both_eras_list_the_callers_tools_in_order(era: str) -> None:
    handler = served(Scripted())

    listed = result(handler(rpc(era, "tools/list"), None))["tools"]

    assert [tool["name"] for tool in listed] == ["search_shop", "describe_source"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in listed)


@pytest.mark.parametrize("era", ERAS)
def test_both_eras_call_a_tool_and_get_both_channels(era: str) -> None:
    agent = Scripted(({"note": "one"}, "one found"))

    answer = result(
        served(agent)(
            rpc(era, "tools/call", name="search_shop", arguments={"query": "x"}), None
        )
    )

    assert answer["structuredContent"] == {"note": "one"}
    assert answer["content"] == [{"type": "text", "text": "one found"}]
    assert [(a.name, a.arguments) for a in agent.calls] == [
        ("search_shop", {"query": "x"})
    ]


def test_a_hundred_warm_invocations_answer_alike() -> None:
    handler = served(Scripted())
    call = {"name": "search_shop", "arguments": {}}

    answers = [
        handler(rpc(ERAS[i % 2], "tools/call", **call), None) for i in range(100)
    ]

    assert {200} == {answer["statusCode"] for answer in answers}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (Invalid([Fault("/limit", "argument", "limit: 10 at most", "Send 10.")]), "10"),
        (BudgetSpent("All 30 are shown.", way_on="https://s.example"), "s.example"),
        (Unavailable("The search engine does not answer."), "does not answer"),
    ],
)
def test_a_refusal_is_text_that_a_model_can_read(
    era: str, refusal: Exception, said: str
) -> None:
    answer = result(
        served(Scripted(refusal))(
            rpc(era, "tools/call", name="search_shop", arguments={}), None
        )
    )

    assert answer["isError"]
    assert "structuredContent" not in answer
    assert said in answer["content"][0]["text"]


@pytest.mark.parametrize("era", ERAS)
def test_an_unforeseen_fault_leaks_nothing(era: str) -> None:
    handler = served(Scripted(ValueError("password=hunter2")))

    answer = handler(rpc(era, "tools/call", name="search_shop", arguments={}), None)

    assert result(answer)["isError"]
    assert "hunter2" not in answer["body"]


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_tool_is_a_protocol_error(era: str) -> None:
    agent = Scripted()

    answer = served(agent)(rpc(era, "tools/call", name="drop", arguments={}), None)

    assert json.loads(answer["body"])["error"]["code"] == -32602
    assert not agent.calls


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_served_and_nothing_idles(method: str) -> None:
    answer = served(Scripted())(event(method, authorization="Bearer good"), None)

    assert (answer["statusCode"], answer["headers"]["allow"]) == (405, "POST")


@pytest.mark.parametrize("suffix", ["", "/mcp"])
def test_the_metadata_is_public_and_spelt_as_configured(suffix: str) -> None:
    path = f"/.well-known/oauth-protected-resource{suffix}"

    answer = served(Scripted())(event("GET", path), None)

    assert json.loads(answer["body"]) == {
        "resource": TRUST.audience,
        "authorization_servers": [TRUST.issuer],
        "bearer_methods_supported": ["header"],
        "scopes_supported": list(FRONT.scopes),
    }


@pytest.mark.parametrize(
    ("token", "status", "error"),
    [
        ({}, 401, None),
        ({"authorization": "Bearer bad"}, 401, "invalid_token"),
        ({"authorization": "Bearer narrow"}, 403, "insufficient_scope"),
    ],
)
def test_a_challenge_names_the_metadata_and_all_scopes(
    token: dict[str, str], status: int, error: str | None
) -> None:
    answer = served(Scripted())(event(body={}, **token), None)
    challenge = answer["headers"]["www-authenticate"]

    assert status == answer["statusCode"] == json.loads(answer["body"])["status"]
    assert challenge.startswith("Bearer ")
    assert 'scope="shop:read library:read"' in challenge
    assert (
        'resource_metadata="https://api.example/.well-known/oauth-protected-resource/mcp"'
        in challenge
    )
    assert (f'error="{error}"' in challenge) is bool(error)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "api.example:443"}, 200),
        ({"host": "evil.example"}, 421),
        ({"origin": "https://api.example"}, 200),
        ({"origin": "https://app.example"}, 200),
        ({"origin": "https://app.example.evil.example"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://api.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_only_our_hosts_and_origins_are_served(
    headers: dict[str, str], status: int
) -> None:
    request = rpc(ERAS[1], "tools/list")
    request["headers"] |= headers

    assert status == served(Scripted())(request, None)["statusCode"]


def test_a_subscription_is_not_kept_open() -> None:
    answer = served(Scripted())(
        rpc(ERAS[1], "subscriptions/listen", notifications={}), None
    )

    assert answer["statusCode"] == 404


def test_a_large_body_is_refused_unread() -> None:
    agent = Scripted()
    call = {"name": "search_shop", "arguments": {"query": "x" * 300_000}}

    assert served(agent)(rpc(ERAS[1], "tools/call", **call), None)["statusCode"] == 413
    assert not agent.calls


@pytest.mark.parametrize("era", ERAS)
def test_a_tool_of_a_wider_token_is_a_step_up_and_not_run(era: str) -> None:
    agent = Scripted(withheld={"log_note": "notes:write"})

    answer = served(agent)(rpc(era, "tools/call", name="log_note", arguments={}), None)
    challenge = answer["headers"]["www-authenticate"]

    assert answer["statusCode"] == 403
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="shop:read library:read notes:write"' in challenge
    assert not agent.calls


@pytest.mark.parametrize(
    "body",
    ['{"method": "tools/call"', "[]", '"tools/call"', '{"params": ["tools/call"]}'],
)
def test_a_body_that_is_no_call_is_the_protocols_to_judge(body: str) -> None:
    request = rpc(ERAS[0], "tools/call", name="log_note") | {"body": body}

    answer = served(Scripted(withheld={"log_note": "notes:write"}))(request, None)

    assert 400 <= answer["statusCode"] < 500
    assert answer["statusCode"] != 403


def asked(era: str, *, able: bool = True) -> dict[str, Any]:
    request = rpc(era, "tools/call", name="search_shop", arguments={})
    body = json.loads(request["body"])
    if able and "_meta" in body["params"]:
        key = "io.modelcontextprotocol/clientCapabilities"
        body["params"]["_meta"][key] = {"elicitation": {"form": {}}}
    return request | {"body": json.dumps(body)}


@pytest.mark.parametrize(
    ("era", "able", "forms"),
    [(ERAS[1], True, True), (ERAS[1], False, False), (ERAS[0], True, False)],
)
def test_only_era_and_client_together_have_forms(
    era: str, *, able: bool, forms: bool
) -> None:
    agent = Scripted()

    served(agent)(asked(era, able=able), None)

    assert [forms] == [call.forms for call in agent.calls]


def test_a_form_is_put_with_its_options_and_its_state() -> None:
    form = Form("Which?", "reading", {"a": "The one", "b": "The other"}, "sealed")

    answer = result(served(Scripted(form))(asked(ERAS[1]), None))
    shown = answer["inputRequests"]["answer"]["params"]["requestedSchema"]

    assert (answer["resultType"], answer["requestState"]) == (
        "input_required",
        "sealed",
    )
    assert shown["properties"]["reading"]["oneOf"] == [
        {"const": "a", "title": "The one"},
        {"const": "b", "title": "The other"},
    ]


@pytest.mark.parametrize(
    ("tried", "ours"),
    [("describe_shop", "describe_source"), ("describe", "describe_source")],
)
def test_another_name_of_a_tool_is_answered_with_its_own(tried: str, ours: str) -> None:
    answer = result(served(Scripted())(rpc(ERAS[0], "tools/call", name=tried), None))

    assert answer["isError"]
    assert ours in answer["content"][0]["text"]


def test_the_page_for_models_is_public() -> None:
    answer = served(Scripted())(event("GET", "/llms.txt"), None)

    assert answer["statusCode"] == 200
    assert TRUST.audience in answer["body"]
    assert "search_shop" not in answer["body"]

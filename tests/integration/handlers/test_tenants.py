"""T03: over every handler and every tool, nothing of another organisation is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.contract.fix_house import HANDLERS, routes
from tests.integration.handlers import twins
from tests.integration.handlers.conftest import Post, Send
from tests.integration.handlers.twins import MARKS, WORDS
from tests.unit.edge.fake_agent import ERAS

SOURCES = ("events", "media", "persons", "products")
SCOPES = " ".join((*(f"{source}:read" for source in SOURCES), "notes:write", "admin"))
TRUSTED = dict.fromkeys(SOURCES, "trusted")
NOTHING = {"field": "full_text_search", "operator": "keyword_search", "value": "qqqq"}
TEXT = NOTHING | {"value": WORDS}
Given = Mapping[str, Any]


@pytest.fixture(scope="session")
def planted(seeded: Stack) -> Stack:
    """The stack with a twin in each organisation."""
    twins.plant(seeded.dsn)
    return seeded


@pytest.fixture(params=sorted(MARKS))
def mine(request: pytest.FixtureRequest, planted: Stack) -> str:
    """Whose eyes we look through."""
    assert planted
    return str(request.param)


@pytest.fixture
def member(token: Callable[..., str]) -> Callable[[str], str]:
    """Mint a trusted member of an organisation."""
    return lambda tenant: token(
        tenant=tenant, profile=TRUSTED, scope=SCOPES, user="walker"
    )


def tree(rule: Given) -> dict[str, Any]:
    return {"type": "group", "operator": "and", "rules": [rule]}


def bodies(source: str) -> dict[str, dict[str, Any]]:
    """Say what to ask of each route; a route that is new here fails the walk."""
    asked = {"source": source, "tree": tree(TEXT)}
    allowed = {"client": "bot", "scope": "notes:write", "reason": "a walk"}
    return {
        "POST /v1/admin/grants": allowed | {"dry_run": True},
        "POST /v1/admin/grants/end": allowed | {"dry_run": True},
        "POST /v1/interpret": {"source": source, "message": WORDS},
        "POST /v1/validate": asked,
        "POST /v1/execute": asked,
        "POST /v1/explain-empty": {"source": source, "tree": tree(NOTHING)},
    }


def asked(tool: str, source: str, known: list[str]) -> dict[str, Any]:
    """Say what to ask of each tool; a tool that is new here fails the walk."""
    named = [*known[:8], *(f"TWIN-{mark}" for mark in MARKS.values())]
    return {
        f"search_{source}": {"query": WORDS, "limit": 10},
        f"get_{source}": {"refs": named},
        "describe_source": {"source": source},
        "explain_empty": {"source": source, "query": "qqqq"},
        "ask": {"source": source, "message": WORDS, "limit": 10},
        "get_record": {"source": source, "ref": known[0] if known else "a" * 26},
        "log_note": {"text": "hello", "people": known[:1], "request_id": source},
        "undo_note": {"note_ref": known[0] if known else "a" * 26},
    }[tool]


def walked(
    post: Post, send: Send, bearer: str, known: list[str]
) -> Iterator[tuple[str, Any]]:
    """Ask every route and every tool about every source."""
    tools = send(ERAS[1], "tools/list", bearer).json["result"]["tools"]
    paths = {r for n in HANDLERS for r in routes(n) if r.startswith("POST /v1/")}
    for source in SOURCES:
        said = bodies(source)
        assert set(said) == paths
        for route, body in said.items():
            yield route, post(route.removeprefix("POST "), body, bearer).json
        for name in (tool["name"] for tool in tools if fits(tool["name"], source)):
            given = asked(name, source, known)
            answer = send(ERAS[1], "tools/call", bearer, name=name, arguments=given)
            yield name, answer.json["result"]


def without(text: str, echoed: set[str]) -> str:
    """Leave out what the caller said and the answer names as not found."""
    for said in echoed:
        text = text.replace(said, "")
    return text


def fits(tool: str, source: str) -> bool:
    """Leave out the tools of another source."""
    return not any(tool.endswith(f"_{other}") for other in SOURCES if other != source)


def test_t03_nothing_of_another_tenant_leaves(
    post: Post, send: Send, member: Callable[[str], str], mine: str
) -> None:
    (theirs,) = set(MARKS) - {mine}
    foreign = twins.traces(theirs)
    known = sorted(twins.refs([a for _, a in walked(post, send, member(theirs), [])]))

    said = dict(walked(post, send, member(mine), known))
    whole = json.dumps(list(said.values()))

    assert MARKS[mine] in whole
    assert known
    echoed = {f"TWIN-{MARKS[theirs]}", *known}
    assert not [trace for trace in foreign if trace in without(whole, echoed)]
    assert not set(known) & twins.refs(list(said.values()))


def test_a_session_of_another_tenant_is_no_session(
    post: Post, member: Callable[[str], str]
) -> None:
    body = {"source": "events", "message": WORDS}
    theirs = post("/v1/interpret", body, member("boreal")).json["session"]

    foreign = post("/v1/execute", {"source": "events", "session": theirs})
    unknown = post("/v1/execute", {"source": "events", "session": "no-such-session"})

    assert foreign.status == 404
    assert (foreign.status, foreign.json) == (unknown.status, unknown.json)

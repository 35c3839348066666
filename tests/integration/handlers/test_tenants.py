"""T03: over every handler and every tool, nothing of another organisation is found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.local.stack import Response, Stack
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
Ask = Callable[..., Response]
HANDLES = ("session", "search", "share")
HANDLED = re.compile(r"\{(session|search)\}|/open$")
"""Routes that are asked for by another one's handle."""


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
def ask(planted: Stack) -> Ask:
    """Ask any route in any method."""
    return planted.call


@pytest.fixture
def member(token: Callable[..., str]) -> Callable[[str], str]:
    """Mint a trusted member of an organisation."""
    return lambda tenant: token(
        tenant=tenant, profile=TRUSTED, scope=SCOPES, user="walker"
    )


def tree(rule: Given) -> dict[str, Any]:
    return {"type": "group", "operator": "and", "rules": [rule]}


def bodies(source: str) -> dict[str, dict[str, Any] | None]:
    """Say what to ask of each route; a route that is new here fails the walk."""
    asked = {"source": source, "tree": tree(TEXT)}
    allowed = {"client": "bot", "scope": "notes:write", "reason": "a walk"}
    raised = {"source": source, "user": "walker", "reason": "a walk", "dry_run": True}
    pulled = {"reason": "a walk", "dry_run": True}
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    return {
        "GET /v1/admin/caps": None,
        "POST /v1/admin/caps": raised | {"caps": {"day": 400}, "until": until},
        "POST /v1/admin/caps/end": raised,
        "GET /v1/admin/grants": None,
        "POST /v1/admin/grants": allowed | {"dry_run": True},
        "POST /v1/admin/grants/end": allowed | {"dry_run": True},
        "GET /v1/admin/manifests": None,
        "GET /v1/admin/manifests/{source}": None,
        # Both organisations have a member of this name.
        "POST /v1/admin/export": {"subject": "walker"},
        "POST /v1/admin/erasure": pulled | {"subject": "walker"},
        "GET /v1/admin/switch": None,
        "POST /v1/admin/switch": pulled | {"until": until},
        "POST /v1/admin/switch/clear": pulled,
        "POST /v1/interpret": {"source": source, "message": WORDS},
        "POST /v1/validate": asked,
        "POST /v1/execute": asked,
        "POST /v1/explain-empty": {"source": source, "tree": tree(NOTHING)},
        "POST /v1/sessions": asked,
        "GET /v1/sessions/{session}": None,
        "PUT /v1/sessions/{session}": {"version": 0, "tree": tree(TEXT)},
        "DELETE /v1/sessions/{session}": None,
        "POST /v1/searches": asked | {"name": "a walk"},
        "GET /v1/searches": None,
        "GET /v1/searches/{search}": None,
        "POST /v1/searches/{search}/share": {},
        "POST /v1/searches/open": {"share": "{share}"},
        "DELETE /v1/searches/{search}": None,
    }


def holds(ask: Ask, bearer: str, mark: str) -> dict[str, str]:
    """Begin a session, save a search under a name of its own, and share it."""
    body = {"source": "events", "tree": tree(TEXT | {"value": mark})}
    begun = ask("POST", "/v1/sessions", body, bearer).json
    kept = ask("POST", "/v1/searches", body | {"name": f"of {mark}"}, bearer).json
    path = f"/v1/searches/{kept['search']}/share"
    shared = ask("POST", path, {}, bearer).json
    return {
        "session": begun["session"],
        "search": kept["search"],
        "share": shared["share"],
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


@dataclass(frozen=True, slots=True)
class Walk:
    """How everything is asked: by whom, with whose handles and references."""

    ask: Ask
    send: Send
    bearer: str
    held: Mapping[str, str]
    known: list[str]

    def answers(self) -> Iterator[tuple[str, Any]]:
        """Ask every route and every tool about every source."""
        for source in SOURCES:
            yield from self._routes(source)
            yield from self._tools(source)

    def _routes(self, source: str) -> Iterator[tuple[str, Any]]:
        said = bodies(source)
        known = {r for n in HANDLERS for r in routes(n) if " /v1/" in r}
        assert set(said) == known
        for route, body in said.items():
            asked = self._filled(route.replace("{source}", source))
            method, path = asked.split(" ", 1)
            given = body and json.loads(self._filled(json.dumps(body)))
            yield route, self.ask(method, path, given, self.bearer).json

    def _filled(self, text: str) -> str:
        for name, handle in self.held.items():
            text = text.replace(f"{{{name}}}", handle)
        return text

    def _tools(self, source: str) -> Iterator[tuple[str, Any]]:
        listed = self.send(ERAS[1], "tools/list", self.bearer).json["result"]["tools"]
        for name in (tool["name"] for tool in listed if fits(tool["name"], source)):
            call = {"name": name, "arguments": asked(name, source, self.known)}
            answer = self.send(ERAS[1], "tools/call", self.bearer, **call)
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
    ask: Ask, send: Send, member: Callable[[str], str], mine: str
) -> None:
    """With their references, their session, their saved search and its link at hand."""
    (theirs,) = set(MARKS) - {mine}
    foreign, own = twins.traces(theirs), dict.fromkeys(HANDLES, "none")
    held = holds(ask, member(theirs), MARKS[theirs])
    first = Walk(ask, send, member(theirs), own, [])
    known = sorted(twins.refs([answer for _, answer in first.answers()]))

    said = list(Walk(ask, send, member(mine), held, known).answers())
    whole = json.dumps([answer for _, answer in said])

    assert MARKS[mine] in whole
    assert known
    echoed = {f"TWIN-{MARKS[theirs]}", *known}
    assert not [trace for trace in foreign if trace in without(whole, echoed)]
    assert not set(known) & twins.refs([answer for _, answer in said])
    refused = [answer for route, answer in said if HANDLED.search(route)]
    assert {answer["status"] for answer in refused} <= {404, 422}
    path = f"/v1/searches/{held['search']}"
    assert ask("GET", path, None, member(theirs)).json["name"] == f"of {MARKS[theirs]}"


def test_a_session_of_another_tenant_is_no_session(
    post: Post, member: Callable[[str], str]
) -> None:
    body = {"source": "events", "message": WORDS}
    theirs = post("/v1/interpret", body, member("boreal")).json["session"]

    foreign = post("/v1/execute", {"source": "events", "session": theirs})
    unknown = post("/v1/execute", {"source": "events", "session": "no-such-session"})

    assert foreign.status == 404
    assert (foreign.status, foreign.json) == (unknown.status, unknown.json)

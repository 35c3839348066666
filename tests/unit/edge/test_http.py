from __future__ import annotations

import json
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from tests.unit.edge.fake_agent import event
from vitrine.caller import CLAIMABLE, Caller
from vitrine.edge import http
from vitrine.problems import (
    Conflict,
    Fault,
    Invalid,
    Missing,
    Problem,
    TooFast,
    Unauthenticated,
    Unavailable,
)

ALICE = Caller("t", "alice", "desk")
app = APIGatewayHttpResolver(enable_validation=True)
app.include_router(http.router)


class EchoBody(http.Body):
    source: http.Source
    language: http.Tag | None = None
    surface: http.Claimed = "api"
    count: int = 0


@app.post("/echo")
def echo(body: EchoBody, caller: http.Asker) -> dict[str, str]:
    if body.source in RAISED:
        raise RAISED[body.source]
    told = http.speaking(caller, body)
    return {"language": told.language, "surface": told.surface, "who": told.subject}


RAISED: dict[str, Exception] = {
    "missing": Missing(),
    "conflict": Conflict(version=7),
    "hasty": TooFast(retry_after=42),
    "down": Unavailable(retry_after=5),
    "token": Unauthenticated(),
    "faulty": Invalid([Fault("/tree/rules/0", "unknown", "colour?", "Fields: color.")]),
    "bug": ZeroDivisionError("secret"),
}


@pytest.fixture(autouse=True)
def _alice() -> Any:
    app.dependency_overrides[http.asker] = lambda: ALICE
    yield
    app.dependency_overrides.clear()


def post(body: Any, path: str = "/echo") -> tuple[int, Any, dict[str, Any]]:
    request = event("POST", path)
    request["body"] = body if isinstance(body, str) else json.dumps(body)
    answer = app.resolve(request, None)  # type: ignore[arg-type] # no context is read
    return answer["statusCode"], json.loads(answer["body"]), answer["headers"]


@pytest.mark.parametrize("name", sorted(set(RAISED) - {"bug"}))
def test_a_problem_is_its_own_document(name: str) -> None:
    problem = RAISED[name]
    assert isinstance(problem, Problem)

    status, body, headers = post({"source": name})

    assert (problem.status, problem.body()) == (status, body)
    assert headers["Content-Type"] == "application/problem+json"


def test_a_problem_brings_its_headers() -> None:
    assert post({"source": "hasty"})[2]["Retry-After"] == "42"
    assert post({"source": "token"})[2]["WWW-Authenticate"] == "Bearer"


def test_an_unforeseen_error_tells_nothing() -> None:
    status, body, _ = post({"source": "bug"})

    assert (status, body["type"].rpartition(":")[2]) == (500, "internal")
    assert "secret" not in json.dumps(body)
    assert "Zero" not in json.dumps(body)


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ("{bad", [""]),
        ("", [""]),
        ('"text"', [""]),
        ({}, ["/source"]),
        ({"source": "a", "zz": 1}, ["/zz"]),
        ({"source": "a", "z/z~": 1}, ["/z~1z~0"]),
        ({"source": "No Such!", "count": "many"}, ["/source", "/count"]),
        ({"source": "a", "surface": "mcp"}, ["/surface"]),
        ({"source": "a", "surface": "chat_suggestions"}, ["/surface"]),
        ({"source": "a", "language": "<script>"}, ["/language"]),
    ],
)
def test_every_fault_of_a_body_has_its_pointer(body: Any, pointers: list[str]) -> None:
    status, problem, _ = post(body)

    assert (422, pointers) == (status, [e["pointer"] for e in problem["errors"]])
    assert "pydantic" not in json.dumps(problem)


def test_another_route_is_missing() -> None:
    assert post({}, "/other")[0] == 404


def test_a_body_may_claim_what_code_does_not_set() -> None:
    assert {str(s) for s in CLAIMABLE} == set(http.Claimed.__args__)  # type: ignore[attr-defined] # a Literal's


def test_the_body_says_surface_and_language() -> None:
    body = {"source": "a", "surface": "gallery", "language": "fr-CA"}

    assert post(body)[1] == {"language": "fr-CA", "surface": "gallery", "who": "alice"}


@pytest.mark.parametrize(
    ("header", "tag"),
    [
        (None, None),
        ("", None),
        ("*", None),
        ("fr", "fr"),
        ("fr-CA,fr;q=0.9,en;q=0.8", "fr-CA"),
        ("en;q=0.4, fr ;q=0.9", "fr"),
        ("en;q=0", None),
        ("en;q=high, fr;q=0.1", "fr"),
        ("<script>", None),
        ("x" * 5_000, None),
    ],
)
def test_the_preferred_language_is_read_off_the_header(
    header: str | None, tag: str | None
) -> None:
    assert tag == http.preferred(header)

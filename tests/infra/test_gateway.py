from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from infra.local import waiting
from infra.local.gateway import match
from infra.local.stack import PURE_CLIENT, Stack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FIXTURE = Path(__file__).parent / "fixtures" / "template.yaml"
# Far below the fixture's timeout of 20 s, far above a start on a busy machine.
QUICK_SECONDS = 8.0


@pytest.fixture(scope="module", params=[False, True], ids=["native", "pure"])
def desk(request: pytest.FixtureRequest) -> Iterator[Stack]:
    """The fixture's functions alone, under each of the two runtime clients."""
    extra = {"EXTRA": "from the stack"}
    parts = ("aws", "gateway")
    with Stack(FIXTURE, parts=parts, extra=extra, pure_client=request.param) as running:
        yield running


def raw(
    desk: Stack, path: str, headers: list[tuple[str, str]], body: bytes = b""
) -> http.client.HTTPResponse:
    """Send a request with headers that may repeat."""
    connection = http.client.HTTPConnection(urlsplit(desk.url).netloc)
    connection.putrequest("POST", path)
    for name, value in [*headers, ("Content-Length", str(len(body)))]:
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    answer.read_all = answer.read()  # type: ignore[attr-defined] # kept beside the answer
    connection.close()
    return answer


def told(desk: Stack, path: str = "/echo", **sent: Any) -> Mapping[str, Any]:
    """Return what the echo function saw."""
    return dict(desk.call("POST", path, **sent).json)


def event(desk: Stack, path: str = "/echo", **sent: Any) -> Mapping[str, Any]:
    return dict(told(desk, path, **sent)["event"])


def test_an_answer_has_the_function_s_status_body_and_cookies(desk: Stack) -> None:
    answer = desk.call("POST", "/echo", {"hello": "à"})

    assert answer.status == 201
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["set-cookie"] == "a=1; Path=/,b=2"
    assert json.loads(answer.json["event"]["body"]) == {"hello": "à"}


def test_an_event_is_payload_format_2(desk: Stack) -> None:
    seen = event(desk, token="t", headers={"User-Agent": "a test", "X-Mixed": "v"})

    assert (seen["version"], seen["routeKey"]) == ("2.0", "POST /echo")
    assert (seen["rawPath"], seen["rawQueryString"]) == ("/echo", "")
    assert seen["headers"]["authorization"] == "Bearer t"
    assert all(name == name.lower() for name in seen["headers"])
    context = seen["requestContext"]
    assert context["http"] == {
        "method": "POST",
        "path": "/echo",
        "protocol": "HTTP/1.1",
        "sourceIp": "127.0.0.1",
        "userAgent": "a test",
    }
    assert len(context["requestId"]) == 36
    assert abs(context["timeEpoch"] / 1000 - time.time()) < 60
    absent = {"body", "cookies", "queryStringParameters", "pathParameters"}
    assert not absent & seen.keys()


def test_a_text_body_stays_text(desk: Stack) -> None:
    seen = event(desk, body="é".encode(), headers={"content-type": "text/plain"})

    assert (seen["body"], seen["isBase64Encoded"]) == ("é", False)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/octet-stream", b"\x00\xff"),
        ("application/x-www-form-urlencoded", b"a=1"),
        ("text/plain", b"\xff\xfe"),
    ],
)
def test_any_other_body_is_base64(desk: Stack, kind: str, body: bytes) -> None:
    seen = event(desk, body=body, headers={"content-type": kind})

    assert seen["isBase64Encoded"] is True
    assert base64.b64decode(seen["body"]) == body


def test_repeated_query_keys_and_blank_values_are_kept(desk: Stack) -> None:
    seen = event(desk, "/echo?tag=a&tag=b%2Cc&blank=&q=%C3%A9t%C3%A9+x")

    assert seen["rawQueryString"] == "tag=a&tag=b%2Cc&blank=&q=%C3%A9t%C3%A9+x"
    assert seen["queryStringParameters"] == {"tag": "a,b,c", "blank": "", "q": "été x"}


def test_repeated_headers_are_joined_and_cookies_listed(desk: Stack) -> None:
    headers = [
        ("X-Seen", "one"),
        ("x-seen", "two"),
        ("Cookie", "a=1; b=2"),
        ("Cookie", "c=3"),
    ]

    answer = raw(desk, "/echo", headers)

    seen = json.loads(answer.read_all)["event"]  # type: ignore[attr-defined] # kept beside the answer
    assert seen["headers"]["x-seen"] == "one,two"
    assert seen["cookies"] == ["a=1", "b=2", "c=3"]
    assert "cookie" not in seen["headers"]
    assert answer.headers.get_all("set-cookie") == ["a=1; Path=/", "b=2"]


@pytest.mark.parametrize(
    ("path", "key", "parts"),
    [
        ("/items/42", "GET /items/{id}", {"id": "42"}),
        ("/items/a%2Fb%20c", "GET /items/{id}", {"id": "a/b c"}),
        ("/items/first", "GET /items/first", None),
        ("/files/a/b%20c", "ANY /files/{proxy+}", {"proxy": "a/b c"}),
    ],
)
def test_the_most_exact_route_takes_its_parameters(
    desk: Stack, path: str, key: str, parts: object
) -> None:
    seen = desk.call("GET", path).json["event"]

    assert seen["routeKey"] == key
    assert seen.get("pathParameters") == parts


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/a", "/a", {}),
        ("/a", "/a/", None),
        ("/a/{id}", "/a/", None),
        ("/a/{id}", "/a/b/c", None),
        ("/a/{id}/c", "/a/b/c", {"id": "b"}),
        ("/{proxy+}", "/a/b", {"proxy": "a/b"}),
        ("/a/{proxy+}", "/a/", None),
        ("/a/{proxy+}", "/a", None),
    ],
)
def test_a_pattern_fits_whole_segments(
    pattern: str, path: str, expected: object
) -> None:
    assert match(pattern, path) == expected


def test_an_unknown_route_is_404_and_a_wrong_method_405(desk: Stack) -> None:
    assert desk.call("GET", "/nowhere").status == 404
    assert desk.call("GET", "/items").status == 404
    refused = desk.call("DELETE", "/echo")
    assert (refused.status, refused.headers["allow"]) == (405, "POST")


def test_the_runtime_api_is_no_route(desk: Stack) -> None:
    assert desk.call("GET", "/2018-06-01/runtime/invocation/next").status == 404


def test_a_function_s_environment_is_the_template_s(
    desk: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VITRINE_DESK_ONLY", "1")

    seen = told(desk)["environment"]

    assert seen["SHARED"] == "from globals"
    assert seen["OWN"] == "from the function"
    assert seen["GREETING"] == "hello, eu-west-1 ${literal}"
    assert seen["VITRINE_ISSUER"] == desk.issuer.url
    assert seen["VITRINE_TABLE"] == desk.table
    assert seen["AWS_ENDPOINT_URL"] == desk.aws_url
    assert seen["AWS_LAMBDA_FUNCTION_NAME"] == "Echo"
    assert seen["EXTRA"] == "from the stack"
    assert "VITRINE_DESK_ONLY" not in seen


def test_a_function_s_path_is_its_code_and_the_layer(desk: Stack) -> None:
    seen = told(desk)["environment"]

    code, layer, *client = seen["PYTHONPATH"].split(os.pathsep)
    assert code == str(FIXTURE.parent / "echo")
    assert Path(layer).name == "shared"
    assert client in ([], [str(PURE_CLIENT)])
    assert seen["LAMBDA_TASK_ROOT"] == code


def test_the_context_knows_the_deadline(desk: Stack) -> None:
    seen = told(desk)

    assert 0 < seen["left"] <= 20_000
    assert seen["function"] == "Echo"


def test_the_runtime_client_is_the_one_asked_for(
    desk: Stack, request: pytest.FixtureRequest
) -> None:
    ours = told(desk)["client"] == str(PURE_CLIENT / "runtime_client.py")

    assert ours is ("pure" in request.node.name)


def test_a_crash_at_import_is_502_at_once_and_told(desk: Stack) -> None:
    begun = time.monotonic()

    answers = [desk.call("GET", "/broken") for _ in range(2)]

    assert [answer.status for answer in answers] == [502, 502]
    assert "RuntimeError: no catalogue today" in answers[0].json["message"]
    assert time.monotonic() - begun < QUICK_SECONDS
    assert "no catalogue today" in desk.logs("Broken")
    assert desk.call("POST", "/echo").status == 201


def test_a_function_that_outlasts_its_timeout_is_504_and_starts_anew(
    desk: Stack,
) -> None:
    before = desk.call("POST", "/slow", {"wait": False}).json["pid"]

    late = desk.call("POST", "/slow", {"wait": True})
    after = desk.call("POST", "/slow", {"wait": False}).json["pid"]

    assert late.status == 504
    assert "timed out after 1 s" in late.json["message"]
    assert before != after


def test_calls_behind_a_late_one_are_answered(desk: Stack) -> None:
    waits = [True, False, False]

    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(desk.call, "POST", "/slow", {"wait": w}) for w in waits]
        statuses = sorted(job.result().status for job in jobs)

    assert statuses == [200, 200, 504]


def test_a_dead_environment_is_502_and_restarted(desk: Stack) -> None:
    before = desk.call("POST", "/mortal", "live").json["pid"]

    dead = desk.call("POST", "/mortal", "die")
    after = desk.call("POST", "/mortal", "live").json["pid"]

    assert dead.status == 502
    assert "exited with code 3" in dead.json["message"]
    assert before != after


def test_a_handler_that_raises_is_502_and_lives_on(desk: Stack) -> None:
    before = desk.call("POST", "/mortal", "live").json["pid"]

    raised = desk.call("POST", "/mortal", "raise")

    assert raised.status == 502
    assert "ValueError: an unhappy handler" in raised.json["message"]
    assert desk.call("POST", "/mortal", "live").json["pid"] == before


def test_an_answer_that_is_no_http_answer_is_500(desk: Stack) -> None:
    answer = desk.call("POST", "/mortal", "garbage")

    assert answer.status == 500
    assert "no HTTP answer" in answer.json["message"]


def test_parallel_calls_do_not_mix(desk: Stack) -> None:
    def ask(number: int) -> tuple[int, str]:
        seen = event(desk, f"/echo?n={number}", body={"n": number})
        return json.loads(seen["body"])["n"], seen["queryStringParameters"]["n"]

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(80)))

    assert answers == [(number, str(number)) for number in range(80)]


def test_a_large_body_passes_both_ways(desk: Stack) -> None:
    body = b"\x00" * 1_000_000

    seen = event(desk, body=body, headers={"content-type": "application/zip"})

    assert base64.b64decode(seen["body"]) == body


def test_a_schedule_is_run_on_demand(desk: Stack) -> None:
    first, second = desk.invoke("Tick"), desk.invoke("Tick", {"id": "mine"})

    assert first["source"] == "aws.scheduler"
    assert second == {"source": None, "ticks": first["ticks"] + 1}


def test_an_unknown_function_is_named(desk: Stack) -> None:
    with pytest.raises(Exception, match="no function Nobody; there are Echo"):
        desk.invoke("Nobody")


@pytest.mark.skipif(sys.platform != "linux", reason="one loopback address elsewhere")
def test_only_loopback_is_served(desk: Stack) -> None:
    port = urlsplit(desk.url).port
    assert port

    with socket.socket() as probe:
        probe.bind(("127.0.0.2", port))  # free: the gateway holds one address alone


def test_a_stop_answers_whoever_waits() -> None:
    with ThreadPoolExecutor(1) as pool:
        with Stack(FIXTURE, parts=("aws", "gateway")) as short:
            short.call("POST", "/slow", {"wait": False})
            job = pool.submit(short.call, "POST", "/slow", {"wait": True})
            waiting.until(
                lambda: "true" in _current(short), QUICK_SECONDS, what="the slow call"
            )
        assert job.result().status in {503, 504}


def _current(stack: Stack) -> str:
    call = stack._environments["Slow"]._current
    return json.loads(call.payload)["body"] if call else ""

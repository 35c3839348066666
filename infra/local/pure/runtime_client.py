"""A pure-Python stand-in for `awslambdaric`'s native client, which is Linux only.

It has the native module's name and its four functions, and is found first when the
gateway puts its folder on a function's path.
"""

from __future__ import annotations

import http.client
import os
from typing import Any

API = "/2018-06-01/runtime"
JSON = {"Content-Type": "application/json"}
DEADLINE = "Lambda-Runtime-Deadline-Ms"
OK = range(200, 300)

_connections: dict[str, http.client.HTTPConnection] = {}


def _connection() -> http.client.HTTPConnection:
    """Return the process's one connection, kept alive between events."""
    address = os.environ["AWS_LAMBDA_RUNTIME_API"]
    if address not in _connections:
        _connections[address] = http.client.HTTPConnection(address)
    return _connections[address]


def _ask(
    method: str, path: str, body: bytes | None, headers: dict[str, str]
) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers of an answer; raise unless it is a success."""
    connection = _connection()
    connection.request(method, f"{API}{path}", body, headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status not in OK:
        raise RuntimeError(f"{path} was answered with {answer.status}")
    return content, {name.title(): value for name, value in answer.getheaders()}


def initialize_client(_user_agent: str) -> None:
    """Accept the name that the native client sends along; nobody reads it here."""


def next() -> tuple[bytes, dict[str, Any]]:  # noqa: A001 - the native module's name
    """Return the next event and its headers, the deadline as a number."""
    body, headers = _ask("GET", "/invocation/next", None, {})
    return body, {**headers, DEADLINE: int(headers[DEADLINE])}


def post_invocation_result(
    invoke_id: str, content: bytes, content_type: str, _invocation_id: str | None = None
) -> None:
    """Post the function's answer."""
    path = f"/invocation/{invoke_id}/response"
    _ask("POST", path, content, {"Content-Type": content_type})


def post_error(
    invoke_id: str, response: str, xray: str, _invocation_id: str | None = None
) -> None:
    """Post the function's error."""
    cause = {"Lambda-Runtime-Function-XRay-Error-Cause": xray}
    path = f"/invocation/{invoke_id}/error"
    _ask("POST", path, response.encode(), {**JSON, **cause})

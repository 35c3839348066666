"""HTTP API events, payload format 2.0, and the replies to them.

Source: "Working with AWS Lambda proxy integrations for HTTP APIs", AWS developer guide.
"""

from __future__ import annotations

import base64
import json
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from infra.local.aws import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.local.template import Route

STAGE = "$default"
# Bodies of these types stay text; the API sends every other one as base64.
TEXTUAL = ("text/", "application/json", "application/javascript", "application/xml")
SUFFIXES = ("+json", "+xml")
JSON_TYPE = "application/json"


@dataclass(frozen=True, slots=True)
class Incoming:
    """An HTTP request as it came, header names lower-cased."""

    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    source: str = "127.0.0.1"
    protocol: str = "HTTP/1.1"


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer on its way out."""

    status: int
    body: bytes = b""
    headers: Sequence[tuple[str, str]] = field(default=())


def build(incoming: Incoming, route: Route, parts: Mapping[str, str]) -> dict[str, Any]:
    """Return the event for a request; empty members are absent, as in the cloud."""
    cookies = [v for name, v in incoming.headers if name == "cookie"]
    optional = {
        "cookies": [one.strip() for each in cookies for one in each.split(";")],
        "queryStringParameters": joined(
            parse_qsl(incoming.query, keep_blank_values=True)
        ),
        "pathParameters": dict(parts),
    }
    return {
        "version": "2.0",
        "routeKey": str(route),
        "rawPath": incoming.path,
        "rawQueryString": incoming.query,
        "headers": joined([p for p in incoming.headers if p[0] != "cookie"]),
        "requestContext": _context(incoming, route),
        **{name: value for name, value in optional.items() if value},
        **_body(incoming),
    }


def _context(incoming: Incoming, route: Route) -> dict[str, Any]:
    headers = dict(incoming.headers)
    now = time.time()
    return {
        "accountId": ACCOUNT,
        "apiId": "local",
        "domainName": headers.get("host", "localhost"),
        "domainPrefix": "local",
        "http": {
            "method": incoming.method,
            "path": incoming.path,
            "protocol": incoming.protocol,
            "sourceIp": incoming.source,
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": str(uuid.uuid4()),
        "routeKey": str(route),
        "stage": STAGE,
        "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
        "timeEpoch": int(now * 1000),
    }


def joined(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return one value a name, those of a repeated one comma-joined in order."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _body(incoming: Incoming) -> dict[str, Any]:
    if not incoming.body:
        return {"isBase64Encoded": False}
    kind = dict(incoming.headers).get("content-type", "").partition(";")[0].strip()
    if kind.startswith(TEXTUAL) or kind.endswith(SUFFIXES):
        try:
            return {"body": incoming.body.decode(), "isBase64Encoded": False}
        except UnicodeDecodeError:
            pass  # a lie about the charset travels as bytes
    return {"body": base64.b64encode(incoming.body).decode(), "isBase64Encoded": True}


def reply(returned: Any) -> Reply:
    """Read what a function returned; without a status code it is a JSON body."""
    if not isinstance(returned, dict) or "statusCode" not in returned:
        return Reply(200, json.dumps(returned).encode(), [("content-type", JSON_TYPE)])
    body = returned.get("body") or ""
    encoded = body if isinstance(body, str) else json.dumps(body)
    headers = [
        (name.lower(), _text(v)) for name, v in (returned.get("headers") or {}).items()
    ]
    if not any(name == "content-type" for name, _ in headers):
        headers.append(("content-type", JSON_TYPE))
    headers += [("set-cookie", cookie) for cookie in returned.get("cookies") or ()]
    raw = encoded.encode()
    if returned.get("isBase64Encoded"):
        raw = base64.b64decode(raw)
    return Reply(int(returned["statusCode"]), raw, headers)


def message(status: int, text: str, **headers: str) -> Reply:
    """Return the API's own answer, where no function speaks."""
    body = json.dumps({"message": text}).encode()
    return Reply(status, body, [("content-type", JSON_TYPE), *headers.items()])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def scheduled(name: str) -> dict[str, Any]:
    """Return what EventBridge Scheduler sends to a function when no input is set."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.scheduler",
        "account": ACCOUNT,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "region": REGION,
        "resources": [f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/default/{name}"],
        "detail": "{}",
    }

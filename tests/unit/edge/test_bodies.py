from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from vitrine.edge.bodies import DEEPEST, LARGEST, check_body
from vitrine.problems import Invalid


def event(body: str | bytes | None, **more: Any) -> dict[str, Any]:
    if isinstance(body, bytes):
        return event(b64encode(body).decode(), isBase64Encoded=True, **more)
    return {"headers": {"content-type": "application/json"}, "body": body} | more


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        "{}",
        b'{"a": "\xc3\xa9"}',
        '{"a": {"b": 1}, "c": {"b": 1}}',
        "[" * DEEPEST + "]" * DEEPEST,
        "[" + "[]," * 500 + "[]]",
        '{"a": "' + "[" * 5_000 + '"}',
        '{"a": ' + "9" * 4_000 + "}",
        '{"a": "\\ud800"}',
        "null",
    ],
)
def test_plain_json_passes(body: Any) -> None:
    check_body(event(body))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("[" * 100_000, "json"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "json"),
        ('{"a":' * 500 + "1" + "}" * 500, "json"),
        ("{" + '"a": ' + "9" * 5_000 + "}", "json"),
        ('{"a": NaN}', "json"),
        ('{"a": -Infinity}', "json"),
        ('{"source": "one", "source": "other"}', "json"),
        ('{"tree": {"rules": [{"field": "a", "field": "b"}]}}', "json"),
        (b'{"a": "\xff"}', "json"),
        (b"\x1f\x8b\x08\x00", "json"),
        ("{bad", "json"),
        ('{"a": "' + "x" * LARGEST + '"}', "too_large"),
    ],
)
def test_anything_else_is_a_typed_refusal(body: Any, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        check_body(event(body))

    assert [code] == [fault.code for fault in refused.value.faults]


@pytest.mark.parametrize(
    ("kind", "passes"),
    [
        ("application/json", True),
        ("Application/JSON; charset=utf-8", True),
        ("", True),
        ("text/plain", False),
        ("application/x-www-form-urlencoded", False),
        ("multipart/form-data; boundary=x", False),
        ("application/jsonp", False),
    ],
)
def test_other_media_types_are_refused_before_they_are_read(
    kind: str, *, passes: bool
) -> None:
    sent = event("{}", headers={"content-type": kind})

    if passes:
        check_body(sent)
    else:
        with pytest.raises(Invalid, match="not JSON"):
            check_body(sent)

from __future__ import annotations

import base64
import re
from urllib.parse import quote
from uuid import UUID

import pytest

from infra.attack.outputs import Watch

SECRET = "STK00012345"
DOCUMENT = UUID(int=2**100 + 7)


def watch() -> Watch:
    return Watch(re.compile(r"STK\d{8}"), frozenset({DOCUMENT.bytes}))


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"https://x.example/p/{quote('%' + SECRET)}",
        "".join(f"%{ord(c):02x}" for c in SECRET),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(f"<<<{SECRET}>>>".encode()).rstrip(b"=").decode(),
        base64.b32encode(SECRET.encode()).decode().lower(),
        str(DOCUMENT),
        base64.urlsafe_b64encode(DOCUMENT.bytes).rstrip(b"=").decode(),
        base64.b32encode(DOCUMENT.bytes).rstrip(b"=").decode().lower(),
    ],
)
def test_a_planted_value_is_found_in_every_form(text: str) -> None:
    seen = watch()

    seen.read({"hits": [{"note": f"before {text} after"}]})

    assert seen.leaks


def test_public_answers_are_no_leaks() -> None:
    seen = watch()

    seen.read({"ref": "mfrggzdfmztwq2lknnwg23tpoa", "price": 49.9, "name": "Chaise"})

    assert (1, []) == (seen.outputs, seen.leaks)


def test_what_was_asked_by_its_letters_may_be_repeated() -> None:
    seen = watch()
    seen.echoed = SECRET

    seen.read({"sentence": f"about {SECRET}"})
    assert not seen.leaks
    seen.read({"sentence": "about STK00099999"})
    assert {"STK00099999"} == set(seen.leaks)

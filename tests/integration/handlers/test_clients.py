"""The official Python client, in each era: lists, calls, pages, compares, is refused.

The clients that npm and PyPI bring are let in by ``make conformance``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from infra.conformance import clients
from infra.conformance.kits import Kit
from infra.local.stack import Stack

OWN = Path(sys.executable)
GOOD = {"tools": [clients.TOOL], "refs": ["a", "b", "c"], "compared": ["a", "b"]}


def test_the_official_client_works_in_every_era(seeded: Stack, tmp_path: Path) -> None:
    kit = Kit("test", tmp_path, tmp_path, official=OWN, adapters=OWN)

    assert list(clients.official(kit, clients.Door(seeded))) == []


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ({"tools": []}, "is not listed"),
        ({"refs": ["a", "b"]}, "a page is missing"),
        ({"refs": ["a", "b", "b"]}, "repeats the one before"),
        ({"compared": ["b", "a"]}, "were not compared"),
        ({"refused": False}, "a refusal is no error"),
    ],
)
def test_what_a_client_could_not_do_is_said(
    told: dict[str, object], fault: str
) -> None:
    good = GOOD | {"refused": True}

    (said,) = clients.judged("someone", good | told)

    assert list(clients.judged("someone", good)) == []
    assert said.startswith("someone: ")
    assert fault in said

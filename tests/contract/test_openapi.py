from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from infra import openapi
from tests.contract.fix_house import HANDLERS, routes
from vitrine import problems
from vitrine.problems import Problem

DOCUMENT = json.loads(openapi.FILE.read_text())
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
}


def kinds(root: type[Problem] = Problem) -> Iterator[type[Problem]]:
    if root.__module__ == problems.__name__:
        yield root
    for child in root.__subclasses__():
        yield from kinds(child)


def test_the_file_is_what_the_code_says() -> None:
    assert openapi.text() == openapi.FILE.read_text()


def test_every_http_route_of_the_template_is_described() -> None:
    spoken = {route for name in HANDLERS if name != "mcp" for route in routes(name)}

    assert spoken == set(OPERATIONS)


@pytest.mark.parametrize("kind", [*kinds()])
def test_every_problem_is_described_where_it_can_occur(kind: type[Problem]) -> None:
    told = [
        response["description"]
        for operation in OPERATIONS.values()
        for status, response in operation["responses"].items()
        if status == str(kind.status)
    ]

    assert any(f"`{kind.code}`" in text for text in told)


@pytest.mark.parametrize("route", sorted(OPERATIONS))
def test_every_refusal_is_a_problem_document(route: str) -> None:
    for status, response in OPERATIONS[route]["responses"].items():
        if not status.startswith("2"):
            assert set(response["content"]) == {"application/problem+json"}


def test_every_reference_leads_somewhere() -> None:
    named = set(re.findall(r'"#/components/schemas/(\w+)"', openapi.FILE.read_text()))

    assert named == set(DOCUMENT["components"]["schemas"])


@pytest.mark.parametrize("route", sorted(r for r in OPERATIONS if r[0] == "P"))
def test_every_body_refuses_unknown_members(route: str) -> None:
    content = OPERATIONS[route]["requestBody"]["content"]["application/json"]
    name = content["schema"]["$ref"].rpartition("/")[2]
    schema: dict[str, Any] = DOCUMENT["components"]["schemas"][name]

    assert schema["additionalProperties"] is False

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest

from tests.contract.fix_house import HANDLERS, ROOT, routes

LINES = 60
ENGINES = ("psycopg", "typesense")
PROTOCOL = ("mcp", "mangum", "starlette")
FORBIDDEN = {
    "interpret": (*ENGINES, *PROTOCOL),
    "validate": (*ENGINES, *PROTOCOL),
    "execute": (*ENGINES, *PROTOCOL),
    "explain_empty": (*ENGINES, *PROTOCOL),
    "mcp": ENGINES,
    "admin": (*ENGINES, *PROTOCOL),
    "switch": (*ENGINES, *PROTOCOL),
    "manifests": (*ENGINES, *PROTOCOL),
    "personal": (*ENGINES, *PROTOCOL),
    "sessions": (*ENGINES, *PROTOCOL),
    "searches": (*ENGINES, *PROTOCOL),
    "cost_monitor": (*ENGINES, *PROTOCOL),
    "publish": ("psycopg", *PROTOCOL),
    "sample_values": (*ENGINES, *PROTOCOL),
}
# What a handler's import must not need: it runs before any variable is read.
BARE = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "eu-west-3"}
everyone = pytest.mark.parametrize("name", sorted(HANDLERS))


def loaded(name: str, program: str) -> list[str]:
    """Run a program that prints JSON in a fresh process that imports a handler."""
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-W", "error", "-c", f"import json, sys, handler\n{program}"],
        env=BARE | {"PYTHONPATH": f"{ROOT / 'shared'}:{HANDLERS[name].parent}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@everyone
def test_a_handler_is_short(name: str) -> None:
    assert len(HANDLERS[name].read_text().splitlines()) <= LINES


@everyone
def test_a_handler_loads_only_what_it_uses(name: str) -> None:
    modules = loaded(name, "print(json.dumps(sorted(sys.modules)))")

    assert not [m for m in modules if m.partition(".")[0] in FORBIDDEN[name]]
    assert not [m for m in modules if "aws_xray_sdk" in m]


@everyone
def test_a_handler_serves_the_routes_that_the_template_gives_it(name: str) -> None:
    if not routes(name) or name == "mcp":
        pytest.skip("its routes are not a resolver's")
    served = loaded(
        name,
        "paths = handler.app.get_openapi_schema().paths\n"
        "print(json.dumps([f'{m.upper()} {p}' for p, item in paths.items()"
        " for m in item.model_dump(exclude_none=True)]))",
    )

    assert routes(name) == set(served)


def test_mcp_is_routed_where_its_endpoint_answers() -> None:
    well_known = "GET /.well-known/oauth-protected-resource"

    assert routes("mcp") == {
        "POST /mcp",
        "GET /mcp",
        "DELETE /mcp",
        "GET /llms.txt",
        well_known,
        f"{well_known}/mcp",
    }


@everyone
def test_a_handler_imports_no_sibling(name: str) -> None:
    tree = ast.parse(HANDLERS[name].read_text())
    taken = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}

    assert not [m for m in taken if m.startswith("functions") or m == "handler"]

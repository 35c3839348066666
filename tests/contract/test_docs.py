"""What the documents name is there, and what an operator meets is documented."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from tests.contract.fix_house import ROOT, template

DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")],
    key=lambda path: path.relative_to(ROOT).as_posix(),
)
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
FOLDERS = "infra|docs|shared|tests|functions"


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z]+)", TEXT))))
def test_a_make_target_that_is_named_exists(target: str) -> None:
    assert target in TARGETS


@pytest.mark.parametrize(
    "module", sorted(set(re.findall(r"python -m (infra[a-z_.]*[a-z])", TEXT)))
)
def test_a_command_that_is_named_exists(module: str) -> None:
    assert importlib.util.find_spec(module)


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(rf"`((?:{FOLDERS})/[\w./-]+\.\w+)`", TEXT)))
)
def test_a_file_that_is_named_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_link_leads_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8"))

    assert [] == [link for link in links if not (document.parent / link).exists()]


@pytest.mark.parametrize(
    "alarm",
    sorted(
        name
        for name, made in template()["Resources"].items()
        if made["Type"] == "AWS::CloudWatch::Alarm"
    ),
)
def test_an_alarm_says_what_to_do(alarm: str) -> None:
    guide = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")

    assert f"| `{alarm}` |" in guide


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "adr"
    listed = re.findall(r"\(([^)]+)\)", (folder / "README.md").read_text("utf-8"))
    written = sorted(p.name for p in folder.glob("0*.md"))

    assert written == listed

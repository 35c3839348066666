"""The lists of tools, frozen: hosts keep the one that their people approved.

``tests/contract/golden`` holds a list for each profile. What is added there is an
addition; what is taken away or narrowed is a new name or a new argument instead, and
fails here.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vitrine.edge.tools import Tool, tools
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import registry_for

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
SOURCES = sorted((ROOT / "infra" / "sources").glob("*.json"))
PROFILES = ("closed", "professional", "trusted", "writing")
Listed = dict[str, dict[str, Any]]


def listed(profile: str) -> Listed:
    """List a profile's tools over the demo's sources; ``writing`` is trusted too."""
    writes = profile == "writing"
    seen = "trusted" if writes else profile
    manifests = [Manifest.model_validate_json(p.read_text("utf-8")) for p in SOURCES]
    registries = [
        registry_for(manifest, seen, tenant="t")
        for manifest in manifests
        if seen in manifest.profiles
    ]
    return {t.name: _said(t) for t in tools(registries, writes=writes)}


def _said(tool: Tool) -> dict[str, Any]:
    return {
        "title": tool.title,
        "description": tool.description,
        "takes": tool.takes,
        "gives": tool.gives,
        "writes": tool.writes,
    }


def frozen(profile: str) -> Listed:
    read: Listed = json.loads((GOLDEN / f"{profile}.json").read_text("utf-8"))
    return read


def losses(old: Any, new: Any, where: str = "") -> list[str]:
    """List what a host that kept the old list would miss in the new one."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [f"{where}/{key}" for key in old if key not in new]
        pairs = ((key, old[key], new[key]) for key in old if key in new)
        needed = _needed(old, new, where)
        inner = [x for k, a, b in pairs for x in _member(k, a, b, f"{where}/{k}")]
        return [*gone, *needed, *inner]
    return [] if old == new else [where]


def _needed(old: dict[str, Any], new: dict[str, Any], where: str) -> list[str]:
    """Find what must be sent now and needed not be before."""
    if "properties" not in new:
        return []
    more = set(new.get("required", ())) - set(old.get("required", ()))
    return [f"{where}/required/{name}" for name in sorted(more)]


def _member(key: str, old: Any, new: Any, where: str) -> list[str]:
    if key == "enum":
        return [f"{where}/{value}" for value in old if value not in new]
    if key in {"required", "description", "title"}:
        return []
    return losses(old, new, where)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_list_only_grows(profile: str) -> None:
    assert not losses(frozen(profile), listed(profile))


@pytest.mark.parametrize("profile", PROFILES)
def test_the_golden_list_is_the_one_that_is_served(profile: str) -> None:
    """An addition is written down: ``python -m tests.contract.test_golden``."""
    assert frozen(profile) == listed(profile)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_order_is_part_of_the_list(profile: str) -> None:
    assert list(frozen(profile)) == list(listed(profile))


def test_a_reader_is_shown_no_tool_that_writes() -> None:
    for profile in PROFILES[:-1]:
        assert not [name for name, tool in listed(profile).items() if tool["writes"]]


def _drop_tool(new: Listed) -> None:
    del new["ask"]


def _drop_argument(new: Listed) -> None:
    del new["search_products"]["takes"]["properties"]["cursor"]


def _retype(new: Listed) -> None:
    new["search_products"]["takes"]["properties"]["limit"]["type"] = "string"


def _narrow(new: Listed) -> None:
    new["search_products"]["takes"]["properties"]["intent"]["enum"].remove("expand")


def _demand(new: Listed) -> None:
    new["search_products"]["takes"]["required"] = ["query"]


def _lower(new: Listed) -> None:
    new["search_products"]["takes"]["properties"]["limit"]["maximum"] = 5


def _unsay(new: Listed) -> None:
    del new["search_products"]["gives"]["properties"]["hits"]


@pytest.mark.parametrize(
    "change", [_drop_tool, _drop_argument, _retype, _narrow, _demand, _lower, _unsay]
)
def test_what_takes_something_away_is_a_loss(change: Callable[[Listed], None]) -> None:
    new = copy.deepcopy(frozen("closed"))

    change(new)

    assert losses(frozen("closed"), new)


def _add_argument(new: Listed) -> None:
    new["search_products"]["takes"]["properties"]["mood"] = {"type": "string"}


def _widen(new: Listed) -> None:
    new["search_products"]["takes"]["properties"]["intent"]["enum"].append("more")


def _reword(new: Listed) -> None:
    new["search_products"]["description"] = "Better words."


def _add_tool(new: Listed) -> None:
    new["sing"] = new["ask"]


@pytest.mark.parametrize("change", [_add_argument, _widen, _reword, _add_tool])
def test_an_addition_is_none(change: Callable[[Listed], None]) -> None:
    new = copy.deepcopy(frozen("closed"))

    change(new)

    assert not losses(frozen("closed"), new)


if __name__ == "__main__":
    for name in PROFILES:
        text = json.dumps(listed(name), indent=1, ensure_ascii=False)
        (GOLDEN / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")

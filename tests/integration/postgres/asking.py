"""How the demo is asked in tests: a registry of a source, and checked trees."""

from __future__ import annotations

from functools import cache
from typing import Any

from infra.local.demo.media import definitions
from infra.local.folders import ROOT
from tests.trees import TODAY
from vitrine.caller import Caller
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Query
from vitrine.tree.lower import lower
from vitrine.tree.model import Group, Rule


@cache
def registry(source: str, tenant: str = "aurore", profile: str = "trusted") -> Registry:
    """Give a source of the demo as a profile sees it, definitions included."""
    file = ROOT / "infra" / "sources" / f"{source}.json"
    manifest = Manifest.model_validate_json(file.read_text(encoding="utf-8"))
    if source == "media":
        manifest = manifest.extended(definitions(tenant))
    return registry_for(manifest, profile, tenant=tenant)


def asked(
    source: str,
    *rules: tuple[Any, ...],
    tenant: str = "aurore",
    subject: str = "camille",
    profile: str = "trusted",
    **more: Any,
) -> Query:
    """Ask for all of some rules, as somebody of a tenant."""
    seen = registry(source, tenant, profile)
    tree = Group(rules=tuple(Rule(*rule) for rule in rules))
    found = lower(tree, seen, today=TODAY)
    caller = Caller(tenant=tenant, subject=subject, client="test")
    return Query(caller, seen, found.condition, found.text, **more)


def text(words: str) -> tuple[str, str, str]:
    """Give the rule that searches for words."""
    return ("full_text_search", "keyword_search", words)

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.unit.search.engines import ScriptedEngine
from vitrine.caller import Caller
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.seal import Refs, Ring
from vitrine.search.prepare import Ask, Parts
from vitrine.store.table import Table
from vitrine.tree.model import Group

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FIELDS = [
    {"key": "name", "type": "text", "label": {"en": "name"}},
    {"key": "maker", "type": "vocabulary", "label": {"en": "maker"}},
    {"key": "width", "type": "number", "label": {"en": "width"}, "unit": "cm"},
    {"key": "made", "type": "date", "label": {"en": "made"}},
    {"key": "colour", "type": "colour", "label": {"en": "colour"}},
    {"key": "tags", "type": "keyword", "label": {"en": "tags"}, "multi": True},
]
MANIFEST = Manifest.model_validate(
    {
        "source": "things",
        "engine": "postgres",
        "relation": "vitrine.things",
        "title": {"en": "Things"},
        "site": "https://site.example",
        "way_on": "https://site.example/?q={query}",
        "fields": FIELDS,
        "hit": {"title": "name"},
        "tool": {"title": "t", "use": "u", "not_for": "n", "example": "e"},
        "profiles": {
            "trusted": {"filter": ["*"], "output": ["*"], "search": ["name"]},
            "closed": {
                "filter": ["*"],
                "output": ["name"],
                "search": ["name"],
                "budget": {},
            },
        },
    }
)


@pytest.fixture
def registry() -> Registry:
    return registry_for(MANIFEST, "trusted", tenant="t")


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine()


@pytest.fixture
def parts(engine: ScriptedEngine) -> Parts:
    """Give parts without a store, which an uncapped profile never touches."""
    table = Table(None, "none")  # type: ignore[arg-type] # touching it is the fault
    ring = Ring([bytes(32)], lambda: bytes(12))
    return Parts(engine, table, ring, Refs(bytes(32)))


@pytest.fixture
def ask(registry: Registry) -> Ask:
    return Ask(Caller("t", "ada", "desk"), registry, Group(), NOW)

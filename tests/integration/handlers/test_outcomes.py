"""The table of outcomes: calls to a model, and statements to an engine, of a message.

A message is read, searched by its session and, where it found nothing, explained; the
model and the engine count what they are asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from infra.local.aws import Aws
from infra.local.demo import shop
from infra.local.stack import TABLE
from tests.unit.search.engines import ScriptedEngine
from vitrine.caller import Caller
from vitrine.edge.conversation import Heard, Said, converse
from vitrine.edge.searching import Wanted, explained, search
from vitrine.edge.wiring import Wiring
from vitrine.models.chat import Chat, ModelFailure
from vitrine.models.scripted import Reply, ScriptedChat
from vitrine.registry.profiles import Registry, registry_for
from vitrine.seal import Refs, Ring
from vitrine.search.engine import Hits, Row
from vitrine.search.prepare import Parts
from vitrine.store.registry import put_registry
from vitrine.store.table import Table

TENANT = "outcomes"
# what few results share is suggested, in one statement more
ROOM = next(
    f.choices[0].value for f in shop.manifest().fields if f.key == "room" and f.choices
)


def turn(intent: str, *rules: dict[str, Any], say: str = "So.") -> str:
    group = {"type": "group", "operator": "and", "rules": list(rules)}
    return json.dumps({"intent": intent, "rule_group": group, "explanation": say})


CHEAP = turn("search", {"field": "price", "operator": "less_than", "value": 50})
WRONG = turn("search", {"field": "prise", "operator": "less_than", "value": 50})
WORSE = turn("search", {"field": "prize", "operator": "less_than", "value": 50})
ASKING = turn("clarify", say="How cheap?")
ASTRAY = turn("clarify", say="")
DOWN = ModelFailure("transport")


@dataclass
class Counted(Wiring):
    """An environment with a scripted model and engine."""

    model: Chat | None = None
    double: ScriptedEngine = field(default_factory=ScriptedEngine)

    @property
    def chat(self) -> Chat | None:
        return self.model

    def parts(self, registry: Registry) -> Parts:
        assert registry.source == "products"
        return Parts(
            self.double,
            self.table,
            Ring([bytes(32)], lambda: bytes(12)),
            Refs(bytes(32)),
        )

    @property
    def statements(self) -> int:
        return sum(
            map(len, (self.double.queries, self.double.counted, self.double.looked_up))
        )


@pytest.fixture(scope="module")
def table(aws: Aws) -> Iterator[Table]:
    with closing(aws.client("dynamodb")) as client:
        # nobody waits between two tries
        kept = Table(client, TABLE, pause=lambda _: None)
        registry = registry_for(shop.manifest(), "trusted", tenant=TENANT)
        put_registry(kept, registry, now=datetime.now(UTC))
        yield kept


def hits(number: int) -> Hits:
    values = {"name": "A lamp", "room": (ROOM,), "price": 10}
    rows = tuple(Row(str(UUID(int=n)), values) for n in range(min(number, 10)))
    return Hits(rows, number)


def said(
    table: Table, number: int, message: str, script: list[Reply] | None
) -> tuple[Heard, Counted]:
    """Read a message, search its session, and explain what is empty."""
    name = f"outcome {message} {number} {script}"[:200]
    chat = None if script is None else ScriptedChat(script, name=name)
    wiring = Counted({}, model=chat, double=ScriptedEngine(hits(number)))
    wiring.table = table
    scopes = frozenset({"products:read"})
    caller = Caller(
        TENANT, name, "desk", scopes=scopes, default_profile="trusted", language="en"
    )
    heard = converse(wiring, caller, Said("products", message))
    if heard.step.clarify is None:
        wanted = Wanted("products", session=heard.step.session.id)
        answer = search(wiring, caller, wanted)
        if not answer.hits:
            explained(wiring, caller, wanted)
    return heard, wiring


@pytest.mark.parametrize(
    ("calls", "statements", "number", "script"),
    [
        pytest.param(1, 0, 0, [ASKING], id="clarify"),
        pytest.param(1, 0, 0, [ASTRAY], id="off topic"),
        pytest.param(1, 1, 5, [CHEAP], id="five"),
        pytest.param(1, 1, 900, [CHEAP], id="many"),
        pytest.param(1, 2, 4, [CHEAP], id="four"),
        pytest.param(1, 2, 1, [CHEAP], id="one"),
        pytest.param(1, 2, 0, [CHEAP], id="none"),
        pytest.param(2, 1, 5, [WRONG, CHEAP], id="malformed, recovered"),
        pytest.param(2, 2, 0, [WRONG, CHEAP], id="malformed, recovered, none"),
        pytest.param(2, 1, 5, [WRONG, WRONG], id="repeated: the lexicon"),
        pytest.param(2, 1, 5, [WRONG, WORSE], id="exhausted: the lexicon"),
        pytest.param(0, 1, 5, None, id="no model"),
    ],
)
def test_an_outcome_costs_what_the_table_says(
    table: Table,
    calls: int,
    statements: int,
    number: int,
    script: list[Reply] | None,
) -> None:
    heard, wiring = said(table, number, "under 50 euros", script)

    assert calls == heard.outcome.tally.calls
    assert heard.outcome.gate.calls == 0
    assert statements == wiring.statements
    if isinstance(wiring.model, ScriptedChat):
        assert calls == len(wiring.model.requests)


def test_what_the_lexicon_answered_instead_says_so(table: Table) -> None:
    heard, _ = said(table, 5, "under 50 euros", [WRONG, WORSE])

    assert (heard.outcome.by, heard.why) == ("lexicon", "invalid")
    assert heard.step.session.tree.rules


def test_nobody_understood_and_nothing_is_searched(table: Table) -> None:
    heard, wiring = said(table, 900, "???", ["prose", "more prose"])

    assert heard.step.clarify is not None
    assert heard.step.clarify.reason == "unclear"
    assert not heard.step.session.tree
    assert (heard.outcome.tally.calls, wiring.statements) == (2, 0)

"""The glue of a turn, with a scripted model, on a real table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.local.aws import Aws
from infra.local.demo import shop
from infra.local.stack import TABLE
from vitrine.caller import Caller
from vitrine.edge.conversation import SWITCHED_OFF, Said, converse
from vitrine.edge.wiring import Wiring
from vitrine.models.chat import Chat, Completion, ModelFailure
from vitrine.models.scripted import ScriptedChat
from vitrine.problems import Conflict, Forbidden, TooFast, Unavailable
from vitrine.registry.profiles import registry_for
from vitrine.store import sessions, spend, switch
from vitrine.store.rate import INTERPRETS, take
from vitrine.store.registry import put_registry
from vitrine.store.table import Table

TENANT = "talk"
NOW = datetime.now(UTC)
CHEAP = {
    "intent": "search",
    "rule_group": {
        "type": "group",
        "operator": "and",
        "rules": [
            {"field": "price", "operator": "less_than", "value": 50},
        ],
    },
    "explanation": "Under 50.",
}


@dataclass
class Rigged(Wiring):
    """An environment with a model and a table of the test's own."""

    model: Chat | None = None

    @property
    def chat(self) -> Chat | None:
        return self.model


@pytest.fixture(scope="module")
def table(aws: Aws) -> Iterator[Table]:
    with closing(aws.client("dynamodb")) as client:
        kept = Table(client, TABLE)
        registry = registry_for(shop.manifest(), "closed", tenant=TENANT)
        put_registry(kept, registry, now=datetime.now(UTC))
        yield kept


@pytest.fixture
def caller(request: pytest.FixtureRequest) -> Caller:
    scopes = frozenset({"products:read"})
    return Caller(TENANT, request.node.name, "desk", scopes=scopes)


def rigged(table: Table, *replies: Any) -> Rigged:
    script = [Completion(json.dumps(r), 90, 10, micros=700) for r in replies]
    wiring = Rigged({}, model=ScriptedChat(script))
    wiring.table = table
    return wiring


def test_what_the_model_costs_is_recorded_and_summed(
    table: Table, caller: Caller
) -> None:
    wiring = rigged(table, CHEAP, CHEAP)
    before = spend.spent(table, TENANT, now=wiring.now())

    first = converse(wiring, caller, Said("products", "cheap"))
    second = converse(wiring, caller, Said("products", "cheap", first.step.session.id))

    assert spend.spent(table, TENANT, now=wiring.now()) - before == 1_400
    assert (second.step.session.tokens, second.step.session.micros) == (200, 1_400)
    assert (first.outcome.by, first.why) == ("scripted", "")


def test_the_session_is_kept_as_it_was_told(table: Table, caller: Caller) -> None:
    wiring = rigged(table, CHEAP)

    heard = converse(wiring, caller, Said("products", "cheap"))
    kept = sessions.load(table, caller, heard.step.session.id, now=wiring.now())

    assert heard.step.session == kept
    assert ["cheap", heard.step.sentence] == [m.text for m in kept.messages]


def test_a_turn_that_loses_the_race_is_a_conflict_and_paid(
    table: Table, caller: Caller
) -> None:
    wiring = rigged(table, CHEAP)
    session = sessions.create(table, caller, "products", number="race", now=NOW)
    before = spend.spent(table, TENANT, now=wiring.now())

    class Rival(ScriptedChat):
        def complete(self, *asked: Any, **more: Any) -> Completion:
            sessions.save(table, session, seen=0, now=NOW)
            return super().complete(*asked, **more)

    wiring.model = Rival([Completion(json.dumps(CHEAP), 1, 1, micros=700)])
    with pytest.raises(Conflict) as conflict:
        converse(wiring, caller, Said("products", "cheap", session.id))

    assert conflict.value.members["version"] == 1
    assert spend.spent(table, TENANT, now=wiring.now()) - before == 700


def test_with_the_switch_on_no_model_is_called(table: Table, caller: Caller) -> None:
    wiring, chat = rigged(table), ScriptedChat()
    wiring.model = chat
    state = switch.State(wiring.now() + timedelta(hours=1), "test", "test")
    switch.trip(table, state, now=wiring.now())

    try:
        heard = converse(wiring, caller, Said("products", "lamp"))
    finally:
        switch.clear(table, reason="over", by="test", now=wiring.now())

    assert (heard.outcome.by, heard.why) == ("lexicon", SWITCHED_OFF)
    assert not chat.requests


def test_a_model_that_fails_leaves_the_lexicon_and_its_reason(
    table: Table, caller: Caller
) -> None:
    wiring = rigged(table)
    wiring.model = ScriptedChat([ModelFailure("refused")])

    heard = converse(wiring, caller, Said("products", "lamp"))

    assert (heard.outcome.by, heard.why) == ("lexicon", "refused")


def test_the_rate_is_taken_before_the_model_is_asked(
    table: Table, caller: Caller
) -> None:
    wiring, chat = rigged(table), ScriptedChat()
    for _ in range(20):
        take(table, caller, INTERPRETS, now=wiring.now())
    wiring.model = chat

    with pytest.raises(TooFast):
        converse(wiring, caller, Said("products", "lamp"))
    assert not chat.requests


def test_a_scope_comes_before_everything(table: Table) -> None:
    wiring, chat = rigged(table), ScriptedChat()
    wiring.model = chat

    with pytest.raises(Forbidden):
        converse(wiring, Caller(TENANT, "s", "c"), Said("products", "lamp"))
    assert not chat.requests


ASTRAY = {"intent": "clarify", "rule_group": None, "explanation": ""}


def test_after_three_failed_turns_the_provider_is_left_alone(
    table: Table, caller: Caller
) -> None:
    wiring = rigged(table)
    chat = ScriptedChat([ModelFailure("refused")] * 3, name="broken-provider")
    wiring.model = chat

    heard = [converse(wiring, caller, Said("products", "lamp")) for _ in range(5)]

    assert [h.why for h in heard] == ["refused"] * 3 + ["circuit_open"] * 2
    assert {h.outcome.by for h in heard} == {"lexicon"}
    assert len(chat.requests) == 3


def test_a_secret_that_can_not_be_read_leaves_the_lexicon(
    table: Table, caller: Caller
) -> None:
    class Locked(Rigged):
        @property
        def chat(self) -> Chat | None:
            raise Unavailable("A secret can't be read.")

    wiring = Locked({})
    wiring.table = table

    heard = converse(wiring, caller, Said("products", "lamp"))

    assert (heard.outcome.by, heard.why) == ("lexicon", "no_secret")


def test_off_topic_is_one_call_then_none_and_the_tree_stays(
    table: Table, caller: Caller
) -> None:
    wiring = rigged(table, CHEAP, ASTRAY, ASTRAY)
    begun = converse(wiring, caller, Said("products", "under 50"))
    session = begun.step.session.id

    within = converse(wiring, caller, Said("products", "who won?", session))
    first = converse(wiring, caller, Said("products", "who won the cup?"))
    again = converse(wiring, caller, Said("products", "Who won the cup"))

    assert within.step.session.tree == begun.step.session.tree
    reasons = [h.step.clarify and h.step.clarify.reason for h in (within, first, again)]
    assert reasons == ["off_topic"] * 3
    assert [h.outcome.total.calls for h in (within, first, again)] == [1, 1, 0]


def test_what_models_took_is_kept_with_the_session(
    table: Table, caller: Caller
) -> None:
    wiring = rigged(table, {"intent": "?"}, CHEAP)

    heard = converse(wiring, caller, Said("products", "cheap"))
    kept = sessions.load(table, caller, heard.step.session.id, now=wiring.now())

    assert (kept.calls, kept.retries, kept.tokens, kept.micros) == (2, 1, 200, 1_400)


AMBIGUOUS = {
    "term": "vesper",
    "words": {"en": ["vesper"]},
    "readings": [
        {"name": "code", "label": {"en": "the code"}, "field": "sku", "value": "CL-1"},
        {"name": "word", "label": {"en": "the word"}},
    ],
    "question": {"en": "The code or the word?"},
}


@pytest.fixture
def asking(table: Table) -> str:
    """Publish a shop of a tenant of its own whose word "vesper" is ambiguous."""
    tenant = "asking"
    told = shop.manifest().model_dump() | {"ambiguous": [AMBIGUOUS]}
    manifest = type(shop.manifest()).model_validate(told)
    registry = registry_for(manifest, "closed", tenant=tenant)
    put_registry(table, registry, now=datetime.now(UTC))
    return tenant


def test_what_people_answer_is_learnt_until_nobody_is_asked(
    table: Table, asking: str
) -> None:
    def person(number: int) -> Caller:
        scopes = frozenset({"products:read"})
        return Caller(asking, f"p{number}", "desk", scopes=scopes, language="en")

    def said(number: int, message: str, session: str | None = None) -> Any:
        wiring = Rigged({})
        wiring.table = table
        return converse(wiring, person(number), Said("products", message, session))

    for number in range(11):
        question = said(number, "vesper")
        assert question.step.clarify.term == "vesper"
        assert question.step.session.readings == {"vesper": "unknown"}
        said(number, "the word", question.step.session.id)

    after = said(99, "vesper")

    assert after.step.clarify is None
    assert after.step.session.readings == {"vesper": "word"}

"""One message to one turn: the model, its failures, and the honest fallback."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest

from tests.unit.lexicon.sources import field, library, seen, shop, source
from vitrine.interpret.turn import Means, Outcome, interpret
from vitrine.models.chat import Completion, ModelFailure
from vitrine.models.scripted import Reply, ScriptedChat
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.session import Message, Session, advance
from vitrine.tree.describe import describe_unmet
from vitrine.tree.model import EMPTY, Group, Rule
from vitrine.validate import validate

TODAY = date(2026, 11, 30)
RED = Group("and", (Rule("colour", "equals", "Red"),))


def reply(intent: str, *rules: dict[str, Any], explanation: str = "So.") -> str:
    group = {"type": "group", "operator": "and", "rules": list(rules)}
    return json.dumps(
        {"intent": intent, "rule_group": group, "explanation": explanation}
    )


def rule(field: str, operator: str, value: Any = None) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


def session(tree: Group = EMPTY, **more: Any) -> Session:
    return Session("s", "t", "u", "c", "shop", tree, **more)


def take(
    message: str,
    script: list[Reply] | None,
    registry: Registry | None = None,
    state: Session | None = None,
    language: str = "en",
) -> tuple[Outcome, ScriptedChat | None]:
    chat = None if script is None else ScriptedChat(script)
    outcome = interpret(
        message,
        state or session(),
        registry or shop(),
        means=Means(clock=lambda: 0.0, sleep=lambda _: None, chat=chat),
        today=TODAY,
        language=language,
    )
    return outcome, chat


def test_a_models_turn_is_checked_and_normalised() -> None:
    """N02, N05: strings become numbers, spelling becomes the stored one."""
    said = reply(
        "search",
        rule("price", "less_than", "50 EUR"),
        rule("colour", "equals", "rouge"),
    )

    outcome, _ = take("red under 50", [Completion(said, 100, 20, 700, "m")])

    rules = (Rule("price", "less_than", 50), Rule("colour", "equals", "Red"))
    assert Group("and", rules) == outcome.turn.delta
    assert (
        outcome.by,
        outcome.tally.calls,
        outcome.tally.tokens,
        outcome.tally.micros,
    ) == ("scripted", 1, 120, 700)


def test_an_invented_field_goes_back_once_with_its_neighbour_named() -> None:
    """N01."""
    bad = reply("search", rule("prise", "less_than", 50))
    good = reply("search", rule("price", "less_than", 50))

    outcome, chat = take("under 50", [bad, good])

    assert Group("and", (Rule("price", "less_than", 50),)) == outcome.turn.delta
    assert chat is not None
    assert "price" in chat.requests[1].messages[-1]["content"]


@pytest.mark.parametrize(
    "script",
    [
        [ModelFailure("refused")],
        [ModelFailure("transport"), ModelFailure("transport")],
        ["", ""],
        ["I am sorry", "I am still sorry"],
        [reply("search", rule("nope", "equals", 1))] * 2,
        [reply("search")] * 2,
        [reply("search", rule("price", "vocab_id_in", ["7"]))] * 2,
    ],
)
def test_where_the_model_fails_the_lexicon_answers_and_says_so(
    script: list[Reply],
) -> None:
    outcome, _ = take("oak lamps under 50 euros", script)

    assert outcome.by == "lexicon"
    assert outcome.why
    assert outcome.tally.calls == len(script)
    assert len(outcome.turn.delta.rules) == 3


@pytest.mark.parametrize("script", [None, [], ["gibberish", "more"]])
@pytest.mark.parametrize("message", ["", "  ", "???", "show me everything", "*"])
def test_what_nobody_understands_is_asked_about(
    message: str, script: list[Reply] | None
) -> None:
    """N07: no listing of everything, and the tree stays."""
    outcome, _ = take(message, script, state=session(RED))

    assert outcome.turn.intent == "clarify"
    assert outcome.turn.delta == EMPTY
    assert outcome.turn.clarify is not None
    assert outcome.turn.clarify.reason == "unclear"


def test_without_a_chat_no_call_is_made() -> None:
    outcome, _ = take("oak lamps", None)

    assert (outcome.by, outcome.tally.calls) == ("lexicon", 0)


def test_a_models_question_is_the_clarification() -> None:
    outcome, _ = take("big ones", [reply("clarify", explanation="How big?")])

    assert outcome.turn.clarify is not None
    assert outcome.turn.clarify.question == "How big?"


@pytest.mark.parametrize(
    "gone",
    [rule("colour", "equals", "red"), rule("colour", "in"), {"field": "colour"}],
)
def test_a_removal_may_be_loose(gone: dict[str, Any]) -> None:
    outcome, _ = take("any colour", [reply("remove", gone)], state=session(RED))

    assert outcome.turn.intent == "remove"
    assert [r.field for r in outcome.turn.delta.rules if isinstance(r, Rule)] == [
        "colour"
    ]


def test_an_explanation_stays_in_the_callers_language() -> None:
    said = reply("search", rule("colour", "equals", "Red"), explanation="红色的。")

    outcome, chat = take("红色", [said], language="zh-Hans")

    assert outcome.turn.explanation == "红色的。"
    # identifiers stay as the registry spells them
    assert outcome.turn.delta == RED
    assert chat is not None
    assert 'LANGUAGE "zh-Hans"' in chat.requests[0].messages[1]["content"]


@pytest.mark.parametrize("language", ["fr", "en", "zh-Hans"])
def test_deltas_pass_validate_unchanged(language: str) -> None:
    outcome, _ = take(
        "calm, landscape format, not last spring's, wider than 2 m",
        None,
        registry=library(),
        language=language,
    )

    again = validate(outcome.turn.delta, library(), today=TODAY, language=language)

    assert again.faults == ()
    assert outcome.turn.delta == again.tree


def test_deleting_the_messages_changes_nothing() -> None:
    told = session(RED, messages=(Message("user", "blue tables"),) * 9)

    with_, without = (take("under 50", None, state=s)[0] for s in (told, session(RED)))

    assert with_ == without


def test_a_field_that_only_the_lexicon_can_place_is_shown_to_the_model() -> None:
    """ "Under 50 euros" names no field: the currency does."""
    others = [field(f"other_{n}", "vocabulary", f"o{n}", f"p{n}") for n in range(60)]
    price = field("amount", "number", "price", "prix", currency="EUR")
    fields = [field("name", "text", "name", "nom"), *others, price]
    registry = seen(source("wide", fields), {"amount": Sample(low=1, high=900)})

    _, chat = take("under 50 euros", [reply("reset")], registry)

    assert chat is not None
    assert '{"field":"amount"' in chat.requests[0].messages[1]["content"]
    assert "amount" in json.dumps(chat.requests[0].schema)


@pytest.mark.parametrize(
    ("unmet", "message", "text"),
    [
        (["sparkling"], "sparkling oak lamps", False),
        ([], "sparkling oak lamps", True),
        ([], "oak lamps under 50 euros", False),
        (["sparkling fizzy"], "sparkling fizzy lamps under 50 euros", False),
    ],
)
def test_words_that_no_filter_took_are_told(
    unmet: list[str], message: str, text: bool
) -> None:
    whole = shop()
    told = whole.manifest.profiles["trusted"].model_copy(update={"search": ()})
    profiles = {**whole.manifest.profiles, "trusted": told}
    manifest = whole.manifest.model_copy(update={"profiles": profiles})
    keys = ("category", "material", "price")
    wordless = seen(manifest, {key: whole.sample(key) for key in keys})
    registry = whole if text else wordless

    outcome, _ = take(message, None, registry)
    step = advance(session(), outcome.turn, registry, message=message, language="en")

    found = [u.what.value for u in step.unmet if isinstance(u.what, Rule)]
    assert unmet == found
    assert {u.code for u in step.unmet} <= {"unread"}
    said = describe_unmet(step.unmet, registry, "en")
    assert all(words in said for words in unmet)


class Near:
    """A linker that knows one word, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def near(self, words: Sequence[str], labels: tuple[str, ...]) -> list[list[float]]:
        self.asked += words
        return [[0.9 if v == "Lamp" else 0.1 for v in labels] for _ in words]


@pytest.mark.parametrize(
    ("script", "asked"),
    [
        (None, ["zorgloub"]),
        ([ModelFailure("broken", "x"), ModelFailure("broken", "x")], ["zorgloub"]),
        ([reply("search", rule("category", "vocab_text_equals", "Lamp"))], []),
    ],
)
def test_words_are_linked_where_the_lexicon_has_the_last_word(
    script: list[Reply] | None, asked: list[str]
) -> None:
    near = Near()
    chat = None if script is None else ScriptedChat(script)

    outcome = interpret(
        "a zorgloub",
        session(),
        shop(),
        means=Means(lambda: 0.0, lambda _: None, chat, link=near),
        today=TODAY,
    )

    lamp = Group(rules=(Rule("category", "vocab_text_equals", "Lamp"),))
    assert lamp == outcome.turn.delta
    assert asked == near.asked

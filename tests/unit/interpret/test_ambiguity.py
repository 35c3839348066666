"""A word with two readings: asked once, answered, remembered off the tree."""

from __future__ import annotations

import json
from datetime import date

import pytest

from tests.unit.lexicon.sources import library
from vitrine.interpret.turn import Means, Outcome, interpret
from vitrine.models.scripted import ScriptedChat
from vitrine.session import Session, advance
from vitrine.tree.model import EMPTY, Group, Rule

TODAY = date(2026, 11, 30)
LANDSCAPE = Rule("orientation", "equals", "landscape")


def fresh(**more: object) -> Session:
    return Session("s", "t", "u", "c", "library", **more)  # type: ignore[arg-type] # by keyword


def take(
    message: str,
    session: Session,
    language: str = "fr",
    script: list[str] | None = None,
) -> Outcome:
    chat = ScriptedChat(script) if script is not None else None
    means = Means(clock=lambda: 0.0, sleep=lambda _: None, chat=chat)
    return interpret(
        message, session, library(), means=means, today=TODAY, language=language
    )


def after(message: str, session: Session, language: str = "fr") -> Session:
    turn = take(message, session, language).turn
    return advance(session, turn, library(), message=message, language=language).session


@pytest.mark.parametrize(
    ("language", "message", "question"),
    [
        ("fr", "paysage", "Le format ou le sujet ?"),
        ("fr", "des paysages calmes", "Le format ou le sujet ?"),
        ("en", "landscape", "The format or the subject?"),
        ("en", "paysage", "The format or the subject?"),
    ],
)
def test_a_bare_word_asks_with_its_options_as_data(
    language: str, message: str, question: str
) -> None:
    outcome = take(message, fresh(), language)

    assert outcome.turn.intent == "clarify"
    assert outcome.turn.delta == EMPTY
    assert outcome.turn.clarify is not None
    assert outcome.turn.clarify.question == question
    assert outcome.turn.clarify.term == "landscape"
    assert [o.name for o in outcome.turn.clarify.options] == ["format", "subject"]
    assert outcome.tally.calls == 0


@pytest.mark.parametrize(
    "message", ["en paysage", "photos au format paysage", "in landscape"]
)
def test_a_phrase_that_settles_it_asks_nothing(message: str) -> None:
    outcome = take(message, fresh())

    assert outcome.turn.intent == "search"
    assert LANDSCAPE in outcome.turn.delta.rules


@pytest.mark.parametrize("answer", ["format", "le format", "The format", "Le format !"])
def test_the_answer_format_is_a_filter(answer: str) -> None:
    session = after(answer, after("paysage", fresh()))

    assert session.tree == Group(rules=(LANDSCAPE,))
    assert session.readings == {"landscape": "format"}


@pytest.mark.parametrize("answer", ["subject", "le sujet", "the subject"])
def test_the_answer_subject_is_a_word_to_search(answer: str) -> None:
    session = after(answer, after("paysage", fresh()))

    assert session.readings == {"landscape": "subject"}
    (rule,) = session.tree.rules
    assert isinstance(rule, Rule)
    assert (rule.field, rule.value) == ("full_text_search", "paysage")


def test_an_answer_without_a_question_is_a_message_like_others() -> None:
    assert take("le sujet", fresh()).turn.intent != "refine"


def test_turn_seven_can_not_flip_turn_two() -> None:
    session = after("le sujet", after("paysage", fresh()))
    for message in ("plutôt la montagne", "avant 2020", "sans titre", "en hauteur"):
        session = after(message, session)

    session = after("paysage", session)

    assert session.readings == {"landscape": "subject"}
    assert take("paysage", session).turn.intent != "clarify"


def test_unknown_is_kept_even_on_a_clarify_turn() -> None:
    assert after("paysage", fresh()).readings == {"landscape": "unknown"}


def test_a_models_question_about_an_open_word_has_its_options() -> None:
    said = json.dumps({"intent": "clarify", "rule_group": None, "explanation": "Hm?"})

    outcome = take("paysage", fresh(), script=[said])

    assert outcome.by == "scripted"
    assert outcome.turn.clarify is not None
    assert outcome.turn.clarify.reason == "ambiguous"
    assert outcome.turn.clarify.options


def test_a_model_is_told_which_words_are_open() -> None:
    chat = ScriptedChat([])
    means = Means(clock=lambda: 0.0, sleep=lambda _: None, chat=chat)

    interpret("paysage", fresh(), library(), means=means, today=TODAY)

    asked = chat.requests[0].messages[1]["content"]
    assert '"readings":{"format":"the format","subject":"the subject"}' in asked

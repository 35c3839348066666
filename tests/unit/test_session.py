"""A turn makes a session's next state; what an ambiguous word means is remembered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests import trees
from tests.notation import tree
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Ambiguity
from vitrine.registry.operators import FieldType
from vitrine.session import (
    MESSAGES,
    UNKNOWN,
    Clarify,
    Intent,
    Session,
    Step,
    Turn,
    advance,
    ambiguous_terms,
)
from vitrine.tree.model import EMPTY

LANDSCAPE = Ambiguity.model_validate(
    {
        "term": "landscape",
        "words": {"en": ["landscape", "landscapes"], "fr": ["paysage", "paysages"]},
        "settled": {
            "en paysage": "format",
            "format paysage": "format",
            "landscape format": "format",
        },
        "readings": [
            {
                "name": "format",
                "label": {"en": "the format", "fr": "le format"},
                "field": "shape",
                "value": "landscape",
            },
            {"name": "subject", "label": {"en": "the subject", "fr": "le sujet"}},
        ],
        "question": {"en": "Which one?", "fr": "Lequel ?"},
    }
)
SHAPE = Field(key="shape", type=FieldType.ORIENTATION, label={"en": "shape"})
REGISTRY = trees.registry_of([SHAPE], ambiguous=(LANDSCAPE,))
FRESH = Session("s1", "acme", "ann", "chat", "things")
SHAPED = "shape:equals:landscape"
SEARCHED = "full_text_search:hybrid_search:paysage"


def said(
    session: Session, message: str, intent: Intent = "refine", delta: str = "(and)"
) -> Step:
    question = Clarify("ambiguous", "Which one?") if intent == "clarify" else None
    turn = Turn(intent, tree(delta), clarify=question)
    return advance(session, turn, REGISTRY, message=message, language="en")


def test_a_turn_moves_tree_messages_and_version() -> None:
    step = said(FRESH, "landscape format please", "refine", SHAPED)

    assert tree(SHAPED) == step.session.tree
    assert step.session.version == 1
    assert [change.kind for change in step.changes] == ["added"]
    assert step.sentence == "shape: landscape"
    expected = [("user", "landscape format please"), ("assistant", "shape: landscape")]
    assert expected == [(m.role, m.text) for m in step.session.messages]


def test_deleting_the_messages_changes_no_result() -> None:
    first = said(FRESH, "wide ones", "refine", SHAPED).session

    kept = said(first, "calm", "refine", SEARCHED)
    bare = said(replace(first, messages=()), "calm", "refine", SEARCHED)

    assert kept.session.tree == bare.session.tree
    assert kept.changes == bare.changes


def test_ten_messages_are_kept() -> None:
    session = FRESH
    for number in range(8):
        session = said(session, f"turn {number}", "refine", SHAPED).session

    assert len(session.messages) == MESSAGES
    assert session.messages[0].text == "turn 3"


def test_a_question_changes_nothing_but_what_was_heard() -> None:
    step = said(FRESH, "paysage", "clarify")

    assert step.session.tree == EMPTY
    assert dict(step.session.readings) == {"landscape": UNKNOWN}
    assert step.session.messages[-1].text == "Which one?"
    assert step.clarify is not None


@pytest.mark.parametrize(
    ("delta", "reading"),
    [(SHAPED, "format"), (SEARCHED, "subject"), ("(and)", UNKNOWN)],
)
def test_a_reading_is_read_off_the_merged_tree(delta: str, reading: str) -> None:
    step = said(FRESH, "un paysage", "search", delta)

    assert {"landscape": reading} == dict(step.session.readings)


def test_the_answer_to_the_question_settles_the_term() -> None:
    asked = said(FRESH, "paysage", "clarify").session

    answered = said(asked, "le format", "refine", SHAPED).session

    assert dict(answered.readings) == {"landscape": "format"}


def test_turn_seven_cannot_flip_turn_two() -> None:
    session = said(FRESH, "bonjour", "search").session
    session = said(session, "paysage", "refine", SHAPED).session
    for _ in range(4):
        session = said(session, "plus calme", "refine", SHAPED).session

    session = said(session, "paysage", "search", SEARCHED).session

    assert dict(session.readings) == {"landscape": "format"}


def test_a_term_that_was_never_said_is_not_remembered() -> None:
    assert dict(said(FRESH, "wide ones", "refine", SHAPED).session.readings) == {}


@pytest.mark.parametrize(
    ("message", "language", "bare"),
    [
        ("paysage", "fr", True),
        ("un Paysage, calme", "fr", True),
        ("PAYSAGES d'hiver", "fr", True),
        ("en paysage", "fr", False),
        ("au format paysage", "fr", False),
        ("landscape format", "en", False),
        ("landscape", "en", True),
        ("landscape, in landscape format", "en", True),
        ("landscaping tools", "en", False),
        ("dépaysagement", "fr", False),
        ("paysage", "en", True),
    ],
)
def test_only_a_bare_word_is_ambiguous(message: str, language: str, bare: bool) -> None:
    found = ambiguous_terms(message, language, FRESH, REGISTRY)

    assert bare == (found == [LANDSCAPE])


def test_a_settled_term_is_asked_no_more() -> None:
    settled = said(FRESH, "paysage", "refine", SHAPED).session
    open_ = said(FRESH, "paysage", "clarify").session

    assert ambiguous_terms("paysage", "fr", settled, REGISTRY) == []
    assert ambiguous_terms("paysage", "fr", open_, REGISTRY) == [LANDSCAPE]


def test_what_is_unmet_comes_back_with_the_step() -> None:
    step = said(FRESH, "forget the shape", "remove", "shape")

    assert [unmet.code for unmet in step.unmet] == ["nothing_to_remove"]

"""Unknown words and listed values, with a linker that says what it is told to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.lexicon import sources
from tests.unit.lexicon.sources import choices, seen, source
from tests.unit.lexicon.test_read import shown
from vitrine.lexicon.linking import MARGIN, NEAR, Link
from vitrine.lexicon.read import read
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.session import Turn
from vitrine.tree.model import EMPTY, Group, Rule

TODAY = date(2026, 11, 30)


@dataclass
class Scripted:
    """A linker that knows a few pairs, and notes what it is asked."""

    pairs: Mapping[tuple[str, str], float]
    asked: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)

    def near(self, words: Sequence[str], labels: tuple[str, ...]) -> list[list[float]]:
        self.asked += words
        self.shown |= set(labels)
        return [[self.pairs.get((w, v), 0.1) for v in labels] for w in words]


def depot(*more: dict[str, object]) -> Registry:
    """Give a small stock: two vocabularies, a closed list, a secret, no full text."""
    fields = [
        sources.field("name", "text", "name", "nom"),
        sources.field("kind", "vocabulary", "kind", "genre"),
        sources.field("material", "vocabulary", "material", "matière"),
        sources.field(
            "grade", "keyword", "grade", "état", choices=choices("Mint/Neuf", "Worn")
        ),
        sources.field("margin", "vocabulary", "margin", "marge", sensitive=True),
        sources.field("price", "number", "price", "prix", currency="EUR"),
        *more,
    ]
    return seen(
        source("depot", list(fields)),
        {
            "kind": Sample(labels=("Sofa", "Bed", "Wood")),
            "material": Sample(labels=("Wood", "Steel")),
            "margin": Sample(labels=("Slim",)),
        },
    )


def full() -> Registry:
    """Give the same stock with full text."""
    return depot(sources.field("text", "full_text", "text", "texte"))


def heard(message: str, link: Link | None, registry: Registry | None = None) -> Turn:
    """Read a message over the depot."""
    return read(message, EMPTY, registry or depot(), today=TODAY, link=link)


def test_a_clear_win_is_a_value() -> None:
    link = Scripted({("davenport", "Sofa"): 0.8, ("davenport", "Bed"): 0.5})

    turn = heard("a davenport under 300 euros", link)

    assert "(kind equals Sofa and price less_than 300)" == (shown(turn.delta))
    assert not turn.unread


def test_a_closed_list_is_linked_by_its_labels_and_stored_by_its_value() -> None:
    turn = heard("zorgloub", Scripted({("zorgloub", "Neuf"): 0.9}))

    assert Group(rules=(Rule("grade", "equals", "Mint"),)) == turn.delta


def test_a_value_that_two_fields_hold_goes_to_the_named_one() -> None:
    link = Scripted({("zorgloub", "Wood"): 0.9})

    turn = heard("material zorgloub", link)

    assert "(material equals Wood)" == shown(turn.delta)


def test_a_linked_word_can_be_denied() -> None:
    link = Scripted({("zorgloub", "Sofa"): 0.9})

    turn = heard("under 300 euros without zorgloub", link)

    assert "(price less_than 300 and kind not_in Sofa)" == shown(turn.delta)


def test_two_close_values_are_asked_about_and_nothing_said_is_lost() -> None:
    link = Scripted({("davenport", "Sofa"): 0.8, ("davenport", "Bed"): 0.75})

    turn = heard("a davenport under 300 euros", link)

    assert turn.clarify is not None
    assert ("clarify", "ambiguous", "davenport") == (
        turn.intent,
        turn.clarify.reason,
        turn.clarify.term,
    )
    assert ["Sofa", "Bed"] == [option.label for option in turn.clarify.options]
    assert "Sofa or Bed" in turn.clarify.question
    answers = [heard(o.name, None).delta for o in turn.clarify.options]
    assert [heard(f"a {v} under 300 euros", None).delta for v in ("Sofa", "Bed")] == (
        answers
    )


@pytest.mark.parametrize("message", ["davenport", "a davenport under 300 euros"])
def test_a_word_that_is_near_to_nothing_stays_what_it_was(message: str) -> None:
    link = Scripted({("davenport", "Sofa"): NEAR - 0.01})

    assert heard(message, None) == heard(message, link)
    assert ["davenport"] == link.asked


@pytest.mark.parametrize(
    "message",
    [
        "sofa",  # what a list holds
        "an armchair",  # what our own tables know, and no list holds
        "for Davenport",  # a name
        "DVNP",  # a code
        "davenport1",
        "ax",
        "monday blues",  # words side by side
        "under 300 euros",
    ],
)
def test_only_a_lone_unknown_word_is_looked_at(message: str) -> None:
    link = Scripted({})

    assert heard(message, None, full()) == heard(message, link, full())
    assert [] == link.asked


def test_a_lone_unknown_word_is_no_text_where_a_list_is_near() -> None:
    link = Scripted({("davenport", "Sofa"): 0.8})

    assert "(full_text_search hybrid_search davenport)" == (
        shown(heard("davenport", None, full()).delta)
    )
    assert "(kind equals Sofa)" == (shown(heard("davenport", link, full()).delta))


def test_a_sensitive_fields_values_are_never_compared() -> None:
    link = Scripted({("zorgloub", "Slim"): 1.0})

    turn = heard("zorgloub", link)

    assert "Slim" not in link.shown
    assert "margin" not in shown(turn.delta)


@pytest.mark.parametrize(("sofas", "asked"), [(4, ["davenport"]), (30, [])])
def test_only_a_short_request_is_looked_at(sofas: int, asked: list[str]) -> None:
    link = Scripted({("davenport", "Bed"): 0.9})

    heard("a davenport, " + ", ".join(["sofa"] * sofas), link)

    assert asked == link.asked


def test_a_source_without_lists_asks_nothing() -> None:
    link = Scripted({})

    bare = seen(source("bare", [sources.field("name", "text", "name", "nom")]), {})

    heard("davenport", link, bare)

    assert [] == link.asked


@given(first=st.floats(-1, 1), second=st.floats(-1, 1))
def test_no_value_is_taken_that_is_far_or_not_clearly_first(
    first: float, second: float
) -> None:
    link = Scripted({("davenport", "Sofa"): first, ("davenport", "Bed"): second})

    turn = heard("davenport", link)

    best, other = max(first, second), max(0.1, min(first, second))
    taken = best >= NEAR and best - other >= MARGIN
    assert taken == ("kind" in shown(turn.delta))
    asked = turn.clarify is not None and turn.clarify.reason == "ambiguous"
    assert asked == (best >= NEAR and not taken)

"""Dialogue states: what is given, what counts, and when two values are one."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from infra.bench.dialogues import Turns, fresh
from infra.bench.forms import Known, gold, known, registry_of
from infra.bench.likeness import alike
from infra.bench.states import Slots, given, offered
from vitrine.registry.operators import FieldType
from vitrine.session import Session, Turn
from vitrine.tree.model import EMPTY, Group, Rule

TODAY = date(2026, 11, 30)


def field(key: str, kind: str, *values: str) -> dict[str, Any]:
    return {"key": key, "label": key, "type": kind, "values": list(values)}


def rooms() -> Known:
    return known(
        {
            "fields": [
                field("town", "text", "Lyon", "Nantes"),
                field("beds", "number", "1", "2"),
                field("day", "date"),
                field("quiet", "vocabulary", "true", "false"),
            ]
        }
    )


def slots(of: Known) -> Slots:
    return Slots(of, TODAY, "en")


def edit(field: str, value: Any, source: str = "user") -> dict[str, Any]:
    return {"op": "add", "field": field, "value": value, "from": source}


def turn(said: str, *edits: dict[str, Any]) -> dict[str, Any]:
    return {"system": None, "utterance": said, "gold": {"delta": list(edits)}}


def saying(tree: Group) -> Any:
    """Read every message as the same refinement."""

    def read(_message: str, _of: Known, _session: Session, _lang: str) -> Turn:
        return Turn("refine", tree) if tree else Turn("clarify")

    return read


@pytest.mark.parametrize(
    ("same", "kind", "ours", "theirs"),
    [
        (True, FieldType.TEXT, "lyon", "Lyon"),
        (True, FieldType.VOCABULARY, "action", "action movies"),
        (True, FieldType.VOCABULARY, "United States", "American"),
        (False, FieldType.VOCABULARY, "comedy", "action movies"),
        (True, FieldType.NUMBER, 4, "4"),
        (True, FieldType.NUMBER, 3142, "3,142"),
        (False, FieldType.NUMBER, 5, "4"),
        (True, FieldType.BOOLEAN, True, "True"),
        (False, FieldType.BOOLEAN, False, "True"),
        (True, FieldType.DATE, "march_7", "March 7th"),
        (True, FieldType.DATE, "2026-12-07", "the 7th"),
        (False, FieldType.DATE, "march_8", "March 7th"),
        (True, FieldType.TIME, "17:15", "5:15 pm"),
        (False, FieldType.TIME, "05:15", "5:15 pm"),
    ],
)
def test_values_compare_as_what_they_are(
    same: bool, kind: FieldType, ours: Any, theirs: str
) -> None:
    assert same is alike(kind, ours, theirs, "en", TODAY)


def test_a_turn_is_right_if_its_state_is() -> None:
    turns, of = Turns(), rooms()
    found = Group(rules=(Rule("town", "vocab_text_equals", "Lyon"),))
    example = {"id": "d", "lang": "en", "turns": [turn("Lyon", edit("town", ["Lyon"]))]}

    turns.states(example, slots(of), saying(found))

    expected = {"n": 1, "turn_exact": 1.0, "joint_goal": 1.0, "condition_f1": 1.0}
    assert expected == turns.figures


def test_an_added_filter_spoils_turn_and_goal() -> None:
    turns, of = Turns(), rooms()
    found = Group(
        rules=(Rule("town", "vocab_text_equals", "Lyon"), Rule("beds", "equals", 2))
    )
    example = {"id": "d", "lang": "en", "turns": [turn("Lyon", edit("town", ["Lyon"]))]}

    turns.states(example, slots(of), saying(found))

    assert (0, 0) == (turns.exact, turns.joint)
    assert 0.667 == turns.figures["condition_f1"]


def test_a_miss_stays_in_the_goal_and_not_in_the_next_turn() -> None:
    turns, of = Turns(), rooms()
    two = [turn("Lyon", edit("town", ["Lyon"])), turn("thanks")]

    turns.states({"id": "d", "lang": "en", "turns": two}, slots(of), saying(EMPTY))

    assert (1, 0) == (turns.exact, turns.joint)


def test_what_the_assistant_offered_is_given() -> None:
    of = rooms()
    accepted = turn("that one", edit("beds", ["2"], "system"))

    session = given(fresh(of), accepted, slots(of))

    assert Group(rules=(Rule("beds", "equals", "2"),)) == session.tree


def test_no_preference_is_no_filter() -> None:
    of = rooms()
    state = slots(of).gold([edit("town", ["dontcare"])], {"town": ["Lyon"]})

    assert {} == state


def test_lists_and_denials_are_not_the_gold_value() -> None:
    of = rooms()
    listed = [Rule("town", "vocab_text_in", ("Lyon", "Nantes"))]
    denied = [Rule("town", "vocab_text_not_in", ("Lyon",))]

    assert not slots(of).agree("town", listed, ["Lyon"])
    assert not slots(of).agree("town", denied, ["Lyon"])


def test_several_registries_are_one_with_groups_and_skip_offers() -> None:
    listed = {"en": {"inn": [field("inn.name", "text"), field("inn.area", "text")]}}
    example = {"registries": ["inn"], "lang": "en"}

    of = registry_of(example, listed)

    assert frozenset({"inn.name"}) == offered(example, of)
    assert of.registry.filters["inn.area"].group == "inn"


def test_yes_and_no_alone_are_a_flag() -> None:
    assert FieldType.BOOLEAN is rooms().field("quiet").type


def test_gold_numbers_are_read_with_their_groups() -> None:
    raw = {
        "combinator": "and",
        "rules": [{"field": "beds", "operator": ">", "value": "3,142"}],
    }

    assert Group(rules=(Rule("beds", "greater_than", 3142),)) == gold(raw, rooms())

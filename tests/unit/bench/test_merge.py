"""Replayed dialogues: the delta is found from gold alone, and misses have a reason."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from infra.bench import merge
from infra.bench.differences import steps
from infra.bench.scores import normal
from tests import trees
from tests.notation import tree
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.merge import merge as merged

TYPES = {
    "kind": FieldType.KEYWORD,
    "colour": FieldType.KEYWORD,
    "tags": FieldType.KEYWORD,
    "width": FieldType.NUMBER,
    "made": FieldType.DATE,
    "name": FieldType.TEXT,
}
REGISTRY = trees.registry_of(
    Field(key=key, type=kind, label={"en": key}, multi=key == "tags")
    for key, kind in TYPES.items()
)


@pytest.mark.parametrize(
    ("edit", "before", "after", "intents"),
    [
        ("new", "(and kind:equals:x)", "(and colour:equals:red)", ["search"]),
        ("clear", "(and kind:equals:x)", "(and)", ["reset"]),
        (
            "add",
            "(and kind:equals:x)",
            "(and kind:equals:x width:less_than:5)",
            ["refine"],
        ),
        (
            "add",
            "(and colour:equals:red kind:equals:x)",
            "(and (or colour:equals:red colour:equals:pink) kind:equals:x)",
            ["expand"],
        ),
        (
            "add",
            "(and colour:equals:red)",
            '(and colour:in:["red","pink"] width:less_than:5)',
            ["expand", "refine"],
        ),
        (
            "add",
            "(and width:greater_or_equal:1)",
            "(and width:between:[1,5])",
            ["refine"],
        ),
        (
            "add",
            "(and kind:equals:x)",
            "(and kind:equals:x (or colour:equals:red tags:equals:a))",
            ["refine"],
        ),
        ("add", "(and tags:equals:a)", "(and tags:equals:a tags:equals:b)", ["refine"]),
        ("replace", "(and kind:equals:x)", "(and kind:equals:y)", ["refine"]),
        (
            "replace",
            "(and (or kind:equals:x kind:equals:y) width:less_than:5)",
            "(and kind:equals:z width:less_than:5)",
            ["refine"],
        ),
        (
            "replace",
            '(and made:on_or_after:"2026-01-01" made:on_or_before:"2026-01-31")',
            '(and made:on_or_after:"2026-02-01" made:on_or_before:"2026-02-28")',
            ["refine"],
        ),
        ("replace", "(and tags:equals:a)", "(and tags:equals:b)", ["refine", "remove"]),
        (
            "replace",
            "(and kind:not_equals:x)",
            "(and kind:not_equals:y)",
            ["refine", "remove"],
        ),
        (
            "replace",
            "(and kind:equals:x width:less_than:5)",
            "(and kind:equals:x colour:equals:red)",
            ["refine", "remove"],
        ),
        (
            "remove",
            "(and kind:equals:x (or colour:equals:red colour:equals:pink))",
            "(and kind:equals:x)",
            ["remove"],
        ),
        (
            "remove",
            "(and kind:equals:x (or colour:equals:red colour:equals:pink))",
            "(and kind:equals:x colour:equals:pink)",
            ["remove"],
        ),
        (
            "remove",
            '(and kind:in:["x","y","z"] width:between:[1,5])',
            '(and kind:in:["x","z"] width:greater_or_equal:1)',
            ["remove"],
        ),
        (
            "remove",
            "(and tags:equals:a tags:equals:b)",
            "(and tags:equals:b)",
            ["remove"],
        ),
        (
            "remove",
            "(and kind:is_empty width:less_than:5)",
            "(and width:less_than:5)",
            ["remove"],
        ),
        (
            "remove",
            "(and name:contains:a kind:not_equals:x)",
            "(and name:contains:a)",
            ["remove"],
        ),
    ],
)
def test_the_difference_of_two_trees_leads_from_one_to_the_other(
    edit: str, before: str, after: str, intents: list[str]
) -> None:
    found = steps(edit, tree(before), tree(after), REGISTRY)

    state = tree(before)
    for step in found:
        state = merged(state, step.intent, step.delta, REGISTRY).tree
    assert intents == [step.intent for step in found]
    assert normal(tree(after)) == normal(state)


FIELDS = [
    {"key": "kind", "label": "kind", "type": "vocabulary", "values": []},
    {"key": "day", "label": "day", "type": "date", "values": []},
]


def replayed(
    folder: Path, capsys: pytest.CaptureFixture[str], turns: Sequence[Any]
) -> tuple[list[str], dict[str, Any]]:
    example = {"id": "one", "lang": "en", "registry": "shop", "turns": turns}
    (folder / "file.jsonl").write_text(json.dumps(example) + "\n", encoding="utf-8")
    (folder / "registries.json").write_text(json.dumps({"shop": {"fields": FIELDS}}))
    paths = [str(folder / name) for name in ("file.jsonl", "registries.json")]

    assert merge.main([paths[0], "--registries", paths[1], "--misses"]) == 0

    *misses, last = capsys.readouterr().out.strip().splitlines()
    return [m.split("\t")[0] for m in misses if m], json.loads(last)


def turn(edit: str, *rules: tuple[str, str, Any]) -> dict[str, Any]:
    listed = [{"field": f, "operator": o, "value": v} for f, o, v in rules]
    group = {"combinator": "and", "rules": listed}
    return {"utterance": edit, "edit": edit, "gold": {"rule_group": group}}


def test_a_dialogue_of_trees_is_replayed_turn_by_turn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = [
        turn("new", ("kind", "=", "coat")),
        turn("add", ("kind", "=", "coat"), ("day", "<", "2026-01-01")),
        {"utterance": "hm?", "edit": "clarify", "gold": None},
        turn("replace", ("kind", "=", "hat"), ("day", "<", "2026-01-01")),
        turn("clear"),
    ]

    misses, figures = replayed(tmp_path, capsys, turns)

    assert misses == []
    assert figures == {"turns": 5, "equal": 5, "joint_accuracy": 1.0, "misses": {}}


def state(values: dict[str, Any], *edits: dict[str, Any]) -> dict[str, Any]:
    return {"utterance": "…", "gold": {"state": values, "delta": list(edits)}}


def add(field: str, value: Any, op: str = "add") -> dict[str, Any]:
    return {"op": op, "field": field, "value": value}


COAT = state({"kind": ["coat"]}, add("kind", ["coat"]))


@pytest.mark.parametrize(
    ("expected", "later"),
    [
        ([], state({"kind": ["Coat", "overcoat"]})),
        ([], state({"kind": ["hat"]}, add("kind", ["hat"], "replace"))),
        ([], state({}, {"op": "remove", "field": "kind"})),
        (["reworded_without_edit"], state({"kind": "hat"})),
        (["vanished_without_edit"], state({})),
        (["appeared_without_edit"], state({"kind": "coat", "day": "today"})),
        (["edit_not_in_state"], state({"kind": "coat"}, add("kind", "hat"))),
        (["edit_not_in_state"], state({"kind": "coat"}, add("day", "today"))),
    ],
)
def test_a_dialogue_of_states_is_compared_and_each_miss_explained(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    expected: list[str],
    later: dict[str, Any],
) -> None:
    misses, figures = replayed(tmp_path, capsys, [COAT, later])

    assert expected == misses
    assert figures["equal"] == 2 - len(expected)


def test_a_miss_is_carried_on_until_an_edit_mends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hat = state({"kind": "hat"})
    cap = state({"kind": "cap"}, add("kind", "cap", "replace"))

    misses, figures = replayed(tmp_path, capsys, [COAT, hat, hat, cap])

    assert misses == ["reworded_without_edit", "carried_on"]
    assert (figures["equal"], figures["joint_accuracy"]) == (3, 0.5)

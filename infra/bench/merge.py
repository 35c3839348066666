"""Replay dialogues through merge and compare states; one JSON line comes last.

    python -m infra.bench merge FILE.jsonl --registries FILE [--misses]

Two forms are read. Where each turn gives the whole gold tree, the delta is the
difference of two gold trees; where it gives a state by field and the edits that led
there, the edits are the delta.
``equal`` counts the turns that come out right from the gold state before them;
``joint_accuracy`` is the share of turns at which the state kept since the first turn
is right. ``misses`` counts the turns that come out wrong by what is the matter with
them, and those that only carry an earlier miss on.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from infra.bench.differences import Step, steps
from infra.bench.files import document, each
from infra.bench.forms import Known, gold, known, named
from infra.bench.forms import registry_of as one_registry
from infra.bench.scores import normal
from vitrine.language.folding import fold
from vitrine.registry.operators import FieldType
from vitrine.tree.merge import merge
from vitrine.tree.model import EMPTY, Group, Rule, leaves

Turn = Mapping[str, Any]
Edits = Iterable[Mapping[str, Any]]


class Form(Protocol):
    """How a file says what is to be done at a turn, and what should come of it."""

    def steps(self, turn: Turn, before: Group) -> list[Step]:
        """Give what to merge."""
        ...

    def wanted(self, turn: Turn, before: Group) -> Group:
        """Give the gold tree after the turn."""
        ...

    def same(self, turn: Turn, found: Group, wanted: Group) -> bool:
        """Tell whether a tree is the gold one."""
        ...

    def reason(self, turn: Turn, found: Group, before: Group) -> str:
        """Name what is the matter with a turn that came out otherwise."""
        ...


@dataclass(slots=True)
class Replay:
    """Sums over the turns of one file."""

    turns: int = 0
    equal: int = 0
    joint: int = 0
    misses: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def dialogue(self, example: Mapping[str, Any], form: Form, of: Known) -> None:
        """Replay one dialogue, from the gold state before each turn and from ours."""
        ours = before = EMPTY
        for turn in _turns(example):
            asked = form.steps(turn, before)
            wanted = form.wanted(turn, before)
            taught, ours = merged(before, asked, of), merged(ours, asked, of)
            right, joint = (form.same(turn, t, wanted) for t in (taught, ours))
            self.turns, self.equal = self.turns + 1, self.equal + right
            self.joint += joint
            if not right:
                self.missed(example, turn, form.reason(turn, taught, before))
            elif not joint:
                self.missed(example, turn, "carried_on")
            before = wanted

    def missed(self, example: Mapping[str, Any], turn: Turn, why: str) -> None:
        """Remember a miss under its reason."""
        self.misses[why] += 1
        self.told.append(f"{why}\t{example['id']}\t{turn['utterance']}")

    @property
    def figures(self) -> dict[str, Any]:
        """Give the counts, and the joint accuracy rounded to four places."""
        joint = round(self.joint / self.turns, 4) if self.turns else 1.0
        head = {"turns": self.turns, "equal": self.equal, "joint_accuracy": joint}
        return head | {"misses": dict(sorted(self.misses.items()))}


def merged(tree: Group, asked: Iterable[Step], of: Known) -> Group:
    """Merge one step after the other."""
    for step in asked:
        tree = merge(tree, step.intent, step.delta, of.registry).tree
    return tree


@dataclass(frozen=True, slots=True)
class Trees:
    """Turns that give the whole gold tree and the kind of edit."""

    of: Known

    def steps(self, turn: Turn, before: Group) -> list[Step]:
        """Give the difference of two gold trees."""
        if not _has_tree(turn):
            return [Step("clarify", EMPTY)]
        after = gold(turn["gold"]["rule_group"], self.of)
        return steps(turn["edit"], before, after, self.of.registry)

    def wanted(self, turn: Turn, before: Group) -> Group:
        """Give the gold tree; without one, nothing changes."""
        if not _has_tree(turn):
            return before
        return gold(turn["gold"]["rule_group"], self.of)

    def same(self, _turn: Turn, found: Group, wanted: Group) -> bool:
        """Compare in normal form."""
        return bool(normal(found) == normal(wanted))

    def reason(self, turn: Turn, _found: Group, _before: Group) -> str:
        """Name the edit that was not done: there is no other reason here."""
        return f"not_done_{turn['edit']}"


def _has_tree(turn: Turn) -> bool:
    return bool(turn["gold"]) and turn["gold"]["rule_group"] is not None


@dataclass(frozen=True, slots=True)
class States:
    """Turns that give a value, or its accepted spellings, by field, and edits."""

    of: Known

    def steps(self, turn: Turn, _before: Group) -> list[Step]:
        """Remove what an edit removes, then refine by what it adds or replaces."""
        edits: Edits = turn["gold"]["delta"]
        gone = [Rule(self.of.keys[e["field"]], "") for e in edits if _removes(e)]
        said = [self.leaf(e["field"], e["value"]) for e in edits if not _removes(e)]
        both = (Step("remove", _group(gone)), Step("refine", _group(said)))
        return [step for step in both if step.delta]

    def wanted(self, turn: Turn, _before: Group) -> Group:
        """Give a leaf for each field of the state."""
        return _group(self.leaf(k, v) for k, v in turn["gold"]["state"].items())

    def leaf(self, key: str, value: Any) -> Rule:
        """Ask for the first accepted spelling."""
        named = self.of.field(key)
        closed = named.type is FieldType.VOCABULARY
        said = spellings(value)[0]
        return Rule(named.key, "vocab_text_equals" if closed else "equals", said)

    def same(self, turn: Turn, found: Group, _wanted: Group) -> bool:
        """Compare field by field: each holds one of its accepted spellings."""
        return not self.differing(turn, found)

    def differing(self, turn: Turn, found: Group) -> list[str]:
        """List the fields of the file that are not as the gold state has them."""
        state = turn["gold"]["state"]
        ours = values_by_field(found)
        theirs = {self.of.keys[k]: folded(v) for k, v in state.items()}
        names = {key: name for name, key in self.of.keys.items()}
        keys = sorted(ours.keys() | theirs.keys())
        return [names[k] for k in keys if not ours.get(k, set()) & theirs.get(k, set())]

    def reason(self, turn: Turn, found: Group, before: Group) -> str:
        """Say of each differing field what gold does to it without an edit."""
        was, edited = values_by_field(before), {e["field"] for e in _edits(turn)}
        reasons = set()
        for name in self.differing(turn, found):
            known_before = self.of.keys[name] in was
            reasons.add(_reason(name, turn, edited, known_before=known_before))
        return "+".join(sorted(reasons))


def _reason(name: str, turn: Turn, edited: set[str], *, known_before: bool) -> str:
    if name in edited:
        return "edit_not_in_state"
    if name not in turn["gold"]["state"]:
        return "vanished_without_edit"
    return "reworded_without_edit" if known_before else "appeared_without_edit"


def _edits(turn: Turn) -> list[Mapping[str, Any]]:
    return list(turn["gold"]["delta"])


def _removes(edit: Mapping[str, Any]) -> bool:
    return bool(edit["op"] == "remove")


def _group(rules: Iterable[Rule]) -> Group:
    return Group(rules=tuple(rules))


def spellings(value: Any) -> list[str]:
    """List the accepted spellings of one value."""
    return [str(v) for v in value] if isinstance(value, list) else [str(value)]


def folded(value: Any) -> set[str]:
    """Give the accepted spellings, case and accents folded."""
    return {fold(text) for text in spellings(value)}


def values_by_field(tree: Group) -> dict[str, set[str]]:
    """Give each field's folded values."""
    found: dict[str, set[str]] = {}
    for _, rule in leaves(tree):
        held = list(rule.value) if isinstance(rule.value, tuple) else rule.value
        found.setdefault(rule.field, set()).update(folded(held))
    return found


def main(arguments: list[str]) -> int:
    """Replay one file and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench merge")
    parser.add_argument("file", type=Path)
    parser.add_argument("--registries", type=Path)
    parser.add_argument("--misses", action="store_true", help="print what went wrong")
    asked = parser.parse_args(arguments)
    listed = document(asked.registries) if asked.registries else {}
    replay = Replay()

    def one(example: Mapping[str, Any]) -> None:
        of = registry_of(example, listed)
        form: Form = States(of) if _by_field(example) else Trees(of)
        replay.dialogue(example, form, of)

    each(asked.file, one)
    if asked.misses:
        print(*replay.told, sep="\n")
    print(json.dumps(replay.figures))
    return 0


def _by_field(example: Mapping[str, Any]) -> bool:
    return any("state" in (turn["gold"] or ()) for turn in _turns(example))


def _turns(example: Mapping[str, Any]) -> list[Turn]:
    """Give the turns; a lone sentence is one that begins a search."""
    alone: list[Turn] = [{**example, "edit": "new"}]
    turns: list[Turn] = example.get("turns", alone)
    return turns


def registry_of(example: Mapping[str, Any], listed: Mapping[str, Any]) -> Known:
    """Make the registry that a dialogue is about: one of the file, or some together."""
    if "fields" in example or "registry" in example:
        return one_registry(example, listed)
    of_language = named(listed, example["lang"])
    return known([f for name in of_language for f in of_language[name]])

"""Dialogues whose gold is a state by field: turns scored by the edits they make.

A value that the user only took from the assistant can't be read from the message, so
it is given; slots that a form fills from the assistant's offers without saying so
(names and titles, over several registries) are left out on both sides.
"No preference" is the same as no filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from infra.bench.forms import Known
from infra.bench.likeness import alike
from vitrine.registry.operators import NEGATIVE_OPERATORS
from vitrine.session import Message, Session, Turn, advance
from vitrine.tree.model import Group, Rule, leaves

OFFERED = frozenset({"name", "title"})
ANY = frozenset({"dontcare"})
_OPERATORS = {"vocabulary": "vocab_text_equals", "text": "contains"}
State = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Slots:
    """How states are compared over one registry; ``skipped`` fields don't count."""

    of: Known
    today: date
    lang: str
    skipped: frozenset[str] = frozenset()

    def gold(self, edits: Iterable[Mapping[str, Any]], before: State) -> State:
        """Give the gold state after a turn's edits."""
        state = dict(before)
        for edit in edits:
            key = self.of.keys[edit["field"]]
            state.pop(key, None)
            if edit["op"] != "remove" and not _free(edit["value"]):
                state[key] = edit["value"]
        return state

    def read(self, tree: Group) -> State:
        """Give a tree as a state: what each field is asked to be."""
        state: dict[str, list[Rule]] = {}
        for _, rule in leaves(tree):
            state.setdefault(rule.field, []).append(rule)
        return state

    def tree(self, state: State) -> Group:
        """Give a gold state as a tree, one leaf a field."""
        return Group(rules=tuple(self._leaf(key, v) for key, v in state.items()))

    def _leaf(self, key: str, value: Any) -> Rule:
        kind = self.of.registry.filters[key].type.value
        said = value[0] if isinstance(value, list) else value
        return Rule(key, _OPERATORS.get(kind, "equals"), said)

    def same(self, ours: State, theirs: State) -> bool:
        """Tell whether two states agree on every field that counts."""
        return not self.differing(ours, theirs)

    def differing(self, ours: State, theirs: State) -> list[str]:
        """Name the fields on which they don't agree."""
        keys = {*ours, *theirs} - self.skipped
        return sorted(k for k in keys if not self.agree(k, ours.get(k), theirs.get(k)))

    def agree(self, key: str, ours: Any, theirs: Any) -> bool:
        """Tell whether a field's leaves are one positive leaf with the gold value."""
        if ours is None or theirs is None:
            return ours is theirs
        if len(ours) != 1 or ours[0].operator in NEGATIVE_OPERATORS:
            return False
        field = self.of.registry.filters[key]
        told = ours[0].value if isinstance(ours[0].value, tuple) else (ours[0].value,)
        listed = theirs if isinstance(theirs, list) else [theirs]
        return len(told) == 1 and any(
            alike(field.type, told[0], one, self.lang, self.today) for one in listed
        )


def _free(value: Any) -> bool:
    """Tell whether the user has no preference."""
    return any(v in ANY for v in (value if isinstance(value, list) else [value]))


def offered(example: Mapping[str, Any], of: Known) -> frozenset[str]:
    """Name the fields that a form of several registries fills from offers."""
    if "registries" not in example:
        return frozenset()
    named = (k for k in of.keys if k.rsplit(".", 1)[-1] in OFFERED)
    return frozenset(of.keys[key] for key in named)


def given(session: Session, turn: Mapping[str, Any], slots: Slots) -> Session:
    """Put the values that came from the assistant into a session's tree."""
    keys = {
        slots.of.keys[e["field"]]: e["value"]
        for e in turn["gold"]["delta"]
        if e.get("from") == "system"
    }
    kept = tuple(n for n in session.tree.rules if not _about(n, set(keys)))
    fresh = slots.tree({k: v for k, v in keys.items() if not _free(v)}).rules
    return replace(session, tree=Group(rules=(*kept, *fresh))) if keys else session


def _about(node: Any, keys: set[str]) -> bool:
    return any(rule.field in keys for _, rule in leaves(node))


def hearing(session: Session, turn: Mapping[str, Any]) -> Session:
    """Let the assistant's words be the last that were said before a message."""
    said = turn.get("system")
    return session.hearing(Message("assistant", said)) if said else session


def after(session: Session, read: Turn, of: Known, message: str, lang: str) -> Session:
    """Advance a session by a turn."""
    step = advance(session, read, of.registry, message=message, language=lang)
    return step.session

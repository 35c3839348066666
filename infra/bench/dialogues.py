"""Score an interpreter turn by turn: what stands after each message.

``exact`` starts each turn from the gold before it, ``joint`` from our own tree.
Two forms are read: the whole gold tree after each turn, and a state by field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from infra.bench.forms import Known, gold
from infra.bench.scores import f1, normal, quantiles
from infra.bench.states import Slots, State, after, given, hearing
from vitrine.session import Session, Turn
from vitrine.tree.model import EMPTY, Group

Read = Callable[[str, Known, Session, str], Turn]
Dated = Callable[[Group], Group]
Edit = tuple[str, str]


@dataclass(slots=True)
class Turns:
    """Sums over the turns of one file or language."""

    n: int = 0
    exact: int = 0
    joint: int = 0
    met: int = 0
    said: int = 0
    asked: int = 0
    times: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def figures(self) -> dict[str, float]:
        """Give the shares, rounded."""
        if not self.n:
            return {}
        figures: dict[str, float] = {
            "n": self.n,
            "turn_exact": round(self.exact / self.n, 3),
            "joint_goal": round(self.joint / self.n, 3),
        }
        if self.asked:
            figures["condition_f1"] = round(f1(self.met, self.said, self.asked), 3)
        return figures | quantiles(self.times)

    def whole(
        self, example: Mapping[str, Any], of: Known, read: Read, dated: Dated
    ) -> None:
        """Replay one dialogue whose turns give the whole tree."""
        lang = example["lang"]
        ours = fresh(of)
        before: Group = EMPTY
        for turn in example["turns"]:
            message, raw = turn["utterance"], (turn["gold"] or {}).get("rule_group")
            wanted = before if raw is None else gold(raw, of)
            taught = replace(ours, tree=before)
            taught = after(taught, read(message, of, taught, lang), of, message, lang)
            ours = after(ours, read(message, of, ours, lang), of, message, lang)
            joint = normal(dated(ours.tree)) == normal(dated(wanted))
            right = normal(dated(taught.tree)) == normal(dated(wanted))
            self._count(right=right, joint=joint)
            if not right:
                self.missed.append(f"{example['id']} {message}: {taught.tree}")
            before = wanted

    def states(self, example: Mapping[str, Any], slots: Slots, read: Read) -> None:
        """Replay one dialogue whose turns give a state by field and edits."""
        ours = fresh(slots.of)
        before: State = {}
        for turn in example["turns"]:
            wanted = slots.gold(turn["gold"]["delta"], before)
            taught = replace(ours, tree=slots.tree(before))
            found = slots.read(self._turn(taught, turn, slots, read).tree)
            ours = self._turn(ours, turn, slots, read)
            right = slots.same(found, wanted)
            self._count(right=right, joint=slots.same(slots.read(ours.tree), wanted))
            self._edits(turn, (slots.read(slots.tree(before)), found), slots)
            if not right:
                self._missed(example["id"], turn, found, (slots, before, wanted))
            before = wanted

    def _turn(
        self, session: Session, turn: Mapping[str, Any], slots: Slots, read: Read
    ) -> Session:
        session, message = hearing(session, turn), turn["utterance"]
        heard = read(message, slots.of, session, slots.lang)
        session = after(session, heard, slots.of, message, slots.lang)
        return given(session, turn, slots)

    def _count(self, *, right: bool, joint: bool) -> None:
        self.n += 1
        self.exact += right
        self.joint += joint

    def _edits(
        self, turn: Mapping[str, Any], trees: tuple[State, State], slots: Slots
    ) -> None:
        """Count the fields that were changed, should have been, and both alike."""
        before, found = trees
        keys = slots.of.keys
        mine = [e for e in turn["gold"]["delta"] if e.get("from") != "system"]
        theirs = {keys[e["field"]]: e.get("value") for e in mine}
        taken = {keys[e["field"]] for e in turn["gold"]["delta"]} - set(theirs)
        theirs = {k: v for k, v in theirs.items() if k not in slots.skipped}
        changed = {k for k in {*before, *found} if before.get(k) != found.get(k)}
        changed -= slots.skipped | taken
        self.said += len(changed)
        self.asked += len(theirs)
        hits = (k for k in changed & set(theirs))
        self.met += sum(slots.agree(k, found.get(k), theirs[k]) for k in hits)

    def _missed(
        self, name: str, turn: Mapping[str, Any], found: State, told: Any
    ) -> None:
        slots, before, wanted = told
        fields = slots.differing(found, wanted)
        lines = (
            f"    {k}: {[(r.operator, r.value) for r in found.get(k, ())]}"
            f" = {wanted.get(k)} (was {before.get(k)})"
            for k in fields
        )
        head = f"{name}\n  S: {turn.get('system')}\n  U: {turn['utterance']}"
        self.missed.append("\n".join((head, *lines)))


def fresh(of: Known) -> Session:
    """Give a session without a tree."""
    return Session("bench", "t", "s", "c", of.registry.source)

"""Score an interpreter turn by turn: the tree after each message, as it would stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from infra.bench.forms import Known, gold
from infra.bench.scores import normal
from vitrine.session import Session, Turn, advance
from vitrine.tree.model import EMPTY, Group

Read = Callable[[str, Known, Session, str], Turn]
Dated = Callable[[Group], Group]


@dataclass(slots=True)
class Turns:
    """Sums over the turns of one file or language.

    ``exact`` starts each turn from the gold tree before it, ``joint`` from our own.
    """

    n: int = 0
    exact: int = 0
    joint: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def figures(self) -> dict[str, float]:
        """Give the shares, rounded."""
        if not self.n:
            return {}
        return {
            "turns": self.n,
            "turn_exact": round(self.exact / self.n, 3),
            "joint_goal": round(self.joint / self.n, 3),
        }

    def dialogue(
        self, example: Mapping[str, Any], of: Known, read: Read, dated: Dated
    ) -> None:
        """Replay one dialogue whose turns give the whole tree."""
        lang = example["lang"]
        ours = fresh(of)
        before: Group = EMPTY
        for turn in example["turns"]:
            message, raw = turn["utterance"], turn["gold"]["rule_group"]
            wanted = before if raw is None else gold(raw, of)
            taught = _after(message, replace(ours, tree=before), of, read, lang)
            ours = _after(message, ours, of, read, lang)
            self.n += 1
            self.joint += normal(dated(ours.tree)) == normal(dated(wanted))
            if normal(dated(taught.tree)) == normal(dated(wanted)):
                self.exact += 1
            else:
                self.missed.append(f"{example['id']} {message}: {taught.tree}")
            before = wanted


def fresh(of: Known) -> Session:
    """Give a session without a tree."""
    return Session("bench", "t", "s", "c", of.registry.source)


def _after(message: str, session: Session, of: Known, read: Read, lang: str) -> Session:
    turn = read(message, of, session, lang)
    step = advance(session, turn, of.registry, message=message, language=lang)
    return step.session

"""Attackers at work: alone, many of one company in turn, and day after day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from infra.attack.gate import Clock
from infra.attack.tool import Crawl, Question, Reply, Tool

SPENT = frozenset({"day", "month", "account", "counts", "session", "facets-spent"})
"""Refusals that will be the same for the next question."""
PATIENCE = 25
"""Such refusals in a row after which an attacker gives up."""


@dataclass
class Course:
    """What was learnt, call by call."""

    calls: int = 0
    learnt: set[str] = field(default_factory=set)
    curve: list[int] = field(default_factory=list)

    def at(self, calls: int) -> int:
        """Give how many products were learnt after so many calls."""
        return self.curve[min(calls, len(self.curve)) - 1] if self.curve else 0

    def reached(self, number: int) -> int | None:
        """Give the call that brought the number-th product, if any did."""
        found = (at for at, held in enumerate(self.curve, 1) if held >= number)
        return next(found, None)


def crawl(tool: Tool, way: Crawl, *, calls: int, patience: int = PATIENCE) -> Course:
    """Crawl until it is through, spent or out of calls."""
    course, refused = Course(), 0
    question = next(way, None)
    while question is not None and tool.calls < calls and refused < patience:
        reply = tool.ask(question)
        refused = refused + 1 if reply.refused in SPENT else 0
        course.learnt |= {hit["ref"] for hit in reply.hits}
        course.calls = tool.calls
        course.curve.append(len(course.learnt))
        question = _sent(way, reply)
    return course


def _sent(way: Crawl, reply: Reply) -> Question | None:
    try:
        return way.send(reply)
    except StopIteration:
        return None


@dataclass
class Crew:
    """Identities that work through one list: who is refused hands the question on.

    When all are refused they wait for the next day, ``days`` in all.
    """

    clock: Clock
    members: Sequence[Tool]
    days: int = 1
    calls: int = 0
    seen: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    by_day: list[int] = field(default_factory=list)
    _turn: int = 0

    def ask(self, question: Question) -> Reply:
        """Put a question to whoever may still ask."""
        reply = self._today(question)
        while reply.refused in SPENT and len(self.by_day) + 1 < self.days:
            self.by_day.append(len(self.seen))
            self.clock.to_midnight()
            reply = self._today(question)
        return reply

    def _today(self, question: Question) -> Reply:
        reply = Reply(refused="day")
        for _ in self.members:
            self.calls += 1
            reply = self.members[self._turn].ask(question)
            if reply.refused not in SPENT:
                self.seen |= {hit["ref"]: hit for hit in reply.hits}
                return reply
            self._turn = (self._turn + 1) % len(self.members)
        return reply

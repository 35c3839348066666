"""Ask, judge, correct: the loop as a generator without I/O.

It yields what it needs (``Ask`` a model, ``Pause``) and receives what came of it;
``drive`` runs it with a real chat, a scripted one or a recorded one alike.

One deadline covers everything. A transport failure is repeated once after a pause, a
reply that can't be used goes back once with its faults, the same wrong reply twice
stops, and four calls are the end: a loop without such caps has cost others a thousand
times a turn's price.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from vitrine.interpret.means import Clock
from vitrine.interpret.reply import Reply
from vitrine.models.chat import Completion, Messages, ModelFailure, Schema
from vitrine.problems import Invalid

DEADLINE = 25.0
"""Seconds for a whole turn: the gateway answers within 30."""
ENOUGH = 8.0
"""Seconds that a further call must still have."""
PAUSE = 2.0
CALLS = 4
FEEDBACK = 3_000
"""Most characters of faults in a corrective turn."""
ECHO = 4_000
"""Most characters of the refused reply that go back to the model."""

Judge = Callable[[str], Reply]
"""Read a completion's text; raises ``Invalid``."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Complete these messages before ``deadline``, an instant of the clock."""

    messages: Messages
    schema: Schema | None
    deadline: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait before going on."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Tally:
    """What a turn has used; ``retries`` counts the calls after the first."""

    calls: int = 0
    tokens: int = 0
    micros: int = 0

    @property
    def retries(self) -> int:
        """Count the calls after the first."""
        return max(0, self.calls - 1)

    def __add__(self, other: Tally) -> Tally:
        """Add two up."""
        return Tally(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.micros + other.micros,
        )

    def heard(self, heard: Completion | ModelFailure) -> Tally:
        """Add one call, with its cost where it was answered."""
        if isinstance(heard, ModelFailure):
            return replace(self, calls=self.calls + 1)
        return Tally(
            self.calls + 1, self.tokens + heard.tokens, self.micros + heard.micros
        )


@dataclass(frozen=True, slots=True)
class Deadline:
    """The instant of a clock at which a turn is over, whatever it still wants."""

    clock: Clock
    ends: float

    @property
    def left(self) -> float:
        """Give the seconds that are left."""
        return self.ends - self.clock()


def begun(clock: Clock) -> Deadline:
    """Begin a turn now."""
    return Deadline(clock, clock() + DEADLINE)


@dataclass(frozen=True, slots=True)
class Result:
    """A usable reply, or the reason there is none (a stable word)."""

    tally: Tally
    reply: Reply | None = None
    why: str = ""


Step = Ask | Pause
Heard = Completion | ModelFailure | None
Loop = Generator[Step, Heard, Result]


def loop(
    messages: Messages, schema: Schema | None, judge: Judge, until: Deadline
) -> Loop:
    """Run one turn: yield steps, receive what came of them, return the result."""
    tally, failed, wrong = Tally(), False, ""
    while True:
        heard = yield Ask(messages, schema, until.ends)
        if heard is None:
            raise TypeError("An Ask is answered by a completion or a failure.")
        tally = tally.heard(heard)
        left = until.left if tally.calls < CALLS else 0.0
        if isinstance(heard, ModelFailure):
            if why := _final(heard, left, failed=failed):
                return Result(tally, why=why)
            # A provider that takes no schema says so at once and has judged nothing:
            # the same question without one is no repetition of a failure.
            if heard.kind == "schema":
                schema = None
                continue
            failed = True
            yield Pause(PAUSE)
            continue
        try:
            return Result(tally, judge(heard.text))
        except Invalid as fault:
            if why := _hopeless(heard.text, wrong, left):
                return Result(tally, why=why)
            messages = corrected(messages, heard.text, fault)
            # The corrective call may meet a lost connection as well as the first one
            # did.
            failed, wrong = False, _bare(heard.text) or "-"


def _final(failure: ModelFailure, left: float, *, failed: bool) -> str:
    """Tell why a failure ends the turn, nothing where another call is worth it."""
    if failure.kind == "schema":
        return "deadline" if left < ENOUGH else ""
    if failed or not failure.passing:
        return failure.kind
    return "deadline" if left < PAUSE + ENOUGH else ""


def _hopeless(text: str, wrong: str, left: float) -> str:
    """Tell why a wrong reply ends the turn; ``wrong`` is the one before it."""
    if wrong:
        return "repeated" if (_bare(text) or "-") == wrong else "invalid"
    return "deadline" if left < ENOUGH else ""


def _bare(text: str) -> str:
    return "".join(text.split())


def corrected(messages: Messages, text: str, fault: Invalid) -> Messages:
    """Append the refused reply and, as the next user turn, what was wrong with it."""
    said = {"role": "assistant", "content": text.strip()[:ECHO] or "(nothing)"}
    return [*messages, said, {"role": "user", "content": feedback(fault)}]


def feedback(fault: Invalid) -> str:
    """Write a corrective turn: each fault as a line of JSON, remedies included."""
    lines, room = [], FEEDBACK
    for one in fault.faults:
        line = json.dumps(_filled(asdict(one)), ensure_ascii=False)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join(
        [
            "That reply can't be used. What is wrong, one fault a line:",
            *lines,
            "Send the whole corrected JSON object, and nothing else.",
        ]
    )


def _filled(members: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value}

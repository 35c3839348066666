"""The outcome table: calls, pauses and the one deadline, without any I/O."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from vitrine.interpret.drive import drive
from vitrine.interpret.loop import Loop, Result, begun, loop
from vitrine.interpret.reply import Reply
from vitrine.models.chat import Completion, Messages, ModelFailure, Schema
from vitrine.models.scripted import Reply as Scripted
from vitrine.models.scripted import ScriptedChat
from vitrine.problems import Fault, Invalid

ASKED = [{"role": "user", "content": "hello"}]
GOOD = Completion("good", 10, 2, 300)
BAD = Completion("bad", 10, 2, 300)
WORSE = Completion("worse", 10, 2, 300)
DOWN = ModelFailure("transport")
SCHEMA = {"type": "object"}


@dataclass(slots=True)
class Clock:
    """A clock that moves when somebody sleeps or a call takes its time."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass(slots=True)
class SlowChat(ScriptedChat):
    """Each call takes ``seconds`` of the clock."""

    clock: Clock = field(default_factory=Clock)
    seconds: float = 0.0

    def complete(
        self, messages: Messages, *, schema: Schema | None, timeout: float
    ) -> Completion:
        self.clock.now += min(self.seconds, timeout)
        return ScriptedChat.complete(self, messages, schema=schema, timeout=timeout)


def judge(text: str) -> Reply:
    if text == "good":
        return Reply("reset")
    raise Invalid(
        [Fault("/rule_group/rules/0/field", "unknown_field", "No.", "Use `price`.")]
    )


def run(
    script: list[Scripted], seconds: float = 0.0, schema: Schema | None = None
) -> tuple[Result, SlowChat]:
    clock = Clock()
    chat = SlowChat(script, clock=clock, seconds=seconds)
    turn: Loop = loop(ASKED, schema, judge, begun(clock))
    return drive(turn, chat, clock, clock.sleep), chat


@pytest.mark.parametrize(
    ("calls", "why", "slept", "script"),
    [
        (1, "", [], [GOOD]),
        (2, "", [], [BAD, GOOD]),
        (2, "", [2.0], [DOWN, GOOD]),
        (3, "", [2.0], [DOWN, BAD, GOOD]),
        (4, "", [2.0, 2.0], [DOWN, BAD, DOWN, GOOD]),
        (2, "transport", [2.0], [DOWN, DOWN, GOOD]),
        (2, "repeated", [], [BAD, BAD, GOOD]),
        (2, "invalid", [], [BAD, WORSE, GOOD]),
        (4, "invalid", [2.0, 2.0], [DOWN, BAD, DOWN, WORSE, GOOD]),
        (1, "refused", [], [ModelFailure("refused"), GOOD]),
        (2, "", [2.0], [ModelFailure("busy"), GOOD]),
        (2, "repeated", [], [Completion(""), Completion(" "), GOOD]),
        (2, "", [], [Completion(""), GOOD]),
    ],
)
def test_a_turn_ends_within_four_calls(
    calls: int, why: str, slept: list[float], script: list[Scripted]
) -> None:
    """J02, N10, N06."""
    result, chat = run(script)

    assert (calls, why, slept) == (result.tally.calls, result.why, chat.clock.slept)
    assert (result.reply is not None) is (why == "")
    assert result.tally.retries == calls - 1


def test_no_script_makes_a_fifth_call() -> None:
    """J02."""
    refusing = ModelFailure("schema")

    result, chat = run([refusing, DOWN, BAD, DOWN, GOOD], schema=SCHEMA)

    assert len(chat.requests) == 4
    assert result.reply is None


@pytest.mark.parametrize(
    ("calls", "seconds", "script"),
    [(1, 18.0, [BAD, GOOD]), (1, 16.0, [DOWN, GOOD]), (2, 10.0, [BAD, WORSE])],
)
def test_no_call_starts_without_enough_time(
    calls: int, seconds: float, script: list[Scripted]
) -> None:
    result, chat = run(script, seconds=seconds)

    assert calls == result.tally.calls
    assert chat.clock.now <= 125.0


def test_all_calls_share_one_deadline() -> None:
    _, chat = run([DOWN, BAD, GOOD], seconds=3.0)

    assert [r.timeout for r in chat.requests] == [25.0, 20.0, 17.0]


def test_cost_and_tokens_are_summed_over_the_answered_calls() -> None:
    result, _ = run([DOWN, BAD, GOOD])

    assert (result.tally.tokens, result.tally.micros) == (24, 600)


def test_the_correction_is_the_next_user_turn_with_its_remedy() -> None:
    """N01, N06."""
    _, chat = run([BAD, GOOD])

    said = chat.requests[1].messages
    assert [m["role"] for m in said] == ["user", "assistant", "user"]
    assert said[1]["content"] == "bad"
    assert "Use `price`." in said[2]["content"]
    assert "/rule_group/rules/0/field" in said[2]["content"]


def test_an_empty_reply_goes_back_as_something() -> None:
    """J01: an empty assistant turn is refused by some providers."""
    _, chat = run([Completion(""), GOOD])

    assert chat.requests[1].messages[1]["content"]


def test_a_refused_schema_is_left_out_at_once() -> None:
    result, chat = run([ModelFailure("schema"), GOOD], schema=SCHEMA)

    assert [r.schema for r in chat.requests] == [SCHEMA, None]
    assert chat.clock.slept == []
    assert result.reply is not None

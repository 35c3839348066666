from __future__ import annotations

import pytest

from vitrine.models.chat import Completion, ModelFailure
from vitrine.models.scripted import ScriptedChat

ASKED = [{"role": "user", "content": "two words"}]


def test_replies_come_in_turn_and_requests_are_kept() -> None:
    chat = ScriptedChat(["a b c", Completion("d", micros=7)])

    first = chat.complete(ASKED, schema=None, timeout=3)
    second = chat.complete(ASKED, schema={"type": "object"}, timeout=2)

    assert (first.text, first.tokens) == ("a b c", 5)
    assert second.micros == 7
    assert [r.timeout for r in chat.requests] == [3, 2]


@pytest.mark.parametrize("script", [[ModelFailure("busy")], []])
def test_failures_are_raised_and_the_end_is_one(script: list[ModelFailure]) -> None:
    with pytest.raises(ModelFailure):
        ScriptedChat(script).complete(ASKED, schema=None, timeout=1)


@pytest.mark.parametrize(
    ("kind", "passing"),
    [("transport", True), ("busy", True), ("broken", True), ("refused", False)],
)
def test_only_passing_failures_are_worth_a_second_call(
    kind: str, passing: bool
) -> None:
    assert passing is ModelFailure(kind).passing  # type: ignore[arg-type] # by parameter

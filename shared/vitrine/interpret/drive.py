"""Run the loop against a chat, a clock and a way to wait: ten lines of I/O."""

from __future__ import annotations

from vitrine.interpret.loop import Heard, Loop, Pause, Result, Step
from vitrine.interpret.means import Clock, Sleep
from vitrine.models.chat import Chat, ModelFailure


def drive(loop: Loop, chat: Chat, clock: Clock, sleep: Sleep) -> Result:
    """Answer each step of a loop until it returns."""
    heard: Heard = None
    while True:
        try:
            step = loop.send(heard)
        except StopIteration as end:
            result: Result = end.value
            return result
        heard = _done(step, chat, clock, sleep)


def _done(step: Step, chat: Chat, clock: Clock, sleep: Sleep) -> Heard:
    if isinstance(step, Pause):
        sleep(step.seconds)
        return None
    left = step.deadline - clock()
    if left <= 0:
        return ModelFailure("transport", "No time is left.")
    try:
        return chat.complete(step.messages, schema=step.schema, timeout=left)
    except ModelFailure as failure:
        return failure

"""Who reads a message: the model, where one may be asked, with what it is asked with.

The kill switch is about money, the circuit about a provider that is down; with either
the lexicon answers and the turn tells why. What people answered to a question about a
word is counted here, once it can be read off the tree.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from vitrine.edge.telemetry import logger, metrics
from vitrine.edge.wiring import Wiring
from vitrine.interpret.turn import Means, Outcome, interpret
from vitrine.models.chat import Chat
from vitrine.problems import Unavailable
from vitrine.session import UNKNOWN, Session
from vitrine.store import habits
from vitrine.store.topics import Topics

if TYPE_CHECKING:
    from vitrine.edge.conversation import Talk

SWITCHED_OFF, RESTING, LOCKED = "kill_switch", "circuit_open", "no_secret"


def read(
    talk: Talk, session: Session, message: str, *, off: bool
) -> tuple[Outcome, str]:
    """Read a message; tell why no model did, where none did."""
    wiring, registry = talk.wiring, talk.registry
    chat, why = (None, SWITCHED_OFF) if off else reader(wiring)
    now = wiring.now()
    outcome = interpret(
        message,
        session,
        registry,
        means=Means(
            time.monotonic,
            time.sleep,
            chat,
            Topics(wiring.table, registry.tenant, now),
            gated=wiring.gated,
            habits=wiring.habits.of(registry, now),
            link=wiring.link,
        ),
        today=talk.today,
        language=talk.caller.language,
    )
    if chat is not None and outcome.tally.calls:
        _judged(wiring, chat, outcome.why)
    return outcome, why or outcome.why


def reader(wiring: Wiring) -> tuple[Chat | None, str]:
    """Give the model that may be asked now, or none and the reason."""
    try:
        chat = wiring.chat
    except Unavailable:
        return None, LOCKED
    if chat is None or wiring.breaker.admits(chat.name, wiring.now()):
        return chat, ""
    metrics.add_metric("CircuitOpen", MetricUnit.Count, 1)
    return None, RESTING


def _judged(wiring: Wiring, chat: Chat, why: str) -> None:
    """Count a turn for or against its provider."""
    if wiring.breaker.told(chat.name, why, wiring.now()):
        metrics.add_metric("CircuitOpened", MetricUnit.Count, 1)
        logger.warning("circuit opened", provider=chat.name, why=why)


def learnt(talk: Talk, before: Session, after: Session) -> None:
    """Count the readings that this turn settled, of words that it was asked about.

    Only an answer counts: who says "landscape format" says nothing of the bare word.
    A vote that can't be written is lost, and the turn is not.
    """
    wiring, source = talk.wiring, talk.registry.source
    for term, reading in after.readings.items():
        if before.readings.get(term) != UNKNOWN or reading == UNKNOWN:
            continue
        with suppress(Unavailable):
            habits.vote(
                wiring.table,
                talk.caller,
                source,
                chosen=(term, reading),
                now=wiring.now(),
            )

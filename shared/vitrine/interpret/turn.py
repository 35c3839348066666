"""One message becomes one turn: ask back, or the model, or the lexicon, in that order.

Nothing here searches, and nothing fails open: where nobody understood, the turn is
``clarify`` and the tree stays. Every delta has passed ``validate`` and says so by
passing it again unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from vitrine.interpret import prompt, reply
from vitrine.interpret.ambiguity import answered, asking, unsettled
from vitrine.interpret.drive import Sleep, drive
from vitrine.interpret.loop import Clock, Result, Tally, loop
from vitrine.interpret.reply import Reply
from vitrine.interpret.schema import reply_schema
from vitrine.interpret.selector import selected
from vitrine.language.words import language as known
from vitrine.language.words import words
from vitrine.lexicon.read import NAME as LEXICON
from vitrine.lexicon.read import read
from vitrine.models.chat import Chat
from vitrine.problems import Invalid
from vitrine.registry.manifest import Ambiguity
from vitrine.registry.profiles import Registry
from vitrine.session import (
    UNKNOWN,
    Clarify,
    Intent,
    Session,
    Turn,
    ambiguous_terms,
)
from vitrine.tree.model import EMPTY, Group, dump
from vitrine.validate import check, validate


@dataclass(frozen=True, slots=True)
class Outcome:
    """A turn with what it cost; ``by`` is who read it.

    ``why`` is the stable reason for which the model's reading was not used.
    """

    turn: Turn
    tally: Tally = field(default_factory=Tally)
    why: str = ""

    @property
    def by(self) -> str:
        """Name who read the message."""
        return self.turn.by


@dataclass(frozen=True, slots=True)
class Means:
    """What a turn is read with: a chat (None: switched off, or none), clock, sleep."""

    clock: Clock
    sleep: Sleep
    chat: Chat | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """A message and what it is read in."""

    message: str
    session: Session
    registry: Registry
    today: date
    language: str

    @property
    def settled(self) -> Mapping[str, str]:
        """Give the ambiguous terms whose reading is known."""
        known_ = self.session.readings.items()
        return {term: name for term, name in known_ if name != UNKNOWN}

    @property
    def before(self) -> str:
        """Give what the assistant said last, nothing where nobody has spoken."""
        said = (
            m.text for m in reversed(self.session.messages) if m.role == "assistant"
        )
        return next(said, "")

    @property
    def open(self) -> list[Ambiguity]:
        """List the terms that stand here barely and that nothing has settled."""
        return ambiguous_terms(self.message, self.language, self.session, self.registry)


def interpret(
    message: str,
    session: Session,
    registry: Registry,
    *,
    means: Means,
    today: date,
    language: str = "en",
) -> Outcome:
    """Read one message of a session; never raise for what a model does."""
    heard = Heard(message.strip(), session, registry, today, language)
    if not heard.message:
        return Outcome(unclear(language))
    if settled := answered(heard.message, session, registry, language):
        return Outcome(settled)
    if means.chat is None:
        return Outcome(by_lexicon(heard))
    result = _ask(heard, means.chat, means)
    if result.reply is None:
        return Outcome(by_lexicon(heard), result.tally, result.why)
    return Outcome(_turn(result.reply, means.chat.name, heard), result.tally)


def _ask(heard: Heard, chat: Chat, means: Means) -> Result:
    session, registry = heard.session, heard.registry
    situation = prompt.Situation(
        language=heard.language,
        today=heard.today,
        tree=session.tree,
        history=session.messages,
        readings=heard.settled,
        unsettled=unsettled(heard.open),
    )
    messages = prompt.build(heard.message, registry, situation)
    schema = reply_schema(registry, selected(heard.message, registry, session.tree))
    judge = loop(messages, schema, lambda text: judged(text, heard), means.clock)
    return drive(judge, chat, means.clock, means.sleep)


def judged(text: str, heard: Heard) -> Reply:
    """Read a completion against the caller's registry; raise ``Invalid``."""

    def checked(intent: Intent, raw: Any) -> Group:
        return check(
            raw,
            heard.registry,
            today=heard.today,
            language=heard.language,
            loose=intent == "remove",
            pointer="/rule_group",
        ).require()

    return reply.read(text, checked)


def _turn(said: Reply, by: str, heard: Heard) -> Turn:
    if said.intent != "clarify":
        return Turn(said.intent, said.group, said.explanation, by=by)
    if heard.open:
        return asking(heard.open[0], heard.language, by)
    question = said.explanation or _question(heard.language)
    return Turn("clarify", EMPTY, question, Clarify("unclear", question), by)


def by_lexicon(heard: Heard) -> Turn:
    """Read a message with the embedded interpreter; what it can't run it asks about."""
    if heard.open:
        return asking(heard.open[0], heard.language)
    turn = read(
        heard.message,
        heard.session.tree,
        heard.registry,
        today=heard.today,
        language=heard.language,
        settled=heard.settled,
        asked_before=heard.before,
    )
    try:
        return replace(turn, delta=_checked(turn, heard))
    except Invalid:
        return unclear(heard.language)


def _checked(turn: Turn, heard: Heard) -> Group:
    if not turn.delta:
        return turn.delta
    return validate(
        turn.delta,
        heard.registry,
        today=heard.today,
        language=heard.language,
        loose=turn.intent == "remove",
    ).require()


def unclear(language: str) -> Turn:
    """Say plainly that the message was not understood; the tree stays."""
    question = _question(language)
    return Turn("clarify", EMPTY, question, Clarify("unclear", question), LEXICON)


def _question(language: str) -> str:
    return str(words(known(language), "turns/unclear"))


def request(turn: Turn) -> dict[str, Any]:
    """Give a turn as the JSON object that a model would have sent."""
    return {
        "intent": turn.intent,
        "rule_group": dump(turn.delta),
        "explanation": turn.explanation,
    }

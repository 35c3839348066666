"""One message becomes one turn: ask back, or the model, or the lexicon, in that order.

Nothing here searches, and nothing fails open: where nobody understood, the turn is
``clarify`` and the tree stays. Every delta has passed ``validate`` and says so by
passing it again unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType
from typing import Any

from vitrine.interpret import prompt, reply, topic
from vitrine.interpret.ambiguity import answered, asking, unsettled
from vitrine.interpret.drive import drive
from vitrine.interpret.loop import Deadline, Result, Tally, begun, loop
from vitrine.interpret.means import Means, Sleep
from vitrine.interpret.reply import Reply
from vitrine.interpret.schema import reply_schema
from vitrine.interpret.selector import selected
from vitrine.language.words import language as known
from vitrine.language.words import words
from vitrine.lexicon.linking import Link
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

__all__ = ["Heard", "Means", "Outcome", "interpret", "request"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A turn with what it cost; ``by`` is who read it.

    ``why`` is the stable reason for which the model's reading was not used. ``gate``
    is what asking for the topic took, apart from the turn's own ``tally``; ``millis``
    are those of the whole turn.
    """

    turn: Turn
    tally: Tally = field(default_factory=Tally)
    why: str = ""
    gate: Tally = field(default_factory=Tally)
    millis: float = 0.0

    @property
    def by(self) -> str:
        """Name who read the message."""
        return self.turn.by

    @property
    def total(self) -> Tally:
        """Add up everything that was asked of a model."""
        return self.tally + self.gate


@dataclass(frozen=True, slots=True)
class Heard:
    """A message and what it is read in."""

    message: str
    session: Session
    registry: Registry
    today: date
    language: str
    habits: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def settled(self) -> Mapping[str, str]:
        """Give the ambiguous terms whose reading is known: the session's, else habits.

        What this person said stands before what others usually mean.
        """
        known_ = self.session.readings.items()
        said = {term: name for term, name in known_ if name != UNKNOWN}
        return {**self.habits, **said}

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
        terms = ambiguous_terms(
            self.message, self.language, self.session, self.registry
        )
        return [term for term in terms if term.term not in self.habits]


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
    heard = Heard(message.strip(), session, registry, today, language, means.habits)
    start = means.clock()
    outcome = _outcome(heard, means)
    return replace(outcome, millis=round(1000 * (means.clock() - start), 1))


def _outcome(heard: Heard, means: Means) -> Outcome:
    session, registry, language = heard.session, heard.registry, heard.language
    if not heard.message:
        return Outcome(unclear(language))
    if settled := answered(heard.message, session, registry, language):
        return Outcome(settled)
    # Read in any case: it takes milliseconds, names the fields that the prompt must
    # show, tells what is worth a gate, and is the fallback when the model fails.
    read_ = by_lexicon(heard, None if means.chat else means.link)
    if means.chat is None or _chatting(read_):
        return Outcome(read_)
    # The deadline begins before the gate, which spends the turn's own seconds.
    until = begun(means.clock)
    doubtful = not heard.open and topic.doubtful(read_, session)
    gate = topic.judge(heard.message, registry, means) if doubtful else topic.OPEN
    if not gate.on_topic:
        turn = topic.off_topic(registry, language, means.chat.name)
        return Outcome(turn, gate=gate.tally)
    result = _ask(heard, read_, means.chat, until=until, sleep=means.sleep)
    if result.reply is None:
        alone = by_lexicon(heard, means.link) if means.link else read_
        return Outcome(alone, result.tally, result.why, gate.tally)
    turn = _turn(result.reply, means.chat.name, heard)
    if doubtful and _chatting(turn):
        topic.keep(heard.message, registry, means)
    return Outcome(turn, result.tally, gate=gate.tally)


def _chatting(turn: Turn) -> bool:
    return turn.clarify is not None and turn.clarify.reason == "off_topic"


def _ask(
    heard: Heard, read_: Turn, chat: Chat, *, until: Deadline, sleep: Sleep
) -> Result:
    session, registry = heard.session, heard.registry
    situation = prompt.Situation(
        language=heard.language,
        today=heard.today,
        tree=session.tree,
        history=session.messages,
        readings=heard.settled,
        unsettled=unsettled(heard.open),
        read=read_.delta,
    )
    messages = prompt.build(heard.message, registry, situation)
    shown = selected(heard.message, registry, situation.focus, situation.before)
    schema = reply_schema(registry, shown)
    judge = loop(messages, schema, lambda text: judged(text, heard), until)
    return drive(judge, chat, until.clock, sleep)


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
    question = said.explanation
    if not question:
        # the skeleton's sign for "no search at all": three keys leave no other place
        return topic.off_topic(heard.registry, heard.language, by)
    return Turn("clarify", EMPTY, question, Clarify("unclear", question), by)


def by_lexicon(heard: Heard, link: Link | None = None) -> Turn:
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
        link=link,
    )
    if topic.wordless(turn) and topic.smalltalk(heard.message):
        return topic.off_topic(heard.registry, heard.language, LEXICON)
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

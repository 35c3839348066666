"""What the HTTP routes answer, as models: OpenAPI is drawn from them.

They are read off the inner dataclasses by attribute; absent members are left out.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from vitrine.edge.conversation import Heard
from vitrine.interpret.turn import request
from vitrine.tree import merge
from vitrine.tree.describe import describe_changes, describe_unmet
from vitrine.tree.model import Node, dump

Tree = dict[str, Any]


class Whole(BaseModel):
    """A body that leaves, of which no member can be None."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    @classmethod
    def of(cls, value: object) -> Self:
        """Read a reply off an inner dataclass."""
        return cls.model_validate(value)


class Reply(Whole):
    """A body that leaves; members that are None are not sent."""

    # Called for each instance: what stands in an answer by the hundred is ``Whole``.
    @model_serializer(mode="wrap")
    def _present(self, dump: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def] # noqa: ANN202 - an annotation would replace the schema
        return {k: v for k, v in dump(self).items() if v is not None}


class Total(Whole):
    """A number as this caller may know it."""

    number: int
    kind: Literal["exact", "at_least", "about", "fewer_than"]


class FacetValue(Whole):
    """One value of a facet: ``value`` is for filters, ``label`` for eyes."""

    value: str
    label: str
    count: Total


class Remainder(Whole):
    """What the caller's own budgets still hold, in distinct documents."""

    session_left: int
    day_left: int
    resets_at: datetime
    warning: bool
    cut: bool


class Suggestion(Whole):
    """A ready tree that would find something."""

    sentence: str
    tree: Tree
    total: Total


class Answered(Reply):
    """One page: public facts, facets, and the report of what really ran."""

    hits: tuple[dict[str, Any], ...]
    facets: dict[str, tuple[FacetValue, ...]]
    total: Total
    report: dict[str, Any]
    budget: Remainder | None = None
    suggestions: tuple[Suggestion, ...] | None = None
    next_cursor: str | None = None


class Filter(Whole):
    """One filter of an empty search: what it finds alone, and what without it."""

    pointer: str
    sentence: str
    total: Total
    without: Total
    blocks: bool


class Explained(Reply):
    """Each filter in tree order, the blocking ones' pointers, and ways on.

    ``mode`` tells how words were counted: strict, as they were written.
    """

    filters: tuple[Filter, ...]
    blocking: tuple[str, ...]
    suggestions: tuple[Suggestion, ...]
    mode: str | None = None


class Fault(Reply):
    """One thing wrong with a tree, where it stands, and what would be right."""

    pointer: str
    code: str
    message: str
    remedy: str


class Checked(Reply):
    """Whether a tree can be run, and its normal form where it can."""

    valid: bool
    tree: Tree
    errors: tuple[Fault, ...] = ()


class Option(Reply):
    """One answer to a question."""

    name: str
    label: str


class Change(Reply):
    """One difference to the tree, by path into the new one (the old for removals)."""

    kind: Literal["added", "replaced", "removed", "unchanged"]
    path: str
    before: Tree | None = None
    after: Tree | None = None


class Unmet(Reply):
    """Something that was asked and is not so."""

    code: str
    what: Tree | None = None


class Turn(Reply):
    """What a message was taken for, and by whom."""

    intent: Literal["search", "refine", "expand", "remove", "reset", "clarify"]
    rule_group: Tree
    explanation: str
    by: str


class Cost(Reply):
    """What reading the message took; ``why`` tells why no model read it.

    ``gate`` counts the calls that asked about the topic, beside the turn's own.
    """

    calls: int
    retries: int
    tokens: int
    micros: int
    gate: int | None = None
    why: str | None = None


class Clarify(Reply):
    """A question instead of a search."""

    reason: Literal["ambiguous", "off_topic", "unclear"]
    question: str
    options: tuple[Option, ...] = ()
    term: str | None = None


class Interpreted(Reply):
    """The session after a turn: its tree, what changed, and what did not."""

    session: str
    version: int
    turn: Turn
    tree: Tree
    changes: tuple[Change, ...]
    unmet: tuple[Unmet, ...]
    sentence: str
    summary: str
    clarify: Clarify | None = None
    cost: Cost


def interpreted(heard: Heard) -> Interpreted:
    """Tell a turn in its caller's language."""
    step, outcome, registry = heard.step, heard.outcome, heard.talk.registry
    language = heard.talk.caller.language
    turn, tally = outcome.turn, outcome.tally
    said = (
        describe_changes(step.changes, registry, language),
        describe_unmet(step.unmet, registry, language),
    )
    return Interpreted(
        session=step.session.id,
        version=step.session.version,
        turn=Turn(**request(turn), by=turn.by),
        tree=dump(step.session.tree),
        changes=tuple(_change(change) for change in step.changes),
        unmet=tuple(Unmet(code=u.code, what=_node(u.what)) for u in step.unmet),
        sentence=step.sentence,
        summary=". ".join(text for text in said if text),
        clarify=Clarify.of(step.clarify) if step.clarify else None,
        cost=Cost(
            calls=tally.calls,
            retries=tally.retries,
            tokens=outcome.total.tokens,
            micros=outcome.total.micros,
            gate=outcome.gate.calls or None,
            why=heard.why or None,
        ),
    )


def _change(change: merge.Change) -> Change:
    return Change(
        kind=change.kind,
        path=change.path,
        before=_node(change.before),
        after=_node(change.after),
    )


def _node(node: Node | None) -> Tree | None:
    return None if node is None else dump(node)

"""The prompt of one turn: bounded, whatever the number of fields and messages.

Stable parts come first, byte for byte: the skeleton, then the priority fields with as
many values as their own share allows, which depends on the registry alone. Providers
keep such a beginning and charge a part of it. The message comes last.
The whole is at most 16,000 characters: samples shrink first, then the history, then
the tree and the number of fields; the message itself is never cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any

from vitrine.interpret.selector import CAP, priority, selected
from vitrine.interpret.skeleton import SYSTEM
from vitrine.models.chat import Messages
from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.session import Message
from vitrine.tree.model import EMPTY, Group, dump, leaves

LIMIT = 16_000
MESSAGE = 2_000
"""Most characters of a message; the edge refuses longer ones."""
LABEL, SHOWN, SAID = 48, 32, 240
"""Most characters of a label, of a value and of a line of history."""
TREE = 3_000
"""Characters up to which the tree is shown whole."""
STEADY = 4_000
"""Characters of the priority fields, samples included: a quarter of the prompt."""
VALUES = (25, 20, 16, 12, 8, 5, 3, 2, 0)
LISTED = 5
"""Fewest fields that are shown whatever else has to go, beside the priority ones."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much of each part is shown: values a field, lines of history, the tree."""

    values: int
    lines: int
    tree: int = TREE
    fields: int = CAP


# Tried in turn until the prompt fits. The last one always does: seven lines of priority
# fields without samples and a message of nothing but quotes are below 10,000.
_ROOM = (
    *(Room(v, n) for v, n in ((25, 10), (12, 10), (8, 6), (5, 6), (3, 4), (2, 2))),
    Room(0, 2),
    Room(0, 0),
    Room(0, 0, TREE // 3),
    Room(0, 0, TREE // 3, LISTED),
    Room(0, 0, 0, 0),
)


@dataclass(frozen=True, slots=True)
class Situation:
    """What a message is read in: the tree, what was said, what is settled, when.

    ``read`` is what the lexicon made of the message, for the fields that it names.
    ``readings`` maps an ambiguous term to its settled reading; ``unsettled`` are
    the words of the message that could mean two things.
    """

    language: str
    today: date
    tree: Group = EMPTY
    history: Sequence[Message] = ()
    readings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    unsettled: Sequence[Mapping[str, Any]] = ()
    read: Group = EMPTY

    @property
    def focus(self) -> Group:
        """Give the tree and the lexicon's reading as one: their fields are shown."""
        return Group(rules=(self.tree, self.read))

    @property
    def before(self) -> str:
        """Give what the assistant said last."""
        said = (m.text for m in reversed(self.history) if m.role == "assistant")
        return next(said, "")


def build(message: str, registry: Registry, situation: Situation) -> Messages:
    """Give the messages of a first call, at most 16,000 characters in all."""
    fields = selected(message, registry, situation.focus, situation.before)
    first = priority(registry)
    others = tuple(f for f in fields if f not in first)
    steady = _steady(registry, first)
    for room in _ROOM:
        asked = "\n".join(
            [*steady, *_varying(message, registry, situation, (others, room))]
        )
        if len(SYSTEM) + len(asked) <= LIMIT:
            break
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": asked}]


def _steady(registry: Registry, fields: tuple[Field, ...]) -> list[str]:
    """Describe the priority fields, the same for each message of a tenant."""
    # By the registry alone, never by what else the prompt holds: the same tenant begins
    # with the same bytes in each turn, or no provider's cache would hit.
    for values in VALUES:
        lines = [_line(described(f, registry, values)) for f in fields]
        if sum(map(len, lines)) <= STEADY:
            break
    return ["FIELDS", *lines]


def _varying(
    message: str,
    registry: Registry,
    situation: Situation,
    shown: tuple[tuple[Field, ...], Room],
) -> list[str]:
    fields, room = shown
    said = situation.history[-room.lines :] if room.lines else ()
    return [
        *(_line(described(f, registry, room.values)) for f in fields[: room.fields]),
        f"TREE {_tree(situation.tree, room.tree)}",
        f"READINGS {_line(dict(situation.readings))}",
        f"UNSETTLED {_line(list(situation.unsettled))}",
        f"TODAY {_line(_today(situation, registry))}",
        f"LANGUAGE {_line(_cut(situation.language, SHOWN))}",
        f"HISTORY {_line([[m.role, _cut(m.text, SAID)] for m in said])}",
        f"MESSAGE {_line(message[:MESSAGE])}",
    ]


def described(of: Field, registry: Registry, values: int = 25) -> dict[str, Any]:
    """Describe a field to a model: names, type, unit, extent and sampled values."""
    names = dict.fromkeys(_cut(n, LABEL) for n in of.label.values())
    about: dict[str, Any] = {
        "field": of.key,
        "name": " / ".join(names),
        "type": of.type.value,
        "unit": of.unit or of.currency,
        "several": of.multi,
        "words": [_cut(k, SHOWN) for k in of.keywords[:5]],
    }
    if not of.sensitive and values:
        about |= _observed(of, registry, values)
    return {key: value for key, value in about.items() if value}


def _observed(of: Field, registry: Registry, values: int) -> dict[str, Any]:
    sample = registry.sample(of.key)
    known = (c.labels.get("en", c.value) for c in of.choices or ())
    shown = dict.fromkeys((*known, *sample.labels[: 2 * values], *sample.values))
    extent = [sample.low, sample.high] if sample.low is not None else None
    return {
        "extent": extent,
        "values": [_cut(v, SHOWN) for v in list(shown)[:values]],
    }


def _today(situation: Situation, registry: Registry) -> dict[str, str]:
    day = situation.today
    return {
        "date": day.isoformat(),
        "weekday": f"{day:%A}",
        "zone": registry.manifest.zone,
    }


def _tree(tree: Group, room: int) -> str:
    """Show the tree whole, or with shortened values, or as its rules alone."""
    whole = _line(dump(tree))
    if len(whole) <= room:
        return whole
    short = _line(_shortened(dump(tree)))
    if len(short) <= room:
        return short
    rules = dict.fromkeys(f"{r.field} {r.operator}" for _, r in leaves(tree))
    return _cut(_line({"rules": list(rules)}), room) if room else "…"


def _shortened(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {key: _shortened(value) for key, value in node.items()}
    if isinstance(node, list) and node and not isinstance(node[0], Mapping):
        return [_shortened(v) for v in node[:4]] + (["…"] if len(node) > 4 else [])  # noqa: PLR2004 - enough to know the list by
    if isinstance(node, list):
        return [_shortened(v) for v in node]
    return _cut(node, SHOWN) if isinstance(node, str) else node


_CONTROL = re.compile(r"\\u00[01][0-9a-f]|[\u0085\u2028\u2029]")


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _line(value: Any) -> str:
    """Write JSON on one line; a control sign takes one character, not its escape's six.

    Line separators that JSON leaves alone would begin a line of their own.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _CONTROL.sub(" ", text)


def characters(messages: Iterable[Mapping[str, str]]) -> int:
    """Count the characters of a prompt."""
    return sum(len(m["content"]) for m in messages)

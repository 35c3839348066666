"""The prompt of one turn: bounded, whatever the number of fields and messages.

Stable parts come first (the skeleton, then the priority fields), the message last.
The whole is at most 16,000 characters: samples shrink first, then the history, then
the values of a very large tree; the message itself is never cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any

from vitrine.interpret.selector import selected
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
# (values a field, lines of history), tried in turn until the prompt fits
_ROOM = ((25, 10), (12, 10), (8, 6), (5, 6), (3, 4), (2, 2), (0, 2), (0, 0))
TREE = 3_000
"""Characters up to which the tree is shown whole."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a message is read in: the tree, what was said, what is settled, when.

    ``readings`` maps an ambiguous term to its settled reading; ``unsettled`` are
    the words of the message that could mean two things.
    """

    language: str
    today: date
    tree: Group = EMPTY
    history: Sequence[Message] = ()
    readings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    unsettled: Sequence[Mapping[str, Any]] = ()


def build(message: str, registry: Registry, situation: Situation) -> Messages:
    """Give the messages of a first call, at most 16,000 characters in all."""
    fields = selected(message, registry, situation.tree)
    for values, lines in _ROOM:
        asked = _asked(message, registry, situation, (fields, values, lines))
        if len(SYSTEM) + len(asked) <= LIMIT:
            break
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": asked[: LIMIT - len(SYSTEM)]},
    ]


def _asked(
    message: str,
    registry: Registry,
    situation: Situation,
    room: tuple[tuple[Field, ...], int, int],
) -> str:
    fields, values, lines = room
    said = situation.history[-lines:] if lines else ()
    parts = [
        "FIELDS",
        *(_line(described(f, registry, values)) for f in fields),
        f"TREE {_tree(situation.tree)}",
        f"READINGS {_line(dict(situation.readings))}",
        f"UNSETTLED {_line(list(situation.unsettled))}",
        f"TODAY {_line(_today(situation, registry))}",
        f"LANGUAGE {_line(situation.language)}",
        f"HISTORY {_line([[m.role, _cut(m.text, SAID)] for m in said])}",
        f"MESSAGE {_line(message[:MESSAGE])}",
    ]
    return "\n".join(parts)


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


def _tree(tree: Group) -> str:
    """Show the tree whole, or with shortened values, or as its rules alone."""
    whole = _line(dump(tree))
    if len(whole) <= TREE:
        return whole
    short = _line(_shortened(dump(tree)))
    if len(short) <= TREE:
        return short
    rules = [f"{r.field} {r.operator}" for _, r in leaves(tree)]
    return _cut(_line({"rules": list(dict.fromkeys(rules))}), TREE)


def _shortened(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {key: _shortened(value) for key, value in node.items()}
    if isinstance(node, list) and node and not isinstance(node[0], Mapping):
        return [_shortened(v) for v in node[:4]] + (["…"] if len(node) > 4 else [])  # noqa: PLR2004 - enough to know the list by
    if isinstance(node, list):
        return [_shortened(v) for v in node]
    return _cut(node, SHOWN) if isinstance(node, str) else node


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def characters(messages: Iterable[Mapping[str, str]]) -> int:
    """Count the characters of a prompt."""
    return sum(len(m["content"]) for m in messages)

"""A completion becomes exactly {intent, rule_group, explanation}, or its faults.

Models wrap JSON in fences and prose, encode objects as strings, add keys of their
own or say nothing at all. The wrapping is taken off; an added key beside the three
is never copied; anything else is a fault with a remedy, for the corrective turn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from vitrine.interpret.schema import INTENTS
from vitrine.problems import Fault, Invalid
from vitrine.session import Intent
from vitrine.tree.model import EMPTY, Group
from vitrine.tree.parse import decoded

LONGEST = 64 * 1024
EXPLANATION = 400
TRIES = 20
"""Opening braces tried before a text counts as prose."""
WORDLESS = frozenset({"reset", "clarify"})
_KEYS = frozenset({"intent", "rule_group"})


Check = Callable[[Intent, Any], Group]
"""Judge decoded JSON as the delta of an intent; raises ``Invalid``."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model meant; ``group`` is empty for ``reset`` and ``clarify``."""

    intent: Intent
    group: Group = EMPTY
    explanation: str = ""


def read(text: str, check: Check) -> Reply:
    """Read a completion; raise ``Invalid`` with every fault it has."""
    document = next(_documents(text[:LONGEST]), None)
    if document is None:
        raise Invalid([_no_object(text)])
    named = str(document.get("intent", "")).strip().lower()
    if named not in INTENTS:
        raise Invalid([_unknown_intent()])
    intent = cast("Intent", named)
    explanation = _sentence(document.get("explanation"))
    if intent in WORDLESS:
        return Reply(intent, EMPTY, explanation)
    return Reply(intent, check(intent, _rules(document)), explanation)


def _documents(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a text that look like a reply, in order."""
    reader, start = json.JSONDecoder(), text.find("{")
    for _ in range(TRIES):
        if start < 0:
            return
        try:
            found, end = reader.raw_decode(text, start)
        except (ValueError, RecursionError):
            # Prose has braces too: what was no object may still hold one.
            end = start + 1
        else:
            yield from _replies(found)
        start = text.find("{", end)


def _replies(found: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the object, or the one that a wrapper such as {"turn": …} holds."""
    for one in (found, *(found.values() if isinstance(found, dict) else ())):
        if isinstance(one, Mapping) and _KEYS & set(one):
            yield one


def _rules(document: Mapping[str, Any]) -> Any:
    """Give the raw rules; without any an intent would list the whole catalogue."""
    raw = decoded(document.get("rule_group"))
    if isinstance(raw, list):
        raw = {"type": "group", "operator": "and", "rules": raw}
    bare = isinstance(raw, Mapping) and "rules" in raw and not decoded(raw["rules"])
    if raw in (None, "", {}) or bare:
        raise Invalid([_no_rules()])
    return raw


def _sentence(raw: Any) -> str:
    return " ".join(raw.split())[:EXPLANATION] if isinstance(raw, str) else ""


def _no_object(text: str) -> Fault:
    said = "The reply holds no JSON object." if text.strip() else "The reply is empty."
    return Fault(
        "", "no_object", said, "Answer with one JSON object and nothing around it."
    )


def _unknown_intent() -> Fault:
    return Fault(
        "/intent",
        "unknown_intent",
        "The intent is not known.",
        f"Use one of {', '.join(INTENTS)}.",
    )


def _no_rules() -> Fault:
    return Fault(
        "/rule_group",
        "missing_value",
        "This intent needs at least one rule.",
        'Give the rules that the message asks for, or use the intent "clarify".',
    )

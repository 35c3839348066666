"""What a tree finds in a list of records, evaluated naively, to score trees by it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from vitrine.language.folding import fold
from vitrine.language.periods import resolve_period
from vitrine.tree.model import Group, Node, Rule

Record = Mapping[str, Any]


@cache
def records(folder: Path, name: str) -> tuple[Record, ...]:
    """Read a catalogue by its name, compressed or not; none where there is no file."""
    found = sorted(folder.glob(f"{name}*.jsonl*"))
    if not found:
        return ()
    opened = gzip.open if found[0].suffix == ".gz" else open
    with opened(found[0], "rt", encoding="utf-8") as file:
        return tuple(json.loads(line) for line in file)


def hits(tree: Group, among: Iterable[Record], today: date) -> frozenset[int]:
    """Give the places of the records that a tree matches."""
    return frozenset(n for n, r in enumerate(among) if holds(tree, r, today))


def holds(node: Node, record: Record, today: date) -> bool:
    """Tell whether a record matches; a missing value matches only what denies."""
    if isinstance(node, Rule):
        return _leaf(node, record, today)
    parts = (holds(rule, record, today) for rule in node.rules)
    found = all(parts) if node.operator == "and" else any(parts)
    return found is not node.negated


def _leaf(rule: Rule, record: Record, today: date) -> bool:
    value = record.get(rule.field)
    held = value if isinstance(value, list) else [] if value in (None, "") else [value]
    if rule.operator in {"is_empty", "is_not_empty"}:
        return bool(held) is (rule.operator == "is_not_empty")
    if rule.operator in _DENIED:
        return not any(
            _test(_DENIED[rule.operator], v, rule.value, today) for v in held
        )
    return any(_test(rule.operator, v, rule.value, today) for v in held)


_DENIED = {
    "not_equals": "equals",
    "not_in": "in",
    "vocab_text_not_in": "in",
    "not_contains": "contains",
}


def _test(operator: str, held: Any, asked: Any, today: date) -> bool:
    if operator == "in_period":
        return date.fromisoformat(str(held)[:10]) in resolve_period(asked, today)
    if operator in {"in", "vocab_text_in"}:
        return any(_same(held, one) for one in asked)
    if operator in {"equals", "vocab_text_equals"}:
        return _same(held, asked)
    if operator == "contains":
        return fold(str(asked)) in fold(str(held))
    if operator == "starts_with":
        return fold(str(held)).startswith(fold(str(asked)))
    return _ordered(operator, held, asked)


def _same(held: Any, asked: Any) -> bool:
    if isinstance(held, bool) or isinstance(asked, bool):
        return held is asked
    one, other = _number(held), _number(asked)
    if one is not None and other is not None:
        return one == other
    return fold(str(held)) == fold(str(asked))


def _ordered(operator: str, held: Any, asked: Any) -> bool:
    if operator == "between":
        low, high = asked
        return _ordered("greater_or_equal", held, low) and _ordered(
            "less_or_equal", held, high
        )
    one, other = _key(held), _key(asked)
    if operator in {"less_than", "before"}:
        return one < other
    if operator in {"greater_than", "after"}:
        return one > other
    if operator in {"less_or_equal", "on_or_before"}:
        return one <= other
    return one >= other


def _key(value: Any) -> tuple[int, Decimal, str]:
    number = _number(value)
    if number is None:
        return 1, Decimal(0), str(value)
    return 0, number, ""


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool):
        return None
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None

"""A short way to write trees in fixtures: ``(and width:greater_than:1000 (or …))``.

A leaf is ``field:operator:value`` with the value as JSON without spaces, or as a bare
word; ``(not …)`` is a negated AND, ``(nor …)`` a negated OR.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vitrine.tree.model import Group, Node, Rule

FIXTURES = Path(__file__).parent / "fixtures" / "tree"
_HEADS = {
    "and": ("and", False),
    "or": ("or", False),
    "not": ("and", True),
    "nor": ("or", True),
}


def tree(text: str) -> Group:
    """Read a tree; a lone leaf or OR stands in the root AND."""
    node = _node(iter(re.findall(r"[()]|[^\s()]+", text)))
    plain = isinstance(node, Group) and node.operator == "and" and not node.negated
    return node if plain and isinstance(node, Group) else Group(rules=(node,))


def _node(words: Iterator[str]) -> Node:
    word = next(words)
    return _group(words) if word == "(" else _leaf(word)


def _group(words: Iterator[str]) -> Group:
    operator, negated = _HEADS[next(words)]
    rules: list[Node] = []
    for word in words:
        if word == ")":
            break
        rules.append(_group(words) if word == "(" else _leaf(word))
    return Group("or" if operator == "or" else "and", tuple(rules), negated)


def _leaf(word: str) -> Rule:
    field, operator, value = (*word.split(":", 2), "", "")[:3]
    return Rule(field, operator, _value(value))


def _value(text: str) -> Any:
    if not text:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return tuple(found) if isinstance(found, list) else found


def blocks(name: str) -> list[tuple[str, dict[str, str]]]:
    """Read a fixture: blocks of ``key: text`` lines under a ``# title``."""
    found: list[tuple[str, dict[str, str]]] = []
    for line in (FIXTURES / name).read_text().splitlines():
        if line.startswith("# "):
            found.append((line[2:].strip(), {}))
        elif line.strip():
            key, _, text = line.partition(":")
            found[-1][1][key.strip()] = text.strip()
    return found

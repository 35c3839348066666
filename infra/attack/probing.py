"""A7: a private field, asked for in every way that there is.

Each request goes to the catalogue and to its twin, which is the same but for fields
that never existed there. A difference between two answers is a bit of a private
value, or of there being one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from infra.attack.gate import Visitor
from infra.attack.tool import Question, Reply, Rule, group, rule
from vitrine.edge.tools import ASK, DESCRIBE, EXPLAIN

OPERATORS = (
    "equals",
    "not_equals",
    "in",
    "starts_with",
    "contains",
    "greater_than",
    "less_or_equal",
    "between",
    "is_empty",
    "is_not_empty",
    "vocab_text_equals",
    "near",
)
LISTS = ("in", "between")
CHANCE = re.compile(
    r'"(?:session|next_cursor)": "[^"]*"|(?:session|next_cursor): [\w-]+|'
    r"\[(?:end )?[0-9a-f]{8}(?=[:\]])"
)
"""What is drawn anew for each answer."""
Send = Callable[[Visitor], Reply]


@dataclass(frozen=True, slots=True)
class Private:
    """A private field, a value that it has, and a public one to stand beside it."""

    key: str
    value: Any
    beside: Rule


@dataclass(frozen=True, slots=True)
class Probed:
    """How many requests were sent, and which ones told something."""

    requests: int
    told: tuple[str, ...]


def probe(
    ours: Callable[[], Visitor],
    twin: Callable[[], Visitor],
    fields: Sequence[Private],
    *,
    every: int = 1,
) -> Probed:
    """Send each request, or every n-th, to both, as somebody who is new each time."""
    told: list[str] = []
    number = 0
    for private in fields:
        for name, send in islice(requests(private), None, None, every):
            number += 1
            one, other = _sent(ours(), private, send), _sent(twin(), private, send)
            if one != other:
                told.append(f"{private.key}: {name}")
    return Probed(number, tuple(told))


def _sent(visitor: Visitor, private: Private, send: Send) -> str:
    # An answer repeats what was asked: that is no leak.
    visitor.gate.watch.echoed = str(private.value)
    return _answered(send(visitor))


def requests(private: Private) -> Iterator[tuple[str, Send]]:
    """Give every way to ask for a private field."""
    for rules, name in _filters(private):
        yield f"filter {name}", _searching(Question(rules))
        yield f"counted {name}", _searching(Question(rules, limit=0))
        yield f"validated {name}", _judging(group(*rules))
        yield f"explained {name}", _explaining(group(*rules))
        yield f"MCP filter {name}", _calling("search_", filters=list(rules))
        yield f"MCP explain {name}", _calling(EXPLAIN, filters=list(rules))
    for text in _texts(private):
        yield f"text {text!r}", _searching(Question(words=text))
        beside = Question((private.beside,), words=text)
        yield f"text {text!r} beside a filter", _searching(beside)
        yield f"explained text {text!r}", _explaining(beside.tree)
        yield f"asked {text!r}", _calling(ASK, message=text)
        yield f"MCP query {text!r}", _calling("search_", query=text)
        yield f"MCP look-up {text!r}", _calling("get_", refs=[text])
        for key in ("sku", "gtin", "reference", "name", "title"):
            yield f"{key} {text!r}", _searching(Question((rule(key, "equals", text),)))
            begins = rule(key, "starts_with", text)
            yield f"{key} begins {text!r}", _searching(Question((begins,)))
    yield from _named(private)


def _filters(private: Private) -> Iterator[tuple[tuple[Rule, ...], str]]:
    for operator in OPERATORS:
        for value in (private.value, "zz", 1):
            said = [value, value] if operator in LISTS else value
            bare = "empty" in operator
            test = rule(private.key, operator, None if bare else said)
            yield (test,), f"{operator} {value}"
    test = rule(private.key, "equals", private.value)
    yield (private.beside, test), "beside a public one"
    yield (group(private.beside, test, operator="or"),), "or a public one"
    yield ({**group(test), "not": True},), "denied"
    yield (group(group(group(test))),), "deep down"


def _texts(private: Private) -> Iterator[str]:
    """Give the value as words: whole, its beginning, misspelt, and the field's name."""
    whole = str(private.value)
    yield whole
    yield whole[: max(4, len(whole) // 2)]
    yield f"{whole[:2]}x{whole[2:]}"
    yield f'"{whole}"'
    yield private.key


def _named(private: Private) -> Iterator[tuple[str, Send]]:
    """Ask for the field by name wherever a name is taken."""
    key = private.key
    for name in ("sort", "order_by", "fields", "facets", "group_by", key):
        yield f"MCP argument {name}", _calling("search_", **{name: key})
    yield "MCP falling order", _calling("search_", sort=f"-{key}")
    yield "MCP description", _calling(DESCRIBE, field=key)
    yield "MCP fields of a look-up", _calling("get_", refs=["zz"], fields=[key])
    whole = {"type": "group", "operator": "and", "rules": [], "sort": key}
    yield "a sorted tree", lambda visitor: visitor.explain(whole)


def _searching(question: Question) -> Send:
    return lambda visitor: visitor.ask(question)


def _judging(tree: Mapping[str, Any]) -> Send:
    return lambda visitor: visitor.judge(dict(tree))


def _explaining(tree: Mapping[str, Any]) -> Send:
    def send(visitor: Visitor) -> Reply:
        visitor.ask(Question(tuple(tree["rules"])))
        return visitor.explain(dict(tree))

    return send


def _calling(name: str, **arguments: Any) -> Send:
    def send(visitor: Visitor) -> Reply:
        source = visitor.source
        tool = f"{name}{source}" if name.endswith("_") else name
        more = {} if name.endswith("_") else {"source": source}
        return visitor.tool(tool, **more, **arguments)

    return send


def _answered(reply: Reply) -> str:
    """Give an answer without what is drawn anew each time."""
    text = json.dumps([reply.refused, dict(reply.body)], sort_keys=True, default=str)
    return CHANCE.sub("", text)

"""Agents' arguments: forgiving about form, strict about meaning.

Clients send lists as JSON strings and absent values as null or "null"; both are read.
An unknown argument is refused in words that name the known ones.
What comes out is the raw JSON of a rule tree, which ``validate`` judges like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vitrine.problems import Fault, Invalid
from vitrine.registry.operators import (
    FULL_TEXT_FIELD,
    LIST_OPERATORS,
    NEGATIVE_OPERATORS,
    PAIR_OPERATORS,
)

CONDITIONS = ("query", "filters", "all")
SEARCH = (
    *CONDITIONS,
    "intent",
    "session",
    "cursor",
    "sort",
    "limit",
    "dry_run",
    "request_id",
    "language",
)
INTENTS = ("search", "refine", "expand", "remove", "reset")
OLD = {
    "q": "query",
    "text": "query",
    "top_k": "limit",
    "size": "limit",
    "page": "cursor",
    "sort_by": "sort",
    "order_by": "sort",
    "session_id": "session",
    "ids": "refs",
    "skus": "refs",
    "id": "ref",
    "op": "operator",
}
"""Names that agents expect of other tools, and ours for the same."""
LIMIT = 5
MOST = 10
DIGITS = 10
LONGEST = 1000
TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}")
"""A BCP 47 language tag."""
_FILTER = ("field", "operator", "value", "values", "not")


@dataclass(frozen=True, slots=True)
class Search:
    """A search as an agent asked for it.

    ``tree`` is raw JSON, None where there are neither words nor filters; its rules
    are the words, then as many ``filters``, then the clauses.
    """

    tree: Mapping[str, Any] | None = None
    query: str | None = None
    filters: int = 0
    session: str | None = None
    cursor: str | None = None
    sort: str | None = None
    limit: int = LIMIT
    language: str | None = None
    intent: str | None = None
    dry_run: bool = False


def search(arguments: Mapping[str, Any]) -> Search:
    """Read the arguments of ``search_<source>``; raise ``Invalid`` in words."""
    given = known(arguments, SEARCH)
    intent = _intent(given)
    return replace(
        conditions(given, bare=intent == "remove"),
        session=string(given, "session"),
        cursor=string(given, "cursor"),
        sort=string(given, "sort"),
        limit=limit(given),
        language=language(given),
        intent=intent,
        dry_run=_truth(given.get("dry_run"), "/dry_run"),
    )


def conditions(given: Mapping[str, Any], *, bare: bool = False) -> Search:
    """Read words and filters alone; ``bare`` ones are removed without an operator."""
    filters = _filters(given, bare=bare)
    rules = [*_text(given), *filters, *_clauses(given, bare=bare)]
    return Search(
        filters=len(filters),
        tree={"type": "group", "operator": "and", "rules": rules} if rules else None,
        query=string(given, "query"),
    )


def located(pointer: str, asked: Search) -> str:
    """Translate a pointer into ``asked.tree`` to the argument that it came from."""
    _, _, place = pointer.partition("/rules/")
    number, _, rest = place.partition("/")
    if not number.isdecimal():
        return pointer
    at = int(number) - (asked.query is not None)
    if at < 0:
        return "/query"
    inside = rest.replace("rules/", "any/" if at >= asked.filters else "values/")
    name = f"/filters/{at}" if at < asked.filters else f"/all/{at - asked.filters}"
    return f"{name}/{inside}".rstrip("/")


def known(
    arguments: Mapping[str, Any], names: Iterable[str], pointer: str = ""
) -> dict[str, Any]:
    """Drop what is null and refuse what has no name here."""
    names = tuple(names)
    strange = [n for n in arguments if n not in names]
    if strange:
        raise Invalid(
            Fault(f"{pointer}/{n}", "unknown", f"{n}: {_why(n, names)}", allowed)
            for allowed in (f"Allowed: {', '.join(names)}.",)
            for n in strange
        )
    return {k: v for k, v in arguments.items() if not _absent(v)}


def _why(name: str, names: Iterable[str]) -> str:
    ours = OLD.get(name, "")
    return f"is called {ours} here" if ours in names else "unknown argument"


def string(
    given: Mapping[str, Any], name: str, *, longest: int = LONGEST
) -> str | None:
    """Read a short text, or None where it is absent or blank."""
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > longest:
        remedy = f"Send a text of at most {longest} characters."
        raise wrong(f"/{name}", f"{name}: a text is needed", remedy)
    return value.strip() or None


def language(given: Mapping[str, Any]) -> str | None:
    """Read the language of the answer."""
    tag = string(given, "language")
    if tag is not None and not TAG.fullmatch(tag):
        raise wrong("/language", "language: no such tag", "Send en, fr or another.")
    return tag


def _intent(given: Mapping[str, Any]) -> str | None:
    intent = string(given, "intent")
    if intent is not None and intent not in INTENTS:
        raise wrong(
            "/intent", f"intent: no {intent!r}", f"One of {', '.join(INTENTS)}."
        )
    return intent


def _text(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    query = string(given, "query")
    return [] if query is None else [_rule(FULL_TEXT_FIELD, "hybrid_search", query)]


def _filters(given: Mapping[str, Any], *, bare: bool) -> list[dict[str, Any]]:
    return [
        _node(f, f"/filters/{i}", bare=bare)
        for i, f in enumerate(listed(given.get("filters"), "/filters"))
    ]


def _clauses(given: Mapping[str, Any], *, bare: bool) -> list[dict[str, Any]]:
    clauses = listed(given.get("all"), "/all")
    return [_clause(c, f"/all/{i}", bare=bare) for i, c in enumerate(clauses)]


def _clause(clause: Any, pointer: str, *, bare: bool) -> dict[str, Any]:
    clause = _decoded(clause)
    if not isinstance(clause, Mapping) or set(clause) != {"any"}:
        remedy = 'Send {"any": [{"field": …, "operator": …, "value": …}]}.'
        raise wrong(pointer, "a clause of all needs exactly the member any", remedy)
    parts = listed(clause["any"], f"{pointer}/any")
    return {
        "type": "group",
        "operator": "or",
        "rules": [
            _node(p, f"{pointer}/any/{i}", bare=bare) for i, p in enumerate(parts)
        ],
    }


def _node(given: Any, pointer: str, *, bare: bool) -> dict[str, Any]:
    """Make a rule, or a group where several values stand behind one operator."""
    given = _decoded(given)
    if not isinstance(given, Mapping):
        raise wrong(pointer, "a filter is an object", _SHAPE)
    given = known(given, _FILTER, pointer)
    field, operator = given.get("field"), given.get("operator", "" if bare else None)
    if not isinstance(field, str) or not isinstance(operator, str):
        raise wrong(pointer, "a filter needs a field and an operator", _SHAPE)
    if "value" in given and "values" in given:
        raise wrong(pointer, "value and values exclude each other", "Send one.")
    node = _valued(field, operator, given, pointer)
    return _negated(node) if _truth(given.get("not"), pointer) else node


_SHAPE = 'Send {"field": "…", "operator": "…", "value": "…"}.'


def _valued(
    field: str, operator: str, given: Mapping[str, Any], pointer: str
) -> dict[str, Any]:
    if "values" not in given:
        value = given.get("value")
        alone = operator in LIST_OPERATORS and not isinstance(value, list)
        return _rule(field, operator, [value] if alone and value is not None else value)
    values = listed(given["values"], f"{pointer}/values")
    if operator in LIST_OPERATORS | PAIR_OPERATORS:
        return _rule(field, operator, values)
    rules = [_rule(field, operator, v) for v in values]
    # "not red, not blue" excludes both; any other list offers alternatives.
    joint = "and" if operator in NEGATIVE_OPERATORS else "or"
    return rules[0] if len(rules) == 1 else _group(joint, rules)


def _rule(field: str, operator: str, value: Any) -> dict[str, Any]:
    rule = {"field": field} | ({"operator": operator} if operator else {})
    return rule if value is None else rule | {"value": value}


def _group(operator: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "group", "operator": operator, "rules": rules}


def _negated(node: dict[str, Any]) -> dict[str, Any]:
    group = node if "rules" in node else _group("and", [node])
    return group | {"not": True}


def _truth(value: Any, pointer: str) -> bool:
    match value:
        case None | False | "false":
            return False
        case True | "true":
            return True
    raise wrong(f"{pointer}/not", "not is true or false", "Send true, or omit it.")


def listed(value: Any, pointer: str) -> list[Any]:
    """Read a list, or what a client sent as its JSON text; nothing is empty."""
    value = _decoded(value)
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong(pointer, f"{pointer[1:]}: a list is needed", "Send [ … ].")
    return value


def _decoded(value: Any) -> Any:
    """Decode, once, a list or object that a client sent as its JSON text."""
    if not isinstance(value, str) or value[:1] not in {"[", "{"}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def limit(given: Mapping[str, Any]) -> int:
    """Read how many results are wanted."""
    value = given.get("limit", LIMIT)
    # A text of thousands of digits is an error to ``int``, and no limit anyway.
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < DIGITS:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
        remedy = f"Send a whole number from 0 (facets only) to {MOST}."
        raise wrong("/limit", f"limit: {MOST} results are the most", remedy)
    return value


def _absent(value: Any) -> bool:
    return value is None or value == "null"


def wrong(pointer: str, message: str, remedy: str) -> Invalid:
    """Make the refusal of one argument."""
    return Invalid([Fault(pointer, "argument", message, remedy)])

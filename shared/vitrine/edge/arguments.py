"""Agents' arguments: forgiving about form, strict about meaning.

Clients send lists as JSON strings and absent values as null or "null"; both are read.
An unknown argument is refused in words that name the known ones.
What comes out is the raw JSON of a rule tree, which ``validate`` judges like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vitrine.problems import Fault, Invalid
from vitrine.registry.operators import (
    FULL_TEXT_FIELD,
    LIST_OPERATORS,
    NEGATIVE_OPERATORS,
    PAIR_OPERATORS,
)

SEARCH = ("query", "filters", "all", "session", "cursor", "limit", "language")
DESCRIBE = ("source", "field", "language")
LIMIT = 5
MOST = 10
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
    limit: int = LIMIT
    language: str | None = None


def search(arguments: Mapping[str, Any]) -> Search:
    """Read the arguments of ``search_<source>``; raise ``Invalid`` in words."""
    given = known(arguments, SEARCH)
    filters = _filters(given)
    rules = [*_text(given), *filters, *_clauses(given)]
    return Search(
        filters=len(filters),
        tree={"type": "group", "operator": "and", "rules": rules} if rules else None,
        query=string(given, "query"),
        session=string(given, "session"),
        cursor=string(given, "cursor"),
        limit=_limit(given),
        language=_language(given),
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
        allowed = f"Allowed: {', '.join(names)}."
        raise Invalid(
            Fault(f"{pointer}/{n}", "unknown", f"{n}: unknown argument", allowed)
            for n in strange
        )
    return {k: v for k, v in arguments.items() if not _absent(v)}


def string(given: Mapping[str, Any], name: str) -> str | None:
    """Read a short text, or None where it is absent or blank."""
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST:
        remedy = f"Send a text of at most {LONGEST} characters."
        raise _wrong(f"/{name}", f"{name}: a text is needed", remedy)
    return value.strip() or None


def _language(given: Mapping[str, Any]) -> str | None:
    tag = string(given, "language")
    if tag is not None and not TAG.fullmatch(tag):
        raise _wrong("/language", "language: no such tag", "Send en, fr or another.")
    return tag


def _text(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    query = string(given, "query")
    return [] if query is None else [_rule(FULL_TEXT_FIELD, "hybrid_search", query)]


def _filters(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        _node(f, f"/filters/{i}")
        for i, f in enumerate(_list(given.get("filters"), "/filters"))
    ]


def _clauses(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    clauses = _list(given.get("all"), "/all")
    return [_clause(c, f"/all/{i}") for i, c in enumerate(clauses)]


def _clause(clause: Any, pointer: str) -> dict[str, Any]:
    clause = _decoded(clause)
    if not isinstance(clause, Mapping) or set(clause) != {"any"}:
        remedy = 'Send {"any": [{"field": …, "operator": …, "value": …}]}.'
        raise _wrong(pointer, "a clause of all needs exactly the member any", remedy)
    parts = _list(clause["any"], f"{pointer}/any")
    return {
        "type": "group",
        "operator": "or",
        "rules": [_node(p, f"{pointer}/any/{i}") for i, p in enumerate(parts)],
    }


def _node(given: Any, pointer: str) -> dict[str, Any]:
    """Make a rule, or a group where several values stand behind one operator."""
    given = _decoded(given)
    if not isinstance(given, Mapping):
        raise _wrong(pointer, "a filter is an object", _SHAPE)
    given = known(given, _FILTER, pointer)
    field, operator = (given.get(k) for k in ("field", "operator"))
    if not isinstance(field, str) or not isinstance(operator, str):
        raise _wrong(pointer, "a filter needs a field and an operator", _SHAPE)
    if "value" in given and "values" in given:
        raise _wrong(pointer, "value and values exclude each other", "Send one.")
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
    values = _list(given["values"], f"{pointer}/values")
    if operator in LIST_OPERATORS | PAIR_OPERATORS:
        return _rule(field, operator, values)
    rules = [_rule(field, operator, v) for v in values]
    # "not red, not blue" excludes both; any other list offers alternatives.
    joint = "and" if operator in NEGATIVE_OPERATORS else "or"
    return rules[0] if len(rules) == 1 else _group(joint, rules)


def _rule(field: str, operator: str, value: Any) -> dict[str, Any]:
    rule = {"field": field, "operator": operator}
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
    raise _wrong(f"{pointer}/not", "not is true or false", "Send true, or omit it.")


def _list(value: Any, pointer: str) -> list[Any]:
    value = _decoded(value)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(pointer, f"{pointer[1:]}: a list is needed", "Send [ … ].")
    return value


def _decoded(value: Any) -> Any:
    """Decode, once, a list or object that a client sent as its JSON text."""
    if not isinstance(value, str) or value[:1] not in {"[", "{"}:
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _limit(given: Mapping[str, Any]) -> int:
    value = given.get("limit", LIMIT)
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
        remedy = f"Send a whole number from 0 (facets only) to {MOST}."
        raise _wrong("/limit", f"limit: {MOST} results are the most", remedy)
    return value


def _absent(value: Any) -> bool:
    return value is None or value == "null"


def _wrong(pointer: str, message: str, remedy: str) -> Invalid:
    return Invalid([Fault(pointer, "argument", message, remedy)])


@dataclass(frozen=True, slots=True)
class Describe:
    """A source, or one of its fields, to be described."""

    source: str
    field: str | None = None
    language: str | None = None


def describe(arguments: Mapping[str, Any], sources: Iterable[str]) -> Describe:
    """Read the arguments of ``describe_source``; a lone source need not be named."""
    given, sources = known(arguments, DESCRIBE), tuple(sources)
    source = string(given, "source") or (sources[0] if len(sources) == 1 else None)
    if source not in sources:
        said = "a source is needed" if source is None else f"no such source: {source}"
        raise _wrong("/source", f"source: {said}", f"Sources: {', '.join(sources)}.")
    return Describe(source, string(given, "field"), _language(given))

"""The tools of a caller: derived from the sources that their scopes cover.

Hosts keep the list that was approved, so it depends on the token alone and its order
is fixed. Schemas hold no ``$ref``, recursion, null alternative or boolean
``additionalProperties``: some clients drop every tool over one of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vitrine.edge.arguments import LIMIT, MOST
from vitrine.edge.lines import LARGEST
from vitrine.language.money import from_minor
from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry

SEARCH = "search_"
DESCRIBE = "describe_source"
ENUMERATED = 24
"""More fields than this are described by ``describe_source`` instead of listed."""
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as it is listed; ``source`` is None where an argument names it."""

    name: str
    title: str
    description: str
    takes: Schema
    gives: Schema
    source: str | None = None


def tools(registries: Sequence[Registry]) -> tuple[Tool, ...]:
    """List the tools over these sources, searches first, by name."""
    ordered = sorted(registries, key=lambda r: r.source)
    searches = tuple(_search(r) for r in ordered)
    return (*searches, _describe(ordered)) if ordered else ()


def _search(registry: Registry) -> Tool:
    texts = registry.manifest.tool
    return Tool(
        name=SEARCH + registry.source,
        title=texts.title,
        description=(
            f"{texts.use} Returns up to {MOST} results with refs, facets, the total "
            f"and what was really searched. Not for: {texts.not_for} "
            f"Example: {texts.example}"
        ),
        takes=_takes(registry),
        gives=_GIVES,
        source=registry.source,
    )


def _describe(registries: Sequence[Registry]) -> Tool:
    return Tool(
        name=DESCRIBE,
        title="Describe a source",
        description=(
            "Use this before filtering, to learn a source's fields, their operators "
            "and known values. Returns fields; with field, that field in detail. "
            'Not for: searching. Example: {"source": "'
            f'{registries[0].source}"}}'
        ),
        takes={
            "type": "object",
            "properties": {
                "source": _words("Which source.", [r.source for r in registries]),
                "field": _words("One field, in detail."),
                "language": _LANGUAGE,
            },
            "required": ["source"],
        },
        gives=_DESCRIBED,
    )


def _words(description: str, choices: Sequence[str] = ()) -> Schema:
    named = {"enum": list(choices)} if choices else {}
    return {"type": "string", "description": description, **named}


def _many(description: str, items: Schema) -> Schema:
    return {"type": "array", "description": description, "items": items}


_LANGUAGE = _words("Language of the answer, such as en or fr.")
_ANY: Schema = {"type": "object"}


def _takes(registry: Registry) -> Schema:
    one = _filter(registry)
    clause = {
        "type": "object",
        "properties": {"any": _many("At least one must hold.", one)},
        "required": ["any"],
    }
    return {
        "type": "object",
        "properties": {
            "query": _words('Words to find; "quotes" keep a phrase, -word excludes.'),
            "filters": _many("Every one must hold.", one),
            "all": _many("For alternatives across fields: every clause holds.", clause),
            "session": _words("The session of an earlier answer, to refine it."),
            "cursor": _words("next_cursor of an earlier answer, for the next page."),
            "limit": {
                "type": "integer",
                "minimum": 0,
                "maximum": MOST,
                "default": LIMIT,
                "description": "Results to show; 0 shows facets only.",
            },
            "language": _LANGUAGE,
        },
    }


def _filter(registry: Registry) -> Schema:
    fields = [k for k in registry.filters if k != "full_text_search"]
    operators = sorted({op for f in fields for op in registry.operators(f)})
    listed = fields if len(fields) <= ENUMERATED else ()
    return {
        "type": "object",
        "properties": {
            "field": _words("A field of describe_source.", listed),
            "operator": _words("What to compare.", operators),
            "value": _words('Text, number, date or true/false, as text: "50".'),
            "values": _many(
                "Instead of value: alternatives, or two bounds for between.",
                {"type": "string"},
            ),
            "not": {"type": "boolean", "description": "True excludes what matches."},
        },
        "required": ["field", "operator"],
    }


_GIVES: Schema = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "hits": {"type": "array", "items": _ANY},
        "facets": _ANY,
        "total": _ANY,
        "sentence": {"type": "string"},
        "report": _ANY,
        "suggestions": {"type": "array", "items": _ANY},
        "budget": _ANY,
        "session": {"type": "string"},
        "next_cursor": {"type": "string"},
    },
    "required": ["note"],
}
_DESCRIBED: Schema = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "source": {"type": "string"},
        "fields": {"type": "array", "items": _ANY},
        "operators": _ANY,
    },
    "required": ["note"],
}


def described(
    registry: Registry, field: str | None, language: str
) -> tuple[dict[str, Any], str]:
    """Describe a source's filters, or one of them, as data and as lines."""
    if field is not None:
        return _described(registry, [_known(registry, field)], 50, language)
    filters = list(registry.filters.values())
    for values in (8, 4, 2, 0):
        data, text = _described(registry, filters, values, language)
        if max(len(json.dumps(data).encode()), len(text.encode())) <= LARGEST:
            break
    return data, text


def _known(registry: Registry, field: str) -> Field:
    try:
        return registry.filters[field]
    except KeyError:
        remedy = f"Fields: {', '.join(registry.filters)}."
        fault = Fault("/field", "unknown-field", f"{field}: no such field", remedy)
        raise Invalid([fault]) from None


def _described(
    registry: Registry, fields: Sequence[Field], values: int, language: str
) -> tuple[dict[str, Any], str]:
    title = registry.manifest.title
    data = {
        "note": f"{title.get(language) or registry.source}: {len(fields)} fields.",
        "source": registry.source,
        "fields": [_field(registry, f, values, language) for f in fields],
        "operators": {str(f.type): list(registry.operators(f.key)) for f in fields},
    }
    return data, "\n".join(_lines(data))


def _field(
    registry: Registry, field: Field, values: int, language: str
) -> dict[str, Any]:
    sample = registry.sample(field.key)
    choices = [c.labels.get(language, c.value) for c in field.choices or ()]
    known = choices or [*sample.labels, *sample.values]
    facts: Mapping[str, Any] = {
        "label": field.named(language),
        "type": str(field.type),
        "unit": field.unit or field.currency,
        "values": [] if field.sensitive else known[:values],
        "low": _told(field, sample.low),
        "high": _told(field, sample.high),
        "facet": field.key in registry.facets or None,
    }
    return {"field": field.key} | {
        k: v for k, v in facts.items() if v not in (None, [])
    }


def _told(field: Field, bound: float | str | None) -> float | str | None:
    """Give a bound in the field's unit; money is kept in its smallest coin."""
    if field.currency and isinstance(bound, int | float):
        return float(from_minor(int(bound), field.currency))
    return bound


def _lines(data: Mapping[str, Any]) -> Iterable[str]:
    yield data["note"]
    for field in data["fields"]:
        facts = (f"{k} {_said(v)}" for k, v in field.items() if k != "field")
        yield f"{field['field']}: " + "; ".join(facts)
    yield from (f"{k} takes {', '.join(v)}" for k, v in data["operators"].items())


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

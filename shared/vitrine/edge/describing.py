"""A source described for agents: fields, operators, and what values are known.

A capped profile is told the manifest's closed lists and no observed value: those are
facts of documents, which only a search's facets tell, against the quota.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vitrine.edge.lines import fenced, fits
from vitrine.language.money import from_minor
from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import NOTHING

_VALUES = (8, 4, 2, 0)
_DETAIL = (250, 50, 20)
"""Values of a field, as many as the answer has room for."""


def described(
    registry: Registry, field: str | None, language: str, *, nonce: str
) -> tuple[dict[str, Any], str]:
    """Describe a source's filters, or one of them, as data and as lines."""
    alone = [] if field is None else [_known(registry, field)]
    for values in _DETAIL if alone else _VALUES:
        fields = alone or list(registry.filters.values())
        data = _described(registry, fields, values, language)
        text = "\n".join(_lines(data, nonce if registry.budget is None else ""))
        if fits(data, text):
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
) -> dict[str, Any]:
    title = registry.manifest.title
    return {
        "note": f"{title.get(language) or registry.source}: {len(fields)} fields.",
        "source": registry.source,
        "fields": [_field(registry, f, values, language) for f in fields],
        "operators": {str(f.type): list(registry.operators(f.key)) for f in fields},
    }


def _field(
    registry: Registry, field: Field, values: int, language: str
) -> dict[str, Any]:
    open_to_all = registry.budget is None and not field.sensitive
    sample = registry.sample(field.key) if open_to_all else NOTHING
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


def _lines(data: Mapping[str, Any], nonce: str) -> Iterable[str]:
    """Say it a line a field; observed values stand between marks."""
    fields = [_line(field) for field in data["fields"]]
    yield data["note"]
    yield from fenced(fields, nonce) if nonce else fields
    yield from (f"{k} takes {', '.join(v)}" for k, v in data["operators"].items())


def _line(field: Mapping[str, Any]) -> str:
    facts = (f"{k} {_said(v)}" for k, v in field.items() if k != "field")
    return f"{field['field']}: " + "; ".join(facts)


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

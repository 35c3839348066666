"""The common form of the sentence files: registries, gold trees, and our own words.

Their types, operators and keys become ours and nothing is added: a registry holds
the labels and values of the file, a sentence its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vitrine.language.coercion import to_decimal
from vitrine.language.money import currency_of
from vitrine.language.numbers import Unreadable
from vitrine.language.units import unit_of
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample
from vitrine.tree.model import EMPTY, Group, Node, Rule

TYPES = {
    "text": "text",
    "number": "number",
    "date": "date",
    "time": "time",
    "boolean": "boolean",
    "vocabulary": "vocabulary",
    # their colours are the shop's own names, a closed list
    "colour": "vocabulary",
    # no cell of the column was seen
    "unknown": "vocabulary",
    "keyword": "vocabulary",
    "datetime": "datetime",
    "identifier": "identifier",
}
_OPERATORS = {
    "=": "equals",
    "!=": "not_equals",
    "<": "less_than",
    ">": "greater_than",
    "<=": "less_or_equal",
    ">=": "greater_or_equal",
    "contains": "contains",
    "not_contains": "not_contains",
    "between": "between",
    "in": "in",
    "not_in": "not_in",
    "is_null": "is_empty",
    "is_not_null": "is_not_empty",
}
"""Theirs; any other stands as it is, so that a gold tree of ours is read, too."""
_MOMENTS = {
    "less_than": "before",
    "greater_than": "after",
    "less_or_equal": "on_or_before",
    "greater_or_equal": "on_or_after",
}
_VOCABULARY = {
    "equals": "vocab_text_equals",
    "in": "vocab_text_in",
    "not_equals": "vocab_text_not_in",
    "not_in": "vocab_text_not_in",
}
# a closed list of these says yes or no
_FLAGS = frozenset({"true", "false", "True", "False", "N/A"})


@dataclass(frozen=True, slots=True)
class Known:
    """A registry with the keys that the file uses for its fields."""

    registry: Registry
    keys: Mapping[str, str]
    catalogue: str = ""

    def field(self, key: str) -> Field:
        """Give the field that the file calls by a key."""
        return self.registry.filters[self.keys[key]]


def known(about: Any) -> Known:
    """Make a registry of a file's list of fields, or of an object that holds one."""
    listed = about if isinstance(about, list) else about["fields"]
    named = {f["key"]: _key(f["key"], number) for number, f in enumerate(listed)}
    fields = [_field(f, named[f["key"]]) for f in listed]
    manifest = Manifest.model_validate(
        {
            "source": "bench",
            "engine": "postgres",
            "relation": "bench",
            "title": {"en": "bench"},
            "site": "https://example.org",
            "way_on": "https://example.org",
            "hit": {"title": fields[0]["key"]},
            "tool": {"title": "t", "use": "u", "not_for": "n", "example": "e"},
            "profiles": {"trusted": {"filter": ["*"]}},
            "fields": fields,
        }
    )
    samples = {named[f["key"]]: _sample(f) for f in listed}
    registry = registry_for(manifest, "trusted", tenant="bench", samples=samples)
    catalogue = about.get("catalogue", "") if isinstance(about, dict) else ""
    return Known(registry, named, str(catalogue))


def registry_of(example: Mapping[str, Any], listed: Mapping[str, Any]) -> Known:
    """Make the registry that an example is about: one of a file, or some together.

    Where several stand together, each is named as a group of fields.
    """
    if "fields" in example:
        return known(example["fields"])
    if "registry" in example:
        return known(named(listed, example["registry"]))
    of_language = named(listed, example["lang"])
    fields = ((n, f) for n in example["registries"] for f in named(of_language, n))
    return known([f | {"group": n} for n, f in fields])


def named(listed: Mapping[str, Any], name: str) -> Any:
    """Give a registry of a file; raise ``ValueError`` naming those that it has."""
    if name in listed:
        return listed[name]
    there = f"only {', '.join(map(str, listed))}" if listed else "see --registries"
    raise ValueError(f"no registry {name!r}: {there}")


def _key(key: str, number: int) -> str:
    if re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*", key):
        return key
    plain = re.sub(r"[^a-z0-9]+", "_", key.lower()).strip("_")
    return f"f{number}_{plain}".rstrip("_")


def _kind(about: Mapping[str, Any]) -> str:
    """Give our type; without a translated label it is a table's column of names."""
    # What no type of theirs or ours is, is known by its values, if by anything.
    kind = TYPES.get(about["type"], "vocabulary")
    values = [str(v) for v in about.get("values") or ()]
    column = isinstance(about.get("label"), str) and "distinct" not in about
    if kind == "vocabulary" and values and set(values) <= _FLAGS:
        return "boolean"
    return "vocabulary" if kind == "text" and column else kind


def _field(about: Mapping[str, Any], key: str) -> dict[str, Any]:
    kind = _kind(about)
    label = about.get("label") or about["key"]
    unit = str(about.get("unit") or "") if kind == "number" else ""
    currency = currency_of(unit) if unit else None
    return {
        "key": key,
        "group": about.get("group", ""),
        "type": kind,
        "label": label if isinstance(label, dict) else {"en": label},
        "multi": bool(about.get("multiple")),
        "currency": currency,
        "unit": unit_of(unit) if unit and not currency else None,
    }


def _sample(about: Mapping[str, Any]) -> Sample:
    values = tuple(str(v) for v in about.get("values") or ())
    closed = _kind(about) == "vocabulary"
    return Sample(
        values=() if closed else values,
        labels=values if closed else (),
        low=about.get("min"),
        high=about.get("max"),
    )


def gold(raw: Mapping[str, Any] | None, of: Known) -> Group:
    """Give a gold tree in our words; no tree is the empty one."""
    if raw is None:
        return EMPTY
    node = _node(raw, of)
    return node if isinstance(node, Group) else Group(rules=(node,))


def _node(raw: Mapping[str, Any], of: Known) -> Node:
    if "rules" in raw:
        rules = tuple(_node(rule, of) for rule in raw["rules"])
        return Group(raw["combinator"], rules, bool(raw.get("not")))
    field = of.field(raw["field"])
    operator = _OPERATORS.get(raw["operator"], raw["operator"])
    value = _numbers(raw.get("value")) if _counts(field) else raw.get("value")
    if field.type.value in {"date", "time", "datetime"}:
        operator = _MOMENTS.get(operator, operator)
    if field.type.value == "vocabulary":
        operator = _VOCABULARY.get(operator, operator)
    listed = operator in {"vocab_text_in", "vocab_text_not_in", "in", "not_in"}
    if listed and not isinstance(value, list):
        value = [value]
    return Rule(field.key, operator, tuple(value) if isinstance(value, list) else value)


def _counts(field: Field) -> bool:
    return field.type is FieldType.NUMBER


def _numbers(value: Any) -> Any:
    """Read a number written as text ("3,142"); what is none stays as it is."""
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    try:
        number = to_decimal(value)
    except Unreadable:
        return value
    whole = number == number.to_integral_value()
    return int(number) if whole else float(number)

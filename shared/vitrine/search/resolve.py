"""Readable labels become stored ids: the step between validation and compilation.

Each literal of a list is resolved on its own; one unknown label refuses the whole
tree, with the nearest labels that this caller may see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from vitrine.language.periods import Period, resolve_period
from vitrine.problems import Fault, Invalid
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Found, LooksUp, Query, Wanted
from vitrine.search.report import Resolved
from vitrine.tree.model import Group, Node, Rule, leaves
from vitrine.tree.walk import map_rules

_BY_ID = {
    "vocab_text_equals": "vocab_id_in",
    "vocab_text_in": "vocab_id_in",
    "vocab_text_not_in": "vocab_id_not_in",
}


@dataclass(frozen=True, slots=True)
class Settled:
    """A tree without readable labels, and what each label was taken for."""

    tree: Group
    resolved: tuple[Resolved, ...] = ()


def resolve(tree: Group, engine: LooksUp, query: Query) -> Settled:
    """Look every label up in one statement, or in none where there is no label.

    Raise ``Invalid`` with the nearest labels for each that means nothing.
    """
    asked = list(_labels(tree))
    if not asked:
        return Settled(tree)
    found = engine.look_up(query, [wanted for _, wanted in asked])
    faults = [
        _unknown(pointer, wanted, match, query.registry)
        for (pointer, wanted), match in zip(asked, found, strict=True)
        if not match.ids
    ]
    if faults:
        raise Invalid(faults)
    meaning = {w: match for (_, w), match in zip(asked, found, strict=True)}
    labels = tuple(Resolved(w.field, w.label, f.labels) for w, f in meaning.items())
    return Settled(map_rules(tree, lambda rule: _by_id(rule, meaning)), labels)


def _labels(tree: Group) -> Iterator[tuple[str, Wanted]]:
    for pointer, rule in leaves(tree):
        if rule.operator not in _BY_ID:
            continue
        if isinstance(rule.value, str):
            yield f"{pointer}/value", Wanted(rule.field, rule.value)
            continue
        for index, label in enumerate(rule.value):
            yield f"{pointer}/value/{index}", Wanted(rule.field, label)


def _by_id(rule: Rule, meaning: Mapping[Wanted, Found]) -> Node:
    if rule.operator not in _BY_ID:
        return rule
    labels = [rule.value] if isinstance(rule.value, str) else rule.value
    ids = [i for label in labels for i in meaning[Wanted(rule.field, label)].ids]
    distinct = tuple(key for key, _ in groupby(sorted(ids)))
    return Rule(rule.field, _BY_ID[rule.operator], distinct)


def periods(tree: Group, registry: Registry, today: date) -> tuple[Resolved, ...]:
    """Tell which days each named period was taken for, ``first..last``.

    An open side is empty.
    """
    hemisphere = registry.manifest.hemisphere
    named = (rule for _, rule in leaves(tree) if rule.operator == "in_period")
    return tuple(
        Resolved(rule.field, rule.value, (_days(period),))
        for rule in named
        for period in (resolve_period(rule.value, today, hemisphere=hemisphere),)
    )


def _days(period: Period) -> str:
    last = period.end - timedelta(days=1) if period.end else None
    return "..".join(day.isoformat() if day else "" for day in (period.start, last))


def _unknown(pointer: str, wanted: Wanted, match: Found, registry: Registry) -> Fault:
    secret = registry.filters[wanted.field].sensitive
    # The nearest labels of a sensitive field would be a list of its values.
    near = "" if secret else ", ".join(match.nearest)
    return Fault(
        pointer,
        "unknown_value",
        f"{wanted.field}: nothing is called {wanted.label!r}.",
        f"The nearest are: {near}." if near else "Describe the source for its values.",
    )

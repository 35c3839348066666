"""Ready trees that would find something, where a search found nothing or little.

Pure: candidates are made from the tree alone; the engine counts them in the same
statement that explains, and only those that find something are offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from vitrine.language.periods import Period, resolve_period
from vitrine.registry.operators import FULL_TEXT_FIELD, FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Row
from vitrine.tree.model import Group, Node, Rule, leaves

SHARE = 0.2
"""By how much of its value a numeric bound is relaxed."""
FEW = 4
"""Results up to which frequent values of the results are suggested."""
OFFERED = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tree to count, and what was done to make it."""

    kind: str
    tree: Group


def relaxations(tree: Group, registry: Registry, *, today: date) -> Iterator[Candidate]:
    """Yield the disjunction, then each date, number and colour made wider."""
    if tree.negated or tree.operator != "and":
        return
    filters = [c for c in tree.rules if not _is_text(c)]
    if len(filters) > 1:
        kept = [c for c in tree.rules if _is_text(c)]
        yield Candidate("either", Group("and", (*kept, Group("or", tuple(filters)))))
    for index, child in enumerate(tree.rules):
        wider = _wider(child, registry, today)
        if wider is not None:
            yield Candidate("wider", _swapped(tree, index, wider))


def frequent(rows: Iterable[Row], tree: Group, registry: Registry) -> list[Candidate]:
    """Suggest the values that few results share and that the query does not name."""
    named = {(r.field, str(v)) for _, r in leaves(tree) for v in _values(r)}
    seen: Counter[tuple[str, str]] = Counter()
    for row in rows:
        seen.update(set(_tags(row.values, registry)) - named)
    shared = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
    return [
        Candidate("alike", Group("and", (Rule(key, "equals", value),)))
        for (key, value), _ in shared[:OFFERED]
    ]


def _is_text(node: Node) -> bool:
    return isinstance(node, Rule) and node.field == FULL_TEXT_FIELD


def _swapped(tree: Group, index: int, node: Node) -> Group:
    rules = (*tree.rules[:index], node, *tree.rules[index + 1 :])
    return replace(tree, rules=rules)


def _wider(node: Node, registry: Registry, today: date) -> Rule | None:
    if not isinstance(node, Rule) or node.field not in registry.filters:
        return None
    kind = registry.filters[node.field].type
    if kind in (FieldType.DATE, FieldType.DATETIME) and node.operator == "in_period":
        manifest = registry.manifest
        period = resolve_period(node.value, today, hemisphere=manifest.hemisphere)
        return _longer(node, period)
    if kind is FieldType.NUMBER:
        return _looser(node)
    if kind is FieldType.COLOUR and node.operator == "near":
        tolerance = node.value["tolerance"] * 2
        return replace(node, value={**node.value, "tolerance": tolerance})
    return None


def _longer(rule: Rule, period: Period) -> Rule | None:
    """Stretch a period by its own length at both ends."""
    if period.start is None or period.end is None:
        return None
    length = period.end - period.start
    last = period.end + length - timedelta(days=1)
    bounds = [(period.start - length).isoformat(), last.isoformat()]
    return Rule(rule.field, "between", bounds)


def _looser(rule: Rule) -> Rule | None:
    if rule.operator in ("greater_than", "greater_or_equal"):
        return replace(rule, value=_near(rule.value, -SHARE))
    if rule.operator in ("less_than", "less_or_equal"):
        return replace(rule, value=_near(rule.value, SHARE))
    if rule.operator == "between":
        low, high = rule.value
        return replace(rule, value=[_near(low, -SHARE), _near(high, SHARE)])
    return None


def _near(number: float, share: float) -> float:
    moved = number + abs(number) * share
    return round(moved) if isinstance(number, int) else round(moved, 4)


def _values(rule: Rule) -> Iterable[Any]:
    return rule.value if isinstance(rule.value, list | tuple) else (rule.value,)


def _tags(values: Mapping[str, Any], registry: Registry) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        field = registry.filters.get(key)
        if field is None or not field.multi or key not in registry.outputs:
            continue
        # A vocabulary's labels would have to be resolved, in a statement more.
        if field.type is FieldType.VOCABULARY:
            continue
        yield from ((key, str(v)) for v in value or ())

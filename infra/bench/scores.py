"""Exactness and condition F1 of trees, in one normal form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vitrine.language.folding import fold
from vitrine.tree.model import Group, Node, Rule
from vitrine.tree.walk import canonical

Condition = tuple[str, str, str]
_ONE = {
    "vocab_text_equals": "equals",
    "vocab_text_in": "equals",
    "in": "equals",
    "vocab_text_not_in": "not_equals",
    "not_in": "not_equals",
    "on_or_after": "greater_or_equal",
    "on_or_before": "less_or_equal",
    "after": "greater_than",
    "before": "less_than",
}


@dataclass(slots=True)
class Score:
    """Sums over the sentences of one file or language."""

    n: int = 0
    exact: int = 0
    met: int = 0
    said: int = 0
    asked: int = 0
    same: int = 0
    judged: int = 0
    times: list[float] = field(default_factory=list)

    def add(self, found: Group, wanted: Group) -> bool:
        """Compare a tree with its gold; tell whether they are the same."""
        ours, theirs = Counter(conditions(found)), Counter(conditions(wanted))
        equal = bool(normal(found) == normal(wanted))
        self.n += 1
        self.exact += equal
        self.met += (ours & theirs).total()
        self.said += ours.total()
        self.asked += theirs.total()
        return equal

    def add_results(self, *, same: bool) -> None:
        """Count whether both trees found the same records."""
        self.judged += 1
        self.same += same

    @property
    def figures(self) -> dict[str, float]:
        """Give the shares, rounded; what was not measured is left out."""
        if not self.n:
            return {}
        figures: dict[str, float] = {
            "n": self.n,
            "exact": round(self.exact / self.n, 3),
            "condition_f1": round(f1(self.met, self.said, self.asked), 3),
        }
        if self.judged:
            figures["same_result"] = round(self.same / self.judged, 3)
        return figures | quantiles(self.times)


def quantiles(times: list[float]) -> dict[str, float]:
    """Give the median and the 95th percentile of milliseconds, if there are any."""
    if not times:
        return {}
    ordered = sorted(times)
    return {
        "ms_p50": round(ordered[len(ordered) // 2], 2),
        "ms_p95": round(ordered[int(len(ordered) * 0.95)], 2),
    }


def f1(met: int, said: int, asked: int) -> float:
    """Give the harmonic mean of precision and recall from three counts."""
    return 2 * met / (said + asked) if said + asked else 1.0


def normal(tree: Group) -> Any:
    """Give a comparable form: canonical, folded, without regard to spelling."""
    return _normal(canonical(tree))


def _normal(node: Node) -> Any:
    if isinstance(node, Rule):
        values = sorted(_plain(v) for v in _listed(node.value))
        return ("rule", node.field, _ONE.get(node.operator, node.operator), *values)
    rules = sorted((_normal(rule) for rule in node.rules), key=repr)
    return ("group", node.operator, node.negated, *rules)


def conditions(tree: Group) -> Iterator[Condition]:
    """Yield each value of each leaf as a condition of its own."""
    yield from _conditions(tree, denied=False)


def _conditions(node: Node, *, denied: bool) -> Iterator[Condition]:
    if isinstance(node, Group):
        for rule in node.rules:
            yield from _conditions(rule, denied=denied is not node.negated)
        return
    operator = _ONE.get(node.operator, node.operator)
    if denied and operator == "equals":
        operator = "not_equals"
    if operator == "between" and len(_listed(node.value)) == 2:
        low, high = _listed(node.value)
        yield node.field, "greater_or_equal", _plain(low)
        yield node.field, "less_or_equal", _plain(high)
        return
    for value in _listed(node.value) or [None]:
        yield node.field, operator, _plain(value)


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _plain(value: Any) -> str:
    text = fold(str(value))
    try:
        return f"{float(text):g}"
    except ValueError:
        return text

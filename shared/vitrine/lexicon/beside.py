"""Amounts beside the names of fields: "29 cuts", "a total of more than 4".

A name takes the amount next to it, the one behind it first. What is said so says more
than any unit or sample, so a year, a percentage or a price fits a plain number too.
A second bound that "and" or "but" joins to the first is of the same field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from vitrine.language.quantities import Comparison
from vitrine.lexicon import placing, swaps
from vitrine.lexicon.marks import akin, joint, mark
from vitrine.lexicon.measures import Measure
from vitrine.lexicon.sentence import Find, Mention, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Rule

FAR = 4
"""Small words between a name and its amount."""
BACK = 0.5
"""What an amount before a name counts as further away than one behind it."""
_YEAR = re.compile(r"(?:(since|after|before|until) )?(\d{4})")
_YEARLY = {
    "since": "greater_or_equal",
    "after": "greater_than",
    "before": "less_than",
    "until": "less_or_equal",
}


def bind(said: Sentence, today: date) -> set[int]:
    """Give amounts to the names beside them; tell which mentions are served."""
    used: set[int] = set()
    for _, mention, find in sorted(_pairs(said), key=lambda p: (p[0], p[1].start)):
        if mention.start in used or find not in said.finds:
            continue
        rule = _fitting(said, mention.fields, find, today)
        if rule is None:
            continue
        rule = _compared(said, mention, find, rule)
        rule = swaps.kept(said, rule) if find.what.bare else rule
        used.add(mention.start)
        _settle(said, find, rule, (mention.start, mention.end))
        _follow(said, find, rule, today)
    return used


def _pairs(said: Sentence) -> Iterator[tuple[float, Mention, Find]]:
    for mention in said.names:
        if mention.asked or not any(f.type in placing.MEASURED for f in mention.fields):
            continue
        amounts = [find for find in said.finds if isinstance(find.what, Measure)]
        for find in amounts:
            gap = _gap(said, mention, find)
            if gap is not None:
                yield gap, mention, find


def _gap(said: Sentence, mention: Mention, find: Find) -> float | None:
    """Count the small words between a name and an amount; None where they part."""
    if mention.end <= find.start:
        between, path = range(mention.end, find.start), "questions/forth"
    elif find.end <= mention.start:
        between, path = range(find.end, mention.start), "questions/back"
    else:
        return None
    if len(between) > FAR or not all(_quiet(said, at, path) for at in between):
        return None
    return len(between) + (BACK if path == "questions/back" else 0)


def _quiet(said: Sentence, at: int, path: str) -> bool:
    """Tell a word that parts nothing: a link, or one that every field could have."""
    return bool(mark(said, at, path)) or akin(said, at, "generic") or _minus(said, at)


def _minus(said: Sentence, at: int) -> bool:
    """Tell a sign that touches the number behind it, which has been read with it."""
    after = said.found[at + 1] if at + 1 < len(said.found) else None
    touches = after is not None and said.found[at].end == after.start
    return touches and said.found[at].folded in {"-", "+", "#", "$"}


def _fitting(
    said: Sentence, fields: Sequence[Field], find: Find, today: date
) -> Rule | None:
    for field in fields:
        rule = None
        if placing.holds(field, find.what, said):
            rule = placing.rule(field, find.what, today, said)
        elif field.type is FieldType.NUMBER:
            rule = _plain(field, find.what)
        if rule:
            return rule
    return None


def _plain(field: Field, measure: Measure) -> Rule | None:
    """Read a year, a price or a percentage as the number that a field keeps."""
    if measure.period and (year := _YEAR.fullmatch(measure.period)):
        return Rule(field.key, _YEARLY.get(year[1], "equals"), int(year[2]))
    comparison = measure.comparison
    if comparison is None or field.unit or field.currency:
        return None
    return placing.compared(field, _bare(comparison))


def _bare(comparison: Comparison) -> Comparison:
    low, high = comparison.low, comparison.high
    return replace(
        comparison,
        low=replace(low, unit=None, currency=None),
        high=replace(high, unit=None, currency=None) if high else None,
    )


def _compared(said: Sentence, mention: Mention, find: Find, rule: Rule) -> Rule:
    """Take a comparison that stands before the name: "after week 9"."""
    if rule.operator != "equals" or mention.start > find.start or not mention.start:
        return rule
    for path, operator in _ORDERS.items():
        for size in (3, 2, 1):
            at = mention.start - size
            if at >= 0 and mark(said, at, path) == mention.start:
                return replace(rule, operator=operator)
    return rule


_ORDERS = {
    "comparison/before/greater_than": "greater_than",
    "comparison/before/less_than": "less_than",
    "comparison/before/greater_or_equal": "greater_or_equal",
    "comparison/before/less_or_equal": "less_or_equal",
    "periods/bounds/after": "greater_than",
    "periods/bounds/before": "less_than",
}


def _settle(said: Sentence, find: Find, rule: Rule, name: tuple[int, int]) -> None:
    """Put a rule in the place of an amount and the name beside it."""
    field = said.registry.filters[rule.field]
    start, end = min(find.start, name[0]), max(find.end, name[1])
    claimed = replace(
        find,
        start=start,
        end=end,
        kind="value",
        options=((field, rule.value),),
        what=rule,
    )
    claim(said, claimed)


def claim(said: Sentence, find: Find) -> None:
    """Settle a find, over whatever else was proposed for its tokens."""
    said.finds = [f for f in said.finds if f.end <= find.start or find.end <= f.start]
    said.settle([find])


def _follow(said: Sentence, first: Find, rule: Rule, today: date) -> None:
    """Give a joined second bound to the same field: "over 5 and under 10"."""
    field = said.registry.filters[rule.field]
    served = next(f for f in said.finds if f.start <= first.start < f.end)
    second = next((f for f in said.finds if f.start >= served.end), None)
    if second is None or not isinstance(second.what, Measure):
        return
    if not _joined(said, served.end, second, rule):
        return
    other = _fitting(said, (field,), second, today)
    if other:
        _settle(said, second, other, (second.start, second.end))


def _joined(said: Sentence, start: int, second: Find, rule: Rule) -> bool:
    """Tell whether a further amount is joined to one, and no name is beside it."""
    if second.start != start + 1 or any(
        _gap(said, m, second) is not None for m in said.names
    ):
        return False
    bare = second.what.bare
    keys = ("or",) if bare else ("and", "but", "or")
    exact = rule.operator == "equals" or not bare
    return exact and any(joint(said, start, key) for key in keys)

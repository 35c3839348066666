"""From finds to a rule tree: lists, alternatives, negations, one root AND.

Values of one field that "or", "and" or a comma joins are a list: any of them, or all
where the field holds several and "or" was not said. An "or" between two phrases that
name the same fields again parts the sentence into two groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from vitrine.language.words import words
from vitrine.lexicon.marks import ends, joint
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.model import Group, Node, Rule

ONE = {
    FieldType.VOCABULARY: "vocab_text_equals",
    FieldType.TEXT: "contains",
    FieldType.RELATION: "with_role",
    FieldType.COLOUR: "near",
}
MANY = {
    FieldType.VOCABULARY: "vocab_text_in",
    FieldType.KEYWORD: "in",
    FieldType.ORIENTATION: "in",
    FieldType.IDENTIFIER: "in",
    FieldType.RELATION: "with_role",
}
NONE = {
    FieldType.VOCABULARY: "vocab_text_not_in",
    FieldType.KEYWORD: "not_in",
    FieldType.RELATION: "without_role",
}
_KINDS = frozenset({"value", "person"})
_CLOSED = frozenset({FieldType.VOCABULARY, FieldType.KEYWORD})


def assemble(said: Sentence) -> tuple[Node, ...]:
    """Give the members of the root AND."""
    finds = _needed([f for f in said.finds if f.kind in _KINDS])
    cut = _parted(said, finds)
    if not cut:
        return _group(said, finds)
    end = _shared(said, finds, cut)
    sides = (_group(said, finds[:cut]), _group(said, finds[cut:end]))
    either = Group("or", tuple(_wrapped(side) for side in sides))
    return (either, *_group(said, finds[end:]))


def _needed(finds: list[Find]) -> list[Find]:
    """Leave out what follows anyhow: "in black, not in white" of a single colour."""
    held = {f.field.key for f in finds if f.field and not f.negated and _single(f)}
    told = [f for f in finds if f.negated and _single(f)]
    needless = [f for f in told if f.field and f.field.key in held]
    return [f for f in finds if f not in needless]


def _single(find: Find) -> bool:
    """Tell a listed value of which a thing has one: a relation has several."""
    field = find.field if find.what is None else None
    return field is not None and field.type in _CLOSED and not field.multi


def _shared(said: Sentence, finds: Sequence[Find], cut: int) -> int:
    """Find where what counts for both sides begins: behind a comma after the second."""
    for at in range(cut + 1, len(finds)):
        between = range(finds[at - 1].end, finds[at].start)
        if any(ends(said, place) for place in between):
            return at
    return len(finds)


def _wrapped(nodes: tuple[Node, ...]) -> Node:
    return nodes[0] if len(nodes) == 1 else Group("and", nodes)


def _parted(said: Sentence, finds: Sequence[Find]) -> int:
    """Find the "or" that starts a second phrase of the same kind, 0 for none."""
    for at in range(1, len(finds)):
        left, right = finds[at - 1], finds[at]
        if not _linked(said, left, right, "or") or _same(left, right):
            continue
        before = {f.field.key for f in finds[:at] if f.field}
        after = {f.field.key for f in finds[at:] if f.field}
        if before & after:
            return at
    return 0


def _same(left: Find, right: Find) -> bool:
    return (
        left.field is not None
        and right.field is not None
        and (right.offers(left.field.key) or left.offers(right.field.key))
    )


def _linked(said: Sentence, left: Find, right: Find, key: str) -> bool:
    return any(joint(said, at, key) for at in range(left.end, right.start))


def _group(said: Sentence, finds: Sequence[Find]) -> tuple[Node, ...]:
    either = _either(said, finds)
    if either is None:
        return tuple(node for run in _runs(finds) for node in _nodes(said, run))
    left, right = finds[either - 1], finds[either]
    sides = tuple(_wrapped(tuple(_nodes(said, [one]))) for one in (left, right))
    rest = [f for f in finds if f is not left and f is not right]
    return (*_group(said, rest), Group("or", sides))


def _either(said: Sentence, finds: Sequence[Find]) -> int | None:
    """Find two phrases of different fields that an "or" parts: any of them will do."""
    if not said.tabular:
        return None
    for at in range(1, len(finds)):
        left, right = finds[at - 1], finds[at]
        alike = left.field and right.field and left.field.key == right.field.key
        if not alike and _linked(said, left, right, "or"):
            return at
    return None


def _runs(finds: Sequence[Find]) -> Iterator[list[Find]]:
    """Collect the finds of one field and one polarity, in the order of the first."""
    runs: list[list[Find]] = []
    for find in finds:
        home = next((run for run in runs if _belongs(run, find)), None)
        if home is None:
            runs.append([find])
        else:
            home.append(find)
    yield from runs


def _belongs(run: list[Find], find: Find) -> bool:
    head = run[0]
    if head.negated is not find.negated or head.field is None:
        return False
    same = find.field is not None and find.field.key == head.field.key
    return same and _listable(head) == _listable(find)


def _listable(find: Find) -> bool:
    return not isinstance(find.what, Rule) or find.kind == "person"


def _nodes(said: Sentence, run: list[Find]) -> Iterator[Node]:
    field = run[0].field
    if field is None:
        return
    if isinstance(run[0].what, Rule):
        yield from _ruled(said, run)
        return
    run = _modified(said, run)
    values = tuple(dict.fromkeys(v for f in run for v in f.values))
    if run[0].negated:
        yield from _denied(field, values)
    elif field.multi and not any(map(_ors(said, run), range(1, len(run)))):
        yield from (one(field, value) for value in values)
    else:
        yield any_of(field, values)


def _modified(said: Sentence, run: list[Find]) -> list[Find]:
    """Keep the modifier of two single values that touch: "lost clients" are lost.

    English puts it first, French last; colours that touch stay a list.
    """
    field = run[0].field
    pair = len(run) == 2 and run[0].end == run[1].start  # noqa: PLR2004 - two values
    if not pair or field is None or field.multi or _coloured(said, run[0]):
        return run
    return run[:1] if words(said.lang, "colours/modifier_first") else run[1:]


def _coloured(said: Sentence, find: Find) -> bool:
    senses = (s for g in said.rows[find.start] for s in g.senses)
    return any(sense.startswith("k:") for sense in senses)


def _ors(said: Sentence, run: list[Find]) -> Any:
    return lambda at: _linked(said, run[at - 1], run[at], "or")


def one(field: Field, value: Any) -> Rule:
    """Give the rule that a field has a value."""
    return Rule(field.key, ONE.get(field.type, "equals"), value)


def any_of(field: Field, values: tuple[Any, ...]) -> Node:
    """Give the rule or group that a field has one of the values."""
    if len(values) == 1:
        return one(field, values[0])
    if field.type in MANY:
        return Rule(field.key, MANY[field.type], values)
    return Group("or", tuple(one(field, value) for value in values))


def _denied(field: Field, values: tuple[Any, ...]) -> Iterator[Node]:
    """Deny each value: by the field's own operator, or by a negated group."""
    if field.type is FieldType.BOOLEAN:
        yield Rule(field.key, "equals", not values[0])
    elif field.type in NONE:
        yield Rule(field.key, NONE[field.type], values)
    elif field.type is FieldType.TEXT:
        yield from (Rule(field.key, "not_contains", value) for value in values)
    else:
        yield from (Group("and", (one(field, v),), negated=True) for v in values)


def _rule(find: Find) -> Rule:
    """Give a find's own rule; a value among names of people says that it is so."""
    if isinstance(find.what, Rule) or find.field is None:
        return find.what  # type: ignore[no-any-return] # the rule that a pass wrote
    return one(find.field, find.value)


def _ruled(said: Sentence, run: list[Find]) -> Iterator[Node]:
    """Give rules that a pass wrote: alternatives where "or" joins them."""
    rules = list(dict.fromkeys(map(_rule, run)))
    if run[0].negated:
        yield from (_without(rule, run[0].field) for rule in rules)
        return
    rules = list(_decades(rules))
    joined = any(map(_ors(said, run), range(1, len(run))))
    periods = len(rules) > 1 and all(
        r.operator == rules[0].operator in _SPANS for r in rules
    )
    if len(rules) > 1 and (joined or periods or run[0].kind == "person"):
        yield Group("or", tuple(rules))
    else:
        yield from rules


_SPANS = frozenset({"in_period", "between", "equals"})
_OTHERS = {
    "greater_than": "less_or_equal",
    "less_or_equal": "greater_than",
    "less_than": "greater_or_equal",
    "greater_or_equal": "less_than",
}
_FLIPPED = {"since": "before", "after": "until", "before": "since", "until": "after"}


def _without(rule: Rule, field: Field | None) -> Node:
    """Deny a rule: "not since June" is "before June", "no taller than 30" at most 30.

    A negated group would let through what has no value, and nobody means that.
    """
    if field and field.type in NONE and rule.operator == ONE.get(field.type, "equals"):
        return Rule(field.key, NONE[field.type], (rule.value,))
    if rule.operator == "in_period":
        bound, space, atom = str(rule.value).partition(" ")
        if space and bound in _FLIPPED:
            return Rule(rule.field, rule.operator, f"{_FLIPPED[bound]} {atom}")
    if rule.operator == "equals" and isinstance(rule.value, bool):
        return Rule(rule.field, "equals", not rule.value)
    if rule.operator in _OTHERS:
        return Rule(rule.field, _OTHERS[rule.operator], rule.value)
    return Group("and", (rule,), negated=True)


def _decades(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Read "the 1960s and 1970" as two decades."""
    decade = False
    for rule in rules:
        year = rule.value if rule.operator == "equals" else None
        if decade and isinstance(year, int) and year % 10 == 0:
            yield Rule(rule.field, "between", (year, year + 9))
            continue
        low, high = rule.value if rule.operator == "between" else (0, 0)
        decade = isinstance(low, int) and low > 0 and high == low + 9
        yield rule

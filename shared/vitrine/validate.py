"""The second look at a tree: each leaf against the registry of the caller's profile.

The first look (``tree.parse``) knows shapes, this one knows fields. Nothing is dropped
or widened: a leaf is read without loss, or the whole tree is refused, with every
fault at once and what would be right. JSON in, JSON out; a checked tree checks to
itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from vitrine.language.words import FALLBACK
from vitrine.problems import Fault, Invalid
from vitrine.registry.capabilities import editable
from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.tree import names
from vitrine.tree.model import DEPTH, LEAVES, SERIALISED, Group, Rule
from vitrine.tree.parse import parse, serialised
from vitrine.tree.readers import Context, Remedy, Unfit
from vitrine.tree.values import Unfits, normalised
from vitrine.tree.walk import extent, keep

FAULTS = 50
"""More would help nobody and cost a model's whole context."""
SEARCHES = 10
"""The nearest name in a long list costs milliseconds: a tree may ask so often."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The normalised tree, and every fault; it may run only without faults."""

    tree: Group
    faults: tuple[Fault, ...] = ()

    @property
    def valid(self) -> bool:
        """Tell whether the tree may run."""
        return not self.faults

    def require(self) -> Group:
        """Give the tree, or raise ``Invalid`` with the faults."""
        if self.faults:
            raise Invalid(self.faults)
        return self.tree


def check(
    raw: Any,
    registry: Registry,
    *,
    today: date,
    language: str = FALLBACK,
    ids: bool = False,
    loose: bool = False,
    pointer: str = "",
) -> Checked:
    """Parse decoded JSON and validate it, with the faults of both looks at once."""
    parsed = parse(raw, pointer, loose=loose)
    checked = validate(
        parsed.tree,
        registry,
        today=today,
        language=language,
        ids=ids,
        loose=loose,
        pointer=pointer,
    )
    later = checked.faults
    if parsed.wrapped:
        later = tuple(_unwrapped(fault, pointer) for fault in later)
    # What could not be read stands as an empty group; its second fault would only be
    # noise.
    fresh = (fault for fault in later if parsed.fits(fault.pointer))
    return Checked(checked.tree, (*parsed.faults, *fresh)[:FAULTS])


def _unwrapped(fault: Fault, pointer: str) -> Fault:
    """Point into the lone rule that was sent, not into the group around it."""
    inner = fault.pointer.removeprefix(f"{pointer}/rules/0")
    return replace(fault, pointer=f"{pointer}{inner}")


def validate(
    tree: Group,
    registry: Registry,
    *,
    today: date,
    language: str = FALLBACK,
    ids: bool = False,
    loose: bool = False,
    pointer: str = "",
) -> Checked:
    """Check each leaf for a profile and normalise its value.

    ``ids`` admits the editor's id operators; models and agents never get them.
    ``loose`` is for what is to be removed: operator and value may be missing, and a
    value that can't be read stays as it was said. An empty group says nothing and
    is left out.
    """
    judge = _Judge(Context(registry, language, today), [], ids=ids, loose=loose)
    checked = judge.group(tree, pointer)
    faults = [*_oversized(checked, pointer), *judge.faults]
    return Checked(keep(checked, lambda _: True), tuple(faults[:FAULTS]))


def _oversized(tree: Group, pointer: str) -> Iterator[Fault]:
    depth, count = extent(tree)
    if depth > DEPTH:
        yield Fault(pointer, "too_deep", f"Groups nest at most {DEPTH} deep.")
    if count > LEAVES:
        yield Fault(pointer, "too_many", f"A tree has at most {LEAVES} rules.")
    if serialised(tree) > SERIALISED:
        yield Fault(pointer, "too_big", f"The tree exceeds {SERIALISED} bytes.")


@dataclass(slots=True)
class _Judge:
    """One pass over one tree."""

    context: Context
    faults: list[Fault]
    ids: bool
    loose: bool
    searches: int = 0

    def group(self, group: Group, pointer: str) -> Group:
        rules = tuple(
            self.group(child, f"{pointer}/rules/{index}")
            if isinstance(child, Group)
            else self.rule(child, f"{pointer}/rules/{index}")
            for index, child in enumerate(group.rules)
        )
        return Group(group.operator, rules, group.negated)

    def rule(self, rule: Rule, pointer: str) -> Rule:
        # A field that the profile may not filter by isn't in this map at all, so that
        # it gets the very answer of one that never existed.
        field = self.context.registry.filters.get(rule.field)
        if field is None:
            self.fault(
                f"{pointer}/field",
                "unknown_field",
                f"There is no filter `{rule.field}` here.",
                lambda: names.field_remedy(rule.field, self.context.registry),
            )
            return rule
        if not self.allowed(rule, field, pointer):
            return rule
        return self.valued(rule, field, f"{pointer}/value")

    def allowed(self, rule: Rule, field: Field, pointer: str) -> bool:
        if self.loose and not rule.operator:
            return True
        registry = self.context.registry
        operators = registry.operators(field.key)
        if self.ids:
            operators = editable(registry.engine, field.type)
        if rule.operator in operators:
            return True
        known = rule.operator in names.KNOWN_OPERATORS
        self.fault(
            f"{pointer}/operator",
            "operator_not_here" if known else "unknown_operator",
            f"`{field.key}` has no operator `{rule.operator}`.",
            names.operator_remedy(rule.operator, operators),
        )
        return False

    def valued(self, rule: Rule, field: Field, pointer: str) -> Rule:
        if self.loose and (rule.value is None or not rule.operator):
            return rule
        try:
            return normalised(rule, field, self.context)
        except Unfits as refused:
            if not self.loose:
                self.refuse(refused, field, pointer)
            return rule

    def refuse(self, refused: Unfits, field: Field, pointer: str) -> None:
        for unfit in refused.unfits:
            message = _about(field, unfit)
            self.fault(f"{pointer}{unfit.at}", unfit.code, message, unfit.remedy)

    def fault(self, pointer: str, code: str, message: str, remedy: Remedy) -> None:
        if not isinstance(remedy, str):
            self.searches += 1
            remedy = remedy() if self.searches <= SEARCHES else ""
        self.faults.append(Fault(pointer, code, message, remedy))


def _about(field: Field, unfit: Unfit) -> str:
    """Name the field once in the sentence."""
    message = str(unfit)
    return message if message.startswith(field.key) else f"{field.key}: {message}"

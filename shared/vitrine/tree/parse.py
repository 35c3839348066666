"""Raw JSON becomes a rule tree, or a list of everything that is wrong with it.

The input is hostile: nothing here recurses deeper than the tree may be, reads more
leaves than it may have, or repairs what it does not understand. A part that can't be
read stays in its place as an empty group, so that pointers of later faults hold.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vitrine.problems import Fault
from vitrine.tree.model import (
    DEPTH,
    EMPTY,
    LEAVES,
    LIST,
    SERIALISED,
    STRING,
    Group,
    Node,
    Rule,
    dump,
)

GROUP_KEYS = frozenset({"type", "operator", "not", "rules"})
RULE_KEYS = frozenset({"type", "field", "operator", "value"})
MEMBERS = 4
"""Most keys of a value that is an object, such as ``{"hex": …, "tolerance": …}``."""
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")
WHOLE = 2**63
"""No engine keeps a larger integer."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree with everything that was wrong with its shape.

    ``wrapped`` tells that the input was a lone rule, now the only one of a group.
    """

    tree: Group
    faults: tuple[Fault, ...] = ()
    wrapped: bool = False

    def fits(self, pointer: str) -> bool:
        """Tell whether a later fault is no mere consequence of one found here."""
        return not any(
            pointer == fault.pointer or pointer.startswith(f"{fault.pointer}/")
            for fault in self.faults
        )


def parse(raw: Any, pointer: str = "", *, loose: bool = False) -> Parsed:
    """Read decoded JSON as a tree; never raise, and report all faults at once.

    ``loose`` lets a rule stand without operator: what is to be removed is often
    named by its field alone.
    """
    reader = _Reader(loose)
    node = reader.node(raw, pointer, 1)
    wrapped = isinstance(node, Rule)
    tree = node if isinstance(node, Group) else Group(rules=(node,))
    if not reader.faults and serialised(tree) > SERIALISED:
        reader.fault(pointer, "too_big", f"The tree exceeds {SERIALISED} bytes.")
    return Parsed(tree, tuple(reader.faults), wrapped)


def serialised(tree: Group) -> int:
    """Count the bytes of a tree as compact UTF-8 JSON."""
    text = json.dumps(dump(tree), ensure_ascii=False, separators=(",", ":"))
    return len(text.encode())


def decoded(raw: Any) -> Any:
    """Decode a JSON string once; give back what is no string or no JSON.

    Agents' hosts send objects and lists as encoded strings now and then.
    """
    if not isinstance(raw, str) or len(raw) > SERIALISED:
        return raw
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw


@dataclass(slots=True)
class _Reader:
    """One pass over one input: what was wrong, and how much was read."""

    loose: bool
    faults: list[Fault] = field(default_factory=list)
    nodes: int = 0
    leaves: int = 0

    def fault(self, pointer: str, code: str, message: str, remedy: str = "") -> None:
        self.faults.append(Fault(pointer, code, message, remedy))

    def node(self, raw: Any, pointer: str, depth: int) -> Node:
        self.nodes += 1
        raw = decoded(raw)
        if not isinstance(raw, Mapping):
            self.fault(
                pointer,
                "not_an_object",
                "A rule or a group is expected here.",
                'Send {"field": …, "operator": …, "value": …}.',
            )
            return EMPTY
        if "rules" in raw or raw.get("type") == "group":
            return self.group(raw, pointer, depth)
        return self.rule(raw, pointer)

    def group(self, raw: Mapping[str, Any], pointer: str, depth: int) -> Group:
        if depth > DEPTH:
            self.fault(
                pointer,
                "too_deep",
                f"Groups nest at most {DEPTH} deep.",
                "Merge groups that share their operator.",
            )
            return EMPTY
        self.keys(raw, GROUP_KEYS, pointer)
        if raw.get("type", "group") != "group":
            self.fault(f"{pointer}/type", "bad_type", 'A group\'s type is "group".')
        operator, negated = raw.get("operator", "and"), raw.get("not", False)
        if operator not in ("and", "or"):
            self.fault(
                f"{pointer}/operator",
                "unknown_operator",
                "A group's operator is not known.",
                'Use "and" or "or".',
            )
            operator = "and"
        if not isinstance(negated, bool):
            self.fault(f"{pointer}/not", "bad_value", '"not" is true or false.')
        return Group(operator, self.rules(raw, pointer, depth), negated is True)

    def rules(
        self, raw: Mapping[str, Any], pointer: str, depth: int
    ) -> tuple[Node, ...]:
        members = decoded(raw.get("rules"))
        if not isinstance(members, list | tuple):
            self.fault(f"{pointer}/rules", "missing_value", '"rules" is a list.')
            return ()
        found: list[Node] = []
        for index, member in enumerate(members):
            # Empty groups hold no leaf and are work all the same: nodes have their own
            # bound.
            if self.leaves >= LEAVES or self.nodes >= LEAVES * DEPTH:
                self.crowded(pointer)
                break
            found.append(self.node(member, f"{pointer}/rules/{index}", depth + 1))
        return tuple(found)

    def crowded(self, pointer: str) -> None:
        if any(fault.code == "too_many" for fault in self.faults):
            return
        self.fault(
            f"{pointer}/rules",
            "too_many",
            f"A tree has at most {LEAVES} rules.",
            "Use a list operator such as in for several values of one field.",
        )

    def rule(self, raw: Mapping[str, Any], pointer: str) -> Node:
        self.leaves += 1
        self.keys(raw, RULE_KEYS, pointer)
        if raw.get("type", "rule") != "rule":
            self.fault(f"{pointer}/type", "bad_type", 'A rule\'s type is "rule".')
        bare = self.loose and raw.get("operator") in (None, "")
        key = self.name(raw, "field", pointer)
        operator = "" if bare else self.name(raw, "operator", pointer)
        value = self.value(raw.get("value"), f"{pointer}/value")
        return Rule(key, operator, value) if key and (operator or bare) else EMPTY

    def name(self, raw: Mapping[str, Any], key: str, pointer: str) -> str:
        name = raw.get(key)
        if isinstance(name, str) and 0 < len(name) <= STRING and clean(name):
            return name
        self.fault(
            f"{pointer}/{key}", "missing_value", f'A rule needs "{key}", as a string.'
        )
        return ""

    def keys(self, raw: Mapping[str, Any], known: frozenset[str], pointer: str) -> None:
        # An object of ten thousand strange keys is one mistake, not ten thousand
        # answers.
        for key in [k for k in raw if k not in known][:MEMBERS]:
            self.fault(
                f"{pointer}/{escaped(key)}",
                "unknown_key",
                f"The key {str(key)[:40]!r} is not known here.",
                f"The keys are {', '.join(sorted(known))}.",
            )

    def value(self, raw: Any, pointer: str) -> Any:
        if isinstance(raw, list | tuple):
            return self.items(raw, pointer)
        if isinstance(raw, Mapping):
            return self.members(raw, pointer)
        return self.scalar(raw, pointer)

    def items(self, raw: list[Any] | tuple[Any, ...], pointer: str) -> Any:
        if len(raw) > LIST:
            self.fault(
                pointer,
                "too_many",
                f"A list has at most {LIST} values.",
                "Split the list, or ask for fewer values.",
            )
            return ()
        return tuple(
            self.members(item, f"{pointer}/{index}")
            if isinstance(item, Mapping)
            else self.scalar(item, f"{pointer}/{index}")
            for index, item in enumerate(raw)
        )

    def members(self, raw: Mapping[str, Any], pointer: str) -> Any:
        if len(raw) > MEMBERS:
            self.fault(pointer, "bad_value", "An object is no value here.")
            return None
        return {
            str(key)[:STRING]: self.scalar(value, f"{pointer}/{escaped(key)}")
            for key, value in raw.items()
        }

    def scalar(self, raw: Any, pointer: str) -> Any:
        if isinstance(raw, str):
            return self.string(raw, pointer)
        if raw is None or isinstance(raw, bool):
            return raw
        # JSON knows no largest integer, and Python would carry a thousand digits to an
        # engine.
        whole = isinstance(raw, int) and -WHOLE <= raw < WHOLE
        if whole or (isinstance(raw, float) and math.isfinite(raw)):
            return raw
        number = isinstance(raw, int | float)
        self.fault(
            pointer,
            "bad_value",
            "The number is too large." if number else "A plain value is expected here.",
        )
        return None

    def string(self, raw: str, pointer: str) -> str:
        if len(raw) > STRING:
            self.fault(
                pointer,
                "too_long",
                f"A string has at most {STRING} characters.",
                "Shorten it to its most telling words.",
            )
            return ""
        if not clean(raw):
            self.fault(pointer, "bad_value", "The string holds an unusable character.")
            return ""
        return raw


def clean(text: str) -> bool:
    """Tell whether a string can be stored: no NUL, no lone surrogate."""
    return _UNUSABLE.search(text) is None


def escaped(key: Any) -> str:
    """Write a key as a token of a JSON pointer, cut at 40 characters."""
    text = str(key)[:40].encode("utf-8", "replace").decode()
    return text.replace("~", "~0").replace("/", "~1")

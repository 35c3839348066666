"""What an attacker sees of a search tool, and what is asked of it.

Attackers are generators: they yield questions and are sent replies, so that the same
one runs against the naive tool, one identity, fifty in turn, or day after day.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

Rule = Mapping[str, Any]
PAGE = 10
DRAINED = 30
"""What three pages show."""


@dataclass(frozen=True, slots=True)
class Question:
    """One call: words, rules that must all hold, the page's size, and a cursor.

    ``count`` asks for numbers alone.
    """

    rules: tuple[Rule, ...] = ()
    words: str = ""
    limit: int = PAGE
    cursor: str | None = None

    @property
    def tree(self) -> dict[str, Any]:
        """Give it as a rule tree."""
        said = [words(self.words)] if self.words else []
        return group(*said, *self.rules)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was told: ``exact``, ``about``, ``at_least``, ``fewer_than``."""

    number: int = 0
    kind: str = "at_least"

    @property
    def exactly(self) -> int | None:
        """Give it where it is the plain truth."""
        return self.number if self.kind == "exact" else None

    def above(self, limit: int) -> bool:
        """Tell whether it is certainly more than ``limit``."""
        return self.kind != "fewer_than" and self.number > limit


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; ``refused`` is the code and the budget of a refusal.

    ``page`` is the size of the page that was asked for.
    """

    hits: Sequence[Mapping[str, Any]] = ()
    total: Number = Number()
    facets: Mapping[str, Mapping[str, Number]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    cursor: str | None = None
    refused: str = ""
    body: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    page: int = PAGE

    @property
    def short(self) -> bool:
        """Tell whether the page was not filled, so that there is no more."""
        return len(self.hits) < self.page


Crawl = Generator[Question, Reply, None]


class Tool(Protocol):
    """A search tool as one attacker has it; ``seen`` are the handles learnt."""

    calls: int
    seen: dict[str, Mapping[str, Any]]

    def ask(self, question: Question) -> Reply:
        """Put one question."""
        ...


def rule(field: str, operator: str, value: Any = None) -> dict[str, Any]:
    """Write a rule as JSON."""
    bare = {"field": field, "operator": operator}
    return bare if value is None else bare | {"value": value}


def group(*rules: Rule, operator: str = "and") -> dict[str, Any]:
    """Write a group as JSON."""
    return {"type": "group", "operator": operator, "rules": list(rules)}


def words(text: str) -> dict[str, Any]:
    """Write a full-text rule as JSON."""
    return rule("full_text_search", "keyword_search", text)

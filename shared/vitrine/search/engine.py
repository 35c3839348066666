"""What ``search`` asks of an engine, and what an engine gives back.

An engine returns ``Hits`` and never an answer: only ``disclosure.release`` turns
hits into something that leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vitrine.caller import Caller
from vitrine.registry.fields import Field
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.tree.conditions import Condition, Text

Mode = Literal["strict", "typo", "prefix", "partial", "semantic"]
"""How a text was met: by all its words, by them corrected, as beginnings of words, by
some of a sentence's words, by its meaning."""
Position = tuple[str | int | float, ...]
"""Where a page ends: an engine's own values, opaque to all but it; sealed outside."""


@dataclass(frozen=True, slots=True)
class Sort:
    """A field to order by, in place of relevance; rows without a value come last."""

    field: Field
    descending: bool = False

    @property
    def written(self) -> str:
        """Write it as it is asked for: the key, after ``-`` where it falls."""
        return f"-{self.field.key}" if self.descending else self.field.key


@dataclass(frozen=True, slots=True)
class Query:
    """One page of a search.

    ``condition`` holds the filters without the text; ``text`` is the root's text
    leaf, on which alone the ladder is decided. A text leaf below the root stays in
    ``condition`` and is strict.
    ``mode`` is fixed on later pages; None lets the ladder decide.
    ``limit`` 0 asks for total and facets alone.
    ``sort`` is the order that the caller chose, None for relevance or the source's own.
    """

    caller: Caller
    registry: Registry
    condition: Condition
    text: Text | None = None
    limit: int = 10
    after: Position | None = None
    mode: Mode | None = None
    facets: tuple[str, ...] = ()
    sort: Sort | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One stored document: the engine's id and its fields, private ones included."""

    id: str
    values: Mapping[str, Any]
    mode: Mode = "strict"


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found: a page of rows, and what really ran.

    ``exact`` tells whether ``total`` is the number or a lower bound.
    ``fallback`` is the term that was searched instead of ``original``.
    ``next`` is where the following page begins, None on the last; ``end`` is where a
    full page ends, whether anything follows or not.
    ``facets`` are counts over the whole result, most frequent first.
    ``notes`` are stable codes of what was not done as asked ("keyword_only").
    """

    rows: tuple[Row, ...] = ()
    total: int = 0
    exact: bool = True
    mode: Mode = "strict"
    original: str | None = None
    fallback: str | None = None
    facets: Mapping[str, tuple[tuple[str, int], ...]] | None = None
    next: Position | None = None
    notes: tuple[str, ...] = ()
    end: Position | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A readable label to be found in a vocabulary that the caller may see."""

    field: str
    label: str


@dataclass(frozen=True, slots=True)
class Found:
    """The stored ids that a label means, their labels, or the nearest ones.

    ``ids`` is empty where nothing is close enough; ``nearest`` then helps.
    """

    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """A number of documents, exact or a lower bound."""

    number: int
    exact: bool = True


class Embedder(Protocol):
    """A model of meaning: texts become vectors of one length, near where they agree.

    What follows is measured for each model, so that hybrid search never ranks below
    keyword search: ``weight`` is what the order by meaning counts beside the order by
    words, ``reach`` the cosine distance up to which a document means the same.
    """

    @property
    def name(self) -> str:
        """Name the model; a manifest names the one that made its vectors."""
        ...

    @property
    def weight(self) -> float:
        """Give the weight of meaning in the fusion; words weigh 1."""
        ...

    @property
    def reach(self) -> float:
        """Give the farthest distance that still counts."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Give each text's vector, or raise ``Unavailable`` within two seconds."""
        ...


class Sampler(Protocol):
    """What a schedule asks of a customer's engine, with more patience than a search."""

    def observe(self, caller: Caller, registry: Registry) -> Mapping[str, Sample]:
        """Observe each field's values among the rows that the caller may see."""
        ...

    def learn(self, caller: Caller, source: str) -> bool:
        """Refresh what is known of a source's words, where that is old.

        Tell whether anything was learnt.
        """
        ...


class LooksUp(Protocol):
    """What knows the meaning of labels."""

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Resolve labels, in order, among what the caller may see."""
        ...


class Engine(Protocol):
    """A customer's engine, asked for one thing in one round trip each."""

    def search(self, query: Query) -> Hits:
        """Find one page."""
        ...

    def count(self, query: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        """Count each condition alone over what the caller may see, capped."""
        ...

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Resolve readable labels to stored ids, in one statement."""
        ...

    def fetch(self, query: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        """Read known documents by id; those not visible are left out."""
        ...

"""How near words are to labels, by the embedded model, which links short texts well.

A provider's model would do as well, and cost a call for each sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

KEPT = 16
"""Lists of labels whose vectors stay in memory, as many as the lexicon's indexes."""


class Arrays(Protocol):
    """An embedder that gives its vectors, of length one, as an array."""

    def array(self, texts: Sequence[str]) -> Any:
        """Give one row for each text."""
        ...


@dataclass(frozen=True, slots=True)
class Nearness:
    """A ``lexicon.linking.Link`` that keeps what it worked out of labels.

    A published version's labels don't change, so that the list itself is the key.
    """

    model: Arrays
    kept: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def near(self, words: Sequence[str], labels: tuple[str, ...]) -> list[list[float]]:
        """Give, for each word, its cosine with each label."""
        found: list[list[float]] = (
            self.model.array(words) @ self._vectors(labels).T
        ).tolist()
        return found

    def _vectors(self, labels: tuple[str, ...]) -> Any:
        held = self.kept.get(labels)
        if held is None:
            held = self.model.array(labels)
            # the oldest goes: an environment serves few registries, and few versions
            if len(self.kept) >= KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[labels] = held
        return held

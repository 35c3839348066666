"""What an environment reads of the table once in a while, by tenant and source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from vitrine.problems import Unavailable

FRESH = 20.0
"""Seconds for which an environment believes what it has read; a minute is promised."""
_Held = TypeVar("_Held")


@dataclass
class Kept(Generic[_Held]):
    """Answers of ``look``, each read anew once it is old; the clock counts seconds.

    Where the store does not answer, what was read before holds; where nothing was,
    it is ``Unavailable``.
    """

    look: Callable[[str, str], _Held]
    clock: Callable[[], float]
    _known: dict[tuple[str, str], tuple[float, _Held]] = field(
        default_factory=dict, init=False
    )

    def get(self, tenant: str, source: str) -> _Held:
        """Give what is known of a source."""
        known = self._known.get((tenant, source))
        if known is not None and self.clock() - known[0] < FRESH:
            return known[1]
        # Taken before the look: what is read is at least as new as this.
        read_at = self.clock()
        try:
            held = self.look(tenant, source)
        except Unavailable:
            if known is None:
                raise
            # Old, and believed for another term: a store that is down is not asked by
            # every search on top.
            held = known[1]
        self._known[tenant, source] = read_at, held
        return held

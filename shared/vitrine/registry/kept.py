"""What is made of a part of a registry once, and kept while the part is.

Manifests, fields and registries hold mappings, so that they have no hash; each is
known by identity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

_Part = TypeVar("_Part")
_Made = TypeVar("_Made")


class Kept(Generic[_Part, _Made]):
    """Makes something of each part, and keeps ``most`` of them."""

    def __init__(self, make: Callable[[_Part], _Made], most: int) -> None:
        self._make, self._most = make, most
        self._held: dict[int, tuple[_Part, _Made]] = {}

    def of(self, part: _Part) -> _Made:
        """Give what was made of a part, making it at the first ask."""
        held = self._held.get(id(part))
        if held is not None and held[0] is part:
            return held[1]
        # All go at once: a registry that was published anew replaces all of its
        # parts, and a tally of uses would cost each hit more than a rare remake.
        if len(self._held) >= self._most:
            self._held.clear()
        made = self._make(part)
        # The part is held beside it: an id is given anew once its object has died.
        self._held[id(part)] = (part, made)
        return made

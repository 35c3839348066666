"""Where a page ends, in this engine's own values; sealed outside, checked here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from vitrine.problems import Fault, Invalid
from vitrine.search.engine import Mode, Position

_INSTANT = re.compile(r"\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_SHOWN = re.compile(r"([0-9a-f]{8})*")
_MODES = ("strict", "typo", "prefix", "partial", "semantic")
_PARTS = 9
SAID, NOTHING = "=", "-"
"""What stands before the value of a chosen order, and in place of one."""
MARK = 8
"""Digits that mark a row among those shown: two of 400 agree once in 50,000 walks."""
_MOST = 2**31


@dataclass(frozen=True, slots=True)
class Place:
    """The last row of a page: its order, and the text that found it.

    ``at`` keeps its microseconds: milliseconds lose or repeat rows. ``generation``
    names the statistics that ranked it: newer ones would order the rest anew.
    ``seen`` marks the rows shown, where places are no order to walk along.
    ``sorted`` is the value of an order that the caller chose, empty without one.
    """

    at: str
    id: str
    tier: int = 1
    score: float = 0.0
    mode: Mode = "strict"
    fallback: str = ""
    generation: int = 0
    seen: str = ""
    sorted: str = ""

    @property
    def shown(self) -> tuple[str, ...]:
        """Give the marks of the rows shown."""
        return tuple(self.seen[at : at + MARK] for at in range(0, len(self.seen), MARK))

    @property
    def position(self) -> Position:
        """Give the place as it goes into a cursor."""
        ranked = (self.tier, self.score, self.mode, self.fallback, self.generation)
        return (self.at, self.id, *ranked, self.seen, self.sorted)


def place_of(position: Position | None) -> Place | None:
    """Read a position back; raise ``Invalid`` where it is not one of ours."""
    if position is None:
        return None
    # Sealed by us, and yet another engine's or an older release's may come.
    if not _shaped(position):
        raise foreign()
    at, row, tier, score, mode, fallback, lesson, seen, value = position
    ranked = (int(tier), float(score), mode, str(fallback), int(lesson), str(seen))
    return Place(str(at), str(row), *ranked, str(value))  # type: ignore[arg-type] # checked by _shaped


def foreign() -> Invalid:
    """Refuse a position that this engine has not written."""
    fault = Fault("/cursor", "cursor", "The cursor is not one of this search.")
    return Invalid([fault])


def _shaped(position: Position) -> bool:
    if len(position) != _PARTS:
        return False
    at, row, tier, score, mode, fallback, lesson, seen, value = position
    return (
        isinstance(at, str)
        and _INSTANT.fullmatch(at) is not None
        and _is_uuid(row)
        and tier in (-1, 0, 1)
        and isinstance(score, int | float)
        and mode in _MODES
        and isinstance(fallback, str)
        and isinstance(lesson, int)
        and 0 <= lesson < _MOST
        and isinstance(seen, str)
        and _SHOWN.fullmatch(seen) is not None
        and isinstance(value, str)
    )


def _is_uuid(value: str | float) -> bool:
    return value is not None and uuid_or_none(value) == value


def uuid_or_none(value: Any) -> str | None:
    """Give a UUID in its canonical form, None for anything else."""
    try:
        return str(UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None

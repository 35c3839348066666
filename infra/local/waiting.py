"""Polling a real condition against a deadline, for servers that tell nobody."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Found = TypeVar("Found")
PAUSE_SECONDS = 0.02


class NeverHappened(RuntimeError):  # noqa: N818 - reads as the sentence it is
    """A server did not become ready in time."""


def until(probe: Callable[[], Found | None], seconds: float, *, what: str) -> Found:
    """Return the probe's first true answer, or raise NeverHappened."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := probe():
            return found
        time.sleep(PAUSE_SECONDS)
    raise NeverHappened(f"{what} was not ready within {seconds:g} s")

"""Fifty threads that start at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from vitrine.problems import Refused

T = TypeVar("T")
RUNNERS = 50


def race(run: Callable[[int], T], runners: int = RUNNERS) -> list[T | Refused]:
    """Run each number at once; a refusal is a result, any other error is raised."""
    barrier = Barrier(runners)

    def one(number: int) -> T | Refused:
        barrier.wait(timeout=30)
        try:
            return run(number)
        except Refused as refused:
            return refused

    with ThreadPoolExecutor(runners) as pool:
        return list(pool.map(one, range(runners)))

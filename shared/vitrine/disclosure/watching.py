"""What an operator watches beside the caps: how much, and how like a crawl.

Nothing here decides; a number above its alarm is a person's to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vitrine.caller import Caller
from vitrine.disclosure.budgets import Caps

Note = Callable[[Caller, Mapping[str, float]], None]
"""Tell the operator figures of one caller's search, by name."""


def unheard(_: Caller, __: Mapping[str, float]) -> None:
    """Tell nobody."""


def likeness(today: int, searches: int, *, page: int, caps: Caps) -> float:
    """Tell in percent how like a crawl a day is; 0 below half of its cap.

    A crawl brings a full page of new documents each time; who shops sees again what
    they have seen. Below half of the day's cap that says little: a first page is new
    to everybody.
    """
    if 2 * today < caps.day or not searches:
        return 0.0
    return min(100.0, 100 * today / (page * searches))


def coverage(learnt: int, documents: int) -> float:
    """Tell in percent how much of a source was learnt."""
    return 100 * learnt / documents if documents else 0.0

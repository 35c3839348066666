"""When to leave a failing provider alone: the decision, without its state's keeper.

A provider that is down costs each turn its deadline before the lexicon answers. After
three turns in a row that it failed, nobody asks for half a minute; then one turn may
try, and its outcome closes the circuit or opens it for twice as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FAILURES = 3
"""Failed turns in a row: one of 40 good answers in between begins the count anew."""
WINDOW = 120
"""Seconds after which an older failure says nothing about now."""
REST, LONGEST = 30, 300
"""Seconds for which an open circuit rests, doubled by each failed probe."""
LEASE = 30
"""Seconds that a probe may take: a whole turn, and a moment."""
DOWN = frozenset({"transport", "busy", "broken", "refused", "deadline"})
"""Why a turn ended without a reply, where that is the provider's doing."""

Standing = Literal["closed", "open", "ripe"]


@dataclass(frozen=True, slots=True)
class Circuit:
    """What is known of a provider; moments are whole seconds.

    ``until`` is when it may be tried again, zero while the circuit is closed.
    ``probing`` is when a probe's lease ends.
    """

    failures: int = 0
    last: int = 0
    until: int = 0
    rest: int = 0
    probing: int = 0

    def stands(self, now: int) -> Standing:
        """Tell whether it is closed, open, or ripe for one probe."""
        if not self.until:
            return "closed"
        return "open" if now < max(self.until, self.probing) else "ripe"

    def failed(self, now: int) -> Circuit:
        """Count a failed turn; open after the third, or after a failed probe."""
        if now < self.until:
            # It was asked before the circuit opened: of twenty turns that meet one
            # outage, each would double the rest.
            return self
        fresh = self.until or now - self.last <= WINDOW
        failures = self.failures + 1 if fresh else 1
        if failures < FAILURES:
            return Circuit(failures, now)
        rest = min(2 * self.rest or REST, LONGEST)
        return Circuit(failures, now, now + rest, rest)

    def probed(self, now: int) -> Circuit:
        """Give one turn the right to try."""
        return Circuit(
            self.failures, self.last, self.until, self.rest, probing=now + LEASE
        )


CLOSED = Circuit()

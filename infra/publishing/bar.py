"""A progress bar on stderr: one line that moves, or a line each tenth in a log."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TextIO

WIDTH = 30
STEPS = 10


@dataclass(slots=True)
class Bar:
    """How much of a whole is done; without a whole, how much."""

    what: str
    whole: int | None
    out: TextIO = field(default_factory=lambda: sys.stderr)
    _step: int = -1

    def show(self, done: int) -> None:
        """Draw the bar as it is now."""
        if self.out.isatty():
            self.out.write(f"\r{self._line(done)}")
            self.out.flush()
            return
        step = done * STEPS // self.whole if self.whole else done // 10_000
        if step != self._step:
            self._step = step
            self.out.write(f"{self._line(done)}\n")

    def end(self, done: int) -> None:
        """Draw it a last time and leave the line."""
        self.show(done)
        if self.out.isatty():
            self.out.write("\n")

    def _line(self, done: int) -> str:
        if not self.whole:
            return f"{self.what} {done:,}"
        full = min(WIDTH, done * WIDTH // self.whole)
        drawn = "#" * full + "." * (WIDTH - full)
        return f"{self.what} [{drawn}] {done:,} / {self.whole:,}"

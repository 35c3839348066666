"""Where a run stands, in a file, so that a killed one goes on where it ended."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from vitrine.typesense.publish import Progress


@dataclass(frozen=True, slots=True)
class State:
    """One run: what it publishes (as a digest), since when, how far, its lists."""

    what: str
    stamp: str
    at: str
    taken: int = 0
    held_back: int = 0
    last: str | None = None
    choices: Mapping[str, list[Mapping[str, Any]]] = field(default_factory=dict)

    @property
    def progress(self) -> Progress:
        """Give how far the run has come."""
        return Progress(self.taken, self.held_back, self.last)

    @property
    def began(self) -> datetime:
        """Give when the run began."""
        return datetime.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class Notebook:
    """The file of one source's runs."""

    path: Path

    def read(self) -> State | None:
        """Give the run that did not end, if there is one."""
        try:
            return State(**json.loads(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError):
            return None  # not ours, or of another version: a run starts anew

    def write(self, state: State) -> None:
        """Keep a state whole: a killed writer leaves the one before."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(asdict(state), ensure_ascii=False), "utf-8")
        os.replace(part, self.path)  # noqa: PTH105 - the atomic one, by its name

    def end(self) -> None:
        """Forget the run: it is over."""
        self.path.unlink(missing_ok=True)

"""Verdicts on messages, for an hour: the same words are judged once a tenant.

What is kept is a hash and a yes or no, never the words. A store that does not answer
remembers nothing, and the model is asked again.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from vitrine.problems import Unavailable
from vitrine.store.table import Key, Table, Write, alive, epoch, place

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Topics:
    """The verdicts of one tenant at one moment."""

    table: Table
    tenant: str
    now: datetime

    def known(self, key: str) -> bool | None:
        """Give a verdict of the last hour."""
        try:
            item = self.table.get(self._key(key))
        except Unavailable:
            return None
        # the sweep of old items is late by days: only the clock ends a verdict
        return bool(item["on_topic"]) if item and alive(item, self.now) else None

    def keep(self, key: str, *, on_topic: bool) -> None:
        """Remember a verdict for an hour."""
        item = {"on_topic": on_topic, "expires_at": epoch(self.now + HOUR)}
        with suppress(Unavailable):
            self.table.write(Write(self._key(key), whole=item))

    def _key(self, key: str) -> Key:
        return place("TOPIC", self.tenant, key), "VERDICT"

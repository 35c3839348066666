"""The tools that read what a caller can name: look-ups side by side, one record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vitrine.edge import calls, tables
from vitrine.edge.conversation import Narrowed
from vitrine.edge.exchange import Told
from vitrine.edge.finding import Bench, shown
from vitrine.edge.searching import looking, reading
from vitrine.tree.model import EMPTY

_NOWHERE = Narrowed(EMPTY)


def get(bench: Bench, given: Mapping[str, Any]) -> Told:
    """Look documents up by ref or code, and set them side by side."""
    asked = calls.get(given)
    fields = tables.wanted(asked.fields, bench.registry)
    looked = looking(bench.wiring, bench.ask(_NOWHERE, 0), asked.keys)
    with bench.remembering(shown(looked.answer)):
        return tables.compared(looked, fields, nonce=bench.wiring.mark())


def record(bench: Bench, asked: calls.Record) -> Told:
    """Read one record in full, or the part that was asked for."""
    whole = reading(bench.wiring, bench.ask(_NOWHERE, 0), asked.ref)
    return tables.whole(whole, asked.offset, nonce=bench.wiring.mark())

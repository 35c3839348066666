"""A checked tree's size, told at validation with the words that a search would use."""

from __future__ import annotations

from dataclasses import replace

from vitrine.caller import Caller
from vitrine.edge.wiring import Wiring, spoken_to
from vitrine.registry.profiles import Registry
from vitrine.search.fitting import misfits
from vitrine.validate import Checked


def sized(
    wiring: Wiring, caller: Caller, registry: Registry, checked: Checked
) -> Checked:
    """Add what makes a valid tree too large for its engine; that is of the whole."""
    if not checked.valid:
        return checked
    asker, today = spoken_to(caller, registry), wiring.today(registry)
    large = misfits(checked.tree, registry, asker, today)
    faults = tuple(replace(fault, pointer="/tree") for fault in large)
    return replace(checked, faults=faults)

"""Whether a checked tree is small enough for its engine, told without asking it.

The capability table says how much an engine takes at once; what a tree comes to is
known when it is compiled. That needs no server, so validation can say it with the
words that a search would be refused with.
"""

from __future__ import annotations

from datetime import date

from vitrine.caller import Caller
from vitrine.problems import Fault, Invalid
from vitrine.registry.capabilities import TERMS
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Query
from vitrine.search.resolve import resolve
from vitrine.tree.conditions import TRUE
from vitrine.tree.lower import lower
from vitrine.tree.model import Group


def misfits(
    tree: Group, registry: Registry, caller: Caller, today: date
) -> tuple[Fault, ...]:
    """Give the faults for which a search of this tree would be refused as too large.

    A label that means nothing is the search's to tell: such a tree has no size yet.
    """
    if registry.engine not in TERMS:
        return ()
    from vitrine.typesense.labels import Labels  # noqa: PLC0415 - only where used
    from vitrine.typesense.weighing import weigh  # noqa: PLC0415 - only where used

    try:
        settled = resolve(tree, Labels(), Query(caller, registry, TRUE))
    except Invalid:
        return ()
    low = lower(settled.tree, registry, today=today)
    try:
        weigh(Query(caller, registry, low.condition, low.text))
    except Invalid as refusal:
        return refusal.faults
    return ()

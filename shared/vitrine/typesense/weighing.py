"""Whether the server can take a search at once, told before it is asked; pure.

Every filter that a first page may send is compiled and measured as the search would.
The rungs differ: words stand in the query on the strict one, in the filter before the
beginning of the last one.
"""

from __future__ import annotations

from dataclasses import replace

from vitrine.search.engine import Query
from vitrine.tree.conditions import All
from vitrine.typesense import ladder
from vitrine.typesense.ladder import Rung
from vitrine.typesense.wording import wording_of
from vitrine.typesense.words import terms


def weigh(query: Query) -> None:
    """Raise ``Invalid`` where a search of this query would be too large to send."""
    text, wording = query.text, wording_of(query.registry.manifest)
    if text is None:
        ladder.page(query, Rung("strict"), None)
        return
    found = terms(text.query, wording.stop)
    if len(found.either) > 1:
        condition = All((query.condition, text))
        weigh(replace(query, condition=condition, text=None))
        return
    rungs = (Rung("strict", found.wanted), ladder.prefix(query.registry, found))
    for rung in filter(None, rungs):
        ladder.page(query, rung, found)

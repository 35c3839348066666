"""What companies know of a source already, read from their orders and contracts.

Each row names a document by its private id, and who knows it: an ``account``, or a
``user`` (of an account, where there are accounts). Names are hashed here, as a token's
are; neither they nor private ids reach the table.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from infra.publishing.readers import FETCHED
from vitrine.caller import Caller
from vitrine.problems import Fault, Invalid
from vitrine.store.planted import Known

Row = Mapping[str, Any]
Named = Callable[[str], str]
"""Give the id under which the engine keeps a private one."""


def rows(origin: str, dsn: str | None) -> Iterator[Row]:
    """Read a view or an export, as ``postgres:VIEW`` or ``jsonl:FILE``."""
    kind, _, name = origin.partition(":")
    if kind == "jsonl":
        with Path(name).open("rb") as file:
            yield from (json.loads(line) for line in file if line.strip())
        return
    if not dsn:
        raise SystemExit("unset: VITRINE_ORIGIN_DSN")
    query = sql.SQL("SELECT * FROM {}").format(sql.Identifier(*name.split(".")))
    with (
        closing(psycopg.connect(dsn)) as line,
        line.cursor("known", row_factory=dict_row) as found,
    ):
        found.itersize = FETCHED
        found.execute(query)
        yield from found


def gathered(tenant: str, found: Iterable[Row], named: Named) -> list[Known]:
    """Gather rows by who knows; raise ``Invalid`` for one that names nobody."""
    held: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for number, row in enumerate(found):
        document, user, account = (row.get(k) for k in ("id", "user", "account"))
        if document in (None, "") or not (user or account):
            said = "A row names a document's id, and an account or a user."
            raise Invalid([Fault(f"/{number}", "unnamed", said)])
        caller = Caller(tenant, user or "", "", account=account or None)
        who = caller.identity if user else caller.company
        held[who][named(str(document))] = None
    return [Known(who, tuple(documents)) for who, documents in held.items()]

"""Embed the rows of a library: ``python -m infra.vectors --tenant T``; JSON comes last.

Rows that have no vector get one, a batch at a time, each batch kept at once: a run that
was cut is gone on with by the same command, and one on a schedule does what is new. A
row whose words change loses its vector in the database and is due again; until then
words alone find it. ``--anew`` forgets the tenant's vectors first, as a change of model
needs it: vectors of two models don't compare.

``VITRINE_OWNER_DSN`` opens the database as somebody who may write ``library.vectors``;
the service's role may not. ``VITRINE_EMBEDDER`` describes the model as the embedder's
secret does, ``{"base_url", "key", "model"}``; without it the embedded model is used,
which ``make vectors`` installs. Then name the model in the manifest (``vectors``) and
publish. Exit status: 0 done, 1 no model, 75 try again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from os import environ
from typing import Any, Protocol, cast

import psycopg
from psycopg import sql

from vitrine.models.embed import opened
from vitrine.problems import Unavailable
from vitrine.search.engine import Embedder

BATCH = 64
AGAIN = 75
FIRST = "00000000-0000-0000-0000-000000000000"
# `xmin` tells the version of a row that was read.
_DUE = sql.SQL("""
SELECT a.id::text, a.xmin::text, a.title, concat_ws(' ', a.keywords, a.description)
FROM library.assets AS a
WHERE a.tenant = %s AND a.id > %s::uuid AND NOT EXISTS (
    SELECT FROM library.vectors AS e WHERE e.tenant = a.tenant AND e.asset_id = a.id)
ORDER BY a.id LIMIT %s""")
# A row that changed while its words were away keeps none of them: it is due again.
_KEEP = sql.SQL("""
INSERT INTO library.vectors (tenant, asset_id, embedding)
SELECT a.tenant, a.id, %s::public.halfvec FROM library.assets AS a
WHERE a.tenant = %s AND a.id = %s::uuid AND a.xmin::text = %s
ON CONFLICT (tenant, asset_id) DO UPDATE SET embedding = EXCLUDED.embedding""")
_FORGET = sql.SQL("DELETE FROM library.vectors WHERE tenant = %s")
_ANALYZE = sql.SQL("ANALYZE library.vectors")
Row = tuple[str, str, str, str]


class Essential(Embedder, Protocol):
    """An embedder that knows what of a document is worth embedding."""

    def essence(self, title: str, text: str) -> str:
        """Give it."""
        ...


@dataclass(slots=True)
class Tally:
    """What a run has done."""

    embedded: int = 0
    skipped: int = 0


def main(arguments: list[str]) -> int:
    """Embed what is due."""
    parser = argparse.ArgumentParser(prog="python -m infra.vectors")
    parser.add_argument("--tenant", required=True)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--anew", action="store_true")
    asked = parser.parse_args(arguments)
    model = _model(environ.get("VITRINE_EMBEDDER") or "{}")
    if model is None:
        print("No embedder: set VITRINE_EMBEDDER, or `make vectors`.", file=sys.stderr)
        return 1
    tally, status = Tally(), 0
    with psycopg.connect(environ["VITRINE_OWNER_DSN"], autocommit=True) as connection:
        if asked.anew:
            connection.execute(_FORGET, [asked.tenant])
        try:
            embed_due(connection, asked.tenant, model, asked.batch, tally=tally)
        except Unavailable as error:
            print(f"Not finished: {error}", file=sys.stderr)
            status = AGAIN
        connection.execute(_ANALYZE)
    told = {"embedded": tally.embedded, "skipped": tally.skipped}
    print(json.dumps({"embedder": model.name, "tenant": asked.tenant, **told}))
    return status


def embed_due(
    connection: psycopg.Connection[Any],
    tenant: str,
    model: Essential,
    batch: int = BATCH,
    *,
    tally: Tally,
) -> None:
    """Embed a tenant's rows without a vector; raise ``Unavailable`` in between."""
    last = FIRST
    while rows := _due(connection, tenant, last, batch):
        kept = _embedded(connection, tenant, model, rows)
        tally.embedded += kept
        tally.skipped += len(rows) - kept
        last = rows[-1][0]


def _due(
    connection: psycopg.Connection[Any], tenant: str, last: str, batch: int
) -> Sequence[Row]:
    return connection.execute(_DUE, [tenant, last, batch]).fetchall()


def _embedded(
    connection: psycopg.Connection[Any],
    tenant: str,
    model: Essential,
    rows: Sequence[Row],
) -> int:
    """Embed a batch and keep it; count the rows that were still the same."""
    vectors = model.embed([model.essence(title, text) for _, _, title, text in rows])
    written = (
        [f"[{','.join(f'{n:.5g}' for n in vector)}]", tenant, key, version]
        for (key, version, *_), vector in zip(rows, vectors, strict=True)
    )
    with connection.transaction():
        return sum(connection.execute(_KEEP, row).rowcount for row in written)


def _model(described: str) -> Essential | None:
    """Open the model; whoever runs this by hand decides on its cost."""
    found = opened(json.loads(described), lambda: False)
    return cast("Essential | None", getattr(found, "inner", found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

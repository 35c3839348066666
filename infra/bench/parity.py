"""Random trees on a local stack: the oracle, PostgreSQL and Typesense must agree.

    python -m infra.bench parity [--trees N] [--seed S]

Each world is a registry, documents and their unseen twins, on both engines; its trees
are checked, resolved, lowered and run as a search would. Every tree that an engine's
capability table admits must find the oracle's documents and no other, and count them.
A difference and a leak are printed with the tree; one JSON line comes last.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from random import Random

from infra.bench.trials import Tally, cases, compared, poisoned
from infra.bench.worlds import Servers, world
from infra.local import typesense
from infra.local.postgres import SERVICE
from infra.local.stack import Stack
from tests.integration.postgres import things
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.typesense.client import connect
from vitrine.typesense.search import Typesense

PER_WORLD = 250
PATIENCE = 60
"""Seconds that a load may take; a search of the product waits two."""


def campaign(servers: Servers, count: int, seed: int) -> Tally:
    """Compare so many trees, in worlds of a few hundred, both engines at once."""
    tally = Tally()
    with ThreadPoolExecutor(2) as pool:
        for number in range(0, count, PER_WORLD):
            rng = Random(f"{seed}/{number}")
            here, asked = world(rng, servers), min(PER_WORLD, count - number)
            drawn = cases(tally, here, rng, asked)
            for side in pool.map(partial(compared, here, drawn=drawn), here.sides):
                tally.add(side)
            tally.trees += asked
            poisoned(tally, here, rng)
    return tally


@contextmanager
def serving() -> Iterator[Servers | None]:
    """Start both engines with an empty source; None where Typesense is absent."""
    with Stack(parts=("postgres", "typesense")) as stack:
        if stack.typesense is None:
            yield None
            return
        things.create(stack.dsn)
        node = stack.typesense
        patient = connect(node.url, node.key, timeout=PATIENCE)
        searched = Postgres(connector(stack.cluster.dsn(role=SERVICE)))
        yield Servers(stack.dsn, searched, patient, Typesense(patient))
        searched.close()
        patient.api_call.close()


def main(arguments: list[str]) -> int:
    """Run a campaign; give 1 where anything differs or leaks."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench parity")
    parser.add_argument("--trees", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    if asked.trees < 1:
        parser.error("--trees: of none at all, nothing can differ")
    with serving() as servers:
        if servers is None:
            print(typesense.ABSENT)
            return 2
        tally = campaign(servers, asked.trees, asked.seed)
    print(*tally.told, sep="\n")
    print(json.dumps(tally.figures))
    return int(bool(tally.differences or tally.leaks))

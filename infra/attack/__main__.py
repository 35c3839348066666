"""How much can be carried away: `python -m infra.attack`, or `make attack`.

    python -m infra.attack [--quick]
    python -m infra.attack --manifest FILE --tenant T [--profile P] [--quick]

Without a manifest the demo's shop is attacked on a local Typesense and its library on
a local PostgreSQL, beside shoppers and buyers. With one, a tenant's own published
source is, at VITRINE_TYPESENSE_URL and _KEY or at --dsn: nothing is written there.
A table is printed, and one JSON line last.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

from infra.attack import campaign, goods, tenant
from infra.attack.campaign import FULL, Month, Scale
from infra.attack.figures import Figures
from infra.attack.gate import Clock, quiet
from infra.attack.published import on_postgres, on_typesense
from infra.attack.shelf import Shelf
from infra.local import typesense
from infra.local.aws import Aws
from infra.local.stack import Stack
from vitrine.problems import Problem
from vitrine.store.table import Table

QUICK = Scale(
    calls=400,
    naive_calls=400,
    oracle_calls=70,
    sessions=60,
    sybils=(5, 50),
    words=30,
    every=5,
)
FEW = frozenset({"totals", "9 known, no page", "1 known, a page of one"})
POSTGRES = FEW | {"19 known, a page of them", "explained beside nothing"}


def main() -> int:
    """Run what was asked."""
    parser = argparse.ArgumentParser(prog="python -m infra.attack")
    parser.add_argument("--quick", action="store_true", help="a tenth of the calls")
    parser.add_argument("--manifest", type=Path, help="a tenant's own source")
    parser.add_argument("--tenant", default="")
    parser.add_argument("--profile", default="closed")
    parser.add_argument("--dsn", default="", help="the PostgreSQL that keeps it")
    parser.add_argument("--out", type=Path, default=tenant.BUILD, help="for the report")
    asked = parser.parse_args()
    quiet()
    scale = QUICK if asked.quick else FULL
    if asked.manifest is None:
        return _local(scale)
    if not asked.tenant:
        parser.error("--tenant names whose source it is")
    try:
        return _tenants(asked, scale)
    except (Problem, ValueError) as error:
        # The last line is JSON whatever happens.
        told = getattr(error, "faults", ())
        print(error, *(f"  {f.pointer}: {f.message}" for f in told), sep="\n")
        print(json.dumps({"error": str(error)}))
        return 1


def _tenants(asked: argparse.Namespace, scale: Scale) -> int:
    now = datetime.now(UTC)
    whose = tenant.Asked(
        asked.manifest,
        asked.tenant,
        asked.profile,
        os.environ.get("VITRINE_TYPESENSE_URL", ""),
        os.environ.get("VITRINE_TYPESENSE_KEY", ""),
        asked.dsn,
    )
    stage, figures = tenant.attacked(whose, scale, now=now)
    path = tenant.written(stage, figures, scale, now=now, folder=asked.out)
    print(f"The report is {path}.")
    print(*figures.told(), sep="\n", flush=True)
    return 0


def _local(scale: Scale) -> int:
    figures = Figures()
    # A fork would share sockets with the servers' clients.
    spawn = get_context("spawn")
    with (
        ProcessPoolExecutor(1, mp_context=spawn) as pool,
        Stack(parts=("postgres", "typesense", "aws")) as stack,
    ):
        month = pool.submit(campaign.buying_apart, full=scale is FULL)
        if stack.typesense is None:
            print(f"The shop is left out. {typesense.ABSENT}")
        else:
            _shop(stack.typesense, stack.aws, stack.table, figures, scale)
        _library(stack, figures, scale)
        _add(month, figures)
    print(*figures.told(), sep="\n", flush=True)
    return 0


def _add(month: Future[Month], figures: Figures) -> None:
    campaign.bought(month.result(), figures)


def _shop(
    node: typesense.Node, aws: Aws, name: str, figures: Figures, scale: Scale
) -> None:
    """Attack the shop: the day on DynamoDB's emulator too, the rest in memory."""
    clock = Clock(goods.START)
    with (
        closing(aws.client("dynamodb")) as client,
        on_typesense(node, clock, (Shelf(), Shelf())) as (pair, records),
    ):
        stage, twin = pair.stage, pair.twin
        campaign.crawlers(stage, figures, scale)
        campaign.oracles(stage, figures, scale)
        words = sorted({w for r in records for w in r["name"].split() if len(w) > 5})
        campaign.corrections(stage, figures, words[: scale.words])
        campaign.private(stage, twin, figures, scale, pair.privates)
        campaign.crowds(stage, figures, scale)
        campaign.shopping(stage, figures, scale, records)
        campaign.outsiders(stage, figures, scale)
        kept = campaign.restaged(stage, Table(client, name), "DynamoDB's emulator")
        campaign.emulated(kept, figures, scale)
        demand = goods.demand([r["sku"] for r in records])
        campaign.months(stage, figures, scale)
        campaign.years(stage, figures, scale, demand)
        met = stage.untyped + twin.untyped + kept.untyped
        figures.last["untyped_refusals"] = figures.last.get("untyped_refusals", 0) + met


def _library(stack: Stack, figures: Figures, scale: Scale) -> None:
    clock = Clock(goods.START)
    with on_postgres(stack.cluster, clock, (Shelf(), Shelf())) as pair:
        stage, twin = pair.stage, pair.twin
        fewer = replace(scale, oracle_calls=scale.oracle_calls // 2)
        campaign.crawlers(stage, figures, replace(scale, naive_calls=1_500))
        campaign.oracles(stage, figures, fewer, POSTGRES.__contains__)
        campaign.private(stage, twin, figures, scale, pair.privates)
        campaign.crowds(stage, figures, scale)
        met = stage.untyped + twin.untyped
        figures.last["untyped_refusals"] = figures.last.get("untyped_refusals", 0) + met


if __name__ == "__main__":
    sys.exit(main())

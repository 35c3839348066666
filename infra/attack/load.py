"""Fifty searches a second on one tenant: `python -m infra.attack.load`, or `make load`.

A hundred people of twenty companies search for a minute, with table and engine in
memory, as the search function does: pace, admission, charge, facets. They want more
than they may have. At the end the answers are added up and held against every cap and
against what the table says. One JSON line comes last.

The table in memory decides as DynamoDB's emulator does, which a test holds it to;
``--emulator`` takes the emulator itself, where a search costs its dozen round trips
through one lock and no machine of ours reaches the pace: ``per_second`` says which.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from threading import Lock
from typing import Any

import boto3
from botocore.config import Config

from infra.attack import goods
from infra.attack.bits import Bits
from infra.attack.shelf import Shelf
from infra.local.aws import CREDENTIALS, REGION, Aws
from infra.local.stack import Stack
from vitrine.caller import Caller
from vitrine.disclosure.budgets import caps_of, share
from vitrine.problems import Problem, Refused
from vitrine.registry.manifest import Budget, Cap
from vitrine.registry.profiles import Registry, registry_for
from vitrine.seal import NONCE, Refs, Ring
from vitrine.search.execute import execute
from vitrine.search.prepare import Ask, Parts
from vitrine.store.rate import SEARCHES, take
from vitrine.store.table import Key, Outcome, Table, Write, place, plain
from vitrine.tree.model import Group, Rule
from vitrine.typesense.encode import Encoder

COMPANIES, PEOPLE = 20, 5
WORKERS = 50
NOW = goods.START
# What people ask for in a minute is above what their company may have.
BUDGET = Budget(day=Cap(floor=300), month=Cap(floor=900), facet_values=150)


@dataclass
class Seen:
    """What left, by whom; one lock, since answers come from many threads."""

    documents: defaultdict[str, set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )
    values: defaultdict[str, set[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    refused: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    millis: list[float] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is asked, how fast; ``rate`` 0 asks as fast as it goes."""

    searches: int
    rate: float
    size: int = goods.SIZE
    seed: int = 5


def loaded(table: Table, plan: Plan) -> dict[str, Any]:
    """Run a load and give its figures."""
    registry, records = _registry(plan.size), goods.public(goods.products(plan.size))
    engine = Bits(Encoder(registry, goods.KEY), records)
    ring = Ring([bytes(range(32))], lambda: bytes(NONCE))
    parts = Parts(engine, table, ring, Refs(bytes(range(1, 33))))
    people, seen = _people(registry.tenant), Seen()
    asks = list(_asks(registry, people, records, plan))
    began = time.monotonic()
    with ThreadPoolExecutor(WORKERS) as pool:
        for number, ask in enumerate(asks):
            _wait(began, number, plan.rate)
            pool.submit(_search, ask, parts, seen)
    spent = time.monotonic() - began
    return _figures(seen, spent, people, registry) | _kept(table, seen, registry)


def _registry(size: int) -> Registry:
    """See the demo's shop with budgets that a minute's load reaches."""
    manifest = goods.seen_by().manifest
    closed = manifest.profiles["closed"].model_copy(update={"budget": BUDGET})
    profiles = {**manifest.profiles, "closed": closed}
    changed = manifest.model_copy(update={"profiles": profiles})
    return registry_for(changed, "closed", tenant=goods.TENANT, documents=size)


def _people(tenant: str) -> list[Caller]:
    return [
        Caller(tenant, f"user-{n}", "app", account=f"company-{n % COMPANIES}")
        for n in range(COMPANIES * PEOPLE)
    ]


def _asks(
    registry: Registry,
    people: Sequence[Caller],
    records: Sequence[goods.Record],
    plan: Plan,
) -> Iterator[Ask]:
    """Draw searches, each person in turn: what somebody looks for, by two filters."""
    random = Random(plan.seed)
    for number in range(plan.searches):
        wanted = random.choice(records)
        tree = Group(
            rules=tuple(
                Rule(key, "equals", wanted[key])
                for key in random.sample(("category", "material", "style"), 2)
                if wanted.get(key)
            )
        )
        yield Ask(people[number % len(people)], registry, tree, NOW)


def _wait(began: float, number: int, rate: float) -> None:
    """Keep the pace of the plan; who is late goes on at once."""
    if rate:
        time.sleep(max(0.0, began + number / rate - time.monotonic()))


def _search(ask: Ask, parts: Parts, seen: Seen) -> None:
    start = time.monotonic()
    try:
        take(parts.table, ask.caller, SEARCHES, now=_moment(start))
        answer = execute(ask, parts)
    except Refused as refused:
        code = str(refused.members.get("budget") or refused.code)
        with seen.lock:
            seen.refused[code] += 1
        return
    except Problem as problem:
        with seen.lock:
            seen.failed[problem.code] += 1
        return
    spent, who = 1000 * (time.monotonic() - start), ask.caller.identity
    revealed = {(k, v.value) for k, vs in answer.facets.items() for v in vs}
    with seen.lock:
        seen.documents[who] |= {hit["ref"] for hit in answer.hits}
        seen.values[who] |= revealed | {(k, "") for k in answer.facets}
        seen.millis.append(spent)


_BEGAN = time.monotonic()


def _moment(at: float) -> datetime:
    """Let the pace's clock run; the day of the budgets stands still."""
    return datetime.fromtimestamp(NOW.timestamp() + at - _BEGAN, NOW.tzinfo)


def _figures(
    seen: Seen, spent: float, people: Sequence[Caller], registry: Registry
) -> dict[str, Any]:
    caps = caps_of(registry)
    if caps is None:
        raise TypeError("the profile under load has no budget")
    days = {p.identity: len(seen.documents[p.identity]) for p in people}
    companies: Counter[str] = Counter()
    for person in people:
        companies[person.company] += days[person.identity]
    quotas = {p.identity: len(seen.values[p.identity]) for p in people}
    done = len(seen.millis) + seen.refused.total() + seen.failed.total()
    over = [n for n in days.values() if n > caps.day]
    over += [n for n in companies.values() if n > caps.account_day]
    over += [n for n in quotas.values() if n > caps.facet_values]
    held = sorted(seen.millis)
    return {
        "searches": done,
        "seconds": round(spent, 1),
        "per_second": round(done / spent, 1),
        "answered": len(held),
        "refused": dict(sorted(seen.refused.items())),
        "failed": dict(sorted(seen.failed.items())),
        "p50_ms": round(held[len(held) // 2]) if held else None,
        "p95_ms": round(held[int(0.95 * (len(held) - 1))]) if held else None,
        "documents": sum(days.values()),
        "companies_at_cap": sum(n == caps.account_day for n in companies.values()),
        "over_cap": len(over),
    }


def _kept(table: Table, seen: Seen, registry: Registry) -> dict[str, int]:
    """Hold what the table counts against what left; give how much differs."""
    caps, left = caps_of(registry), sum(map(len, seen.documents.values()))
    account, brakes, off = 0, Counter[str](), 0
    for item in _items(table):
        kind, *parts = item["pk"].split("#")
        if kind == "ACCOUNT":
            account += item["seen"]
            number = int(item["sk"].partition("#")[2])
            off += caps is not None and item["seen"] > share(caps.account_day, number)
        if kind == "BRAKE":
            brakes[parts[2]] += item["seen"]
    for who, documents in seen.documents.items():
        partition = place("SEEN", registry.tenant, registry.source, who)
        kept = frozenset().union(*(i["marks"] for i in table.query(partition)))
        off += abs(len(kept) - len(documents))
    off += abs(account - left)
    off += sum(abs(brakes[name] - left) for name in ("tenant_day", "client_day"))
    return {"miscounted": off}


class Guarded(Shelf):
    """A table in memory that takes one request at a time, as DynamoDB's items do."""

    __slots__ = ("_turn",)

    def __init__(self) -> None:
        """Begin empty, with nobody's turn."""
        super().__init__()
        object.__setattr__(self, "_turn", Lock())

    def get(self, key: Key) -> dict[str, Any] | None:
        """Read one item."""
        with self._turn:  # type: ignore[attr-defined] # set past the frozen parent
            return super().get(key)

    def query(
        self, partition: str, low: str = "", high: str = "\U0010ffff"
    ) -> Iterator[dict[str, Any]]:
        """Read a partition's items as of one moment."""
        with self._turn:  # type: ignore[attr-defined] # as above
            return iter(list(super().query(partition, low, high)))

    def write(self, *writes: Write) -> Outcome:
        """Do one write, or several together or none."""
        with self._turn:  # type: ignore[attr-defined] # as above
            return super().write(*writes)


def _items(table: Table) -> Iterator[Mapping[str, Any]]:
    if isinstance(table, Shelf):
        yield from table.items.values()
        return
    for page in table.client.get_paginator("scan").paginate(TableName=table.name):
        yield from map(plain, page["Items"])


def client(aws: Aws) -> Any:
    """Give a client with a connection for each worker."""
    return boto3.client(
        "dynamodb",
        endpoint_url=aws.url,
        region_name=REGION,
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        config=Config(max_pool_connections=WORKERS, connect_timeout=5, read_timeout=30),
    )


def _emulated(plan: Plan) -> dict[str, Any]:
    with Stack(parts=("aws",)) as stack, closing(client(stack.aws)) as dynamo:
        return loaded(Table(dynamo, stack.table), plan)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the load; give 1 where a cap was exceeded or a count is off."""
    parser = argparse.ArgumentParser(prog="python -m infra.attack.load")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--emulator", action="store_true", help="a real table's client")
    asked = parser.parse_args(arguments)
    plan = Plan(round(asked.seconds * asked.rate), asked.rate)
    figures = _emulated(plan) if asked.emulator else loaded(Guarded(), plan)
    print(json.dumps(figures))
    return int(bool(figures["over_cap"] or figures["miscounted"] or figures["failed"]))


if __name__ == "__main__":
    sys.exit(main())

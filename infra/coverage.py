"""How much anybody has learnt: `python -m infra.coverage [--table T] [--endpoint URL]`.

Read off the store's own table: for each source the most that any identity, account
and client learnt in a day, in 30 days and in a year, whichever those were. Identities
are exact. An account counts what was new to each of its identities, as its budget
does, so colleagues who saw the same are counted twice. A client counts each document
once, and all that an identity saw on a day on which it used the client at all.
Documents appear as marks and callers as hashes: no name is in the table.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from urllib.parse import unquote

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from vitrine.store.table import plain

SPANS: Mapping[str, int] = {"day": 1, "month": 30, "year": 365}
SCOPES = ("identity", "account", "client")
KINDS = ("SEEN", "ACCOUNT", "REGISTRY")
Days = dict[date, frozenset[bytes]]
Item = Mapping[str, Any]


@dataclass
class Learnt:
    """What one source's callers learnt, by day; ``documents`` is its size."""

    documents: int = 0
    identities: dict[str, Days] = field(default_factory=dict)
    accounts: dict[str, dict[date, tuple[int, int]]] = field(default_factory=dict)
    clients: dict[str, Days] = field(default_factory=dict)

    def most(self, scope: str, span: int) -> int:
        """Give the most that anybody of a scope learnt in so many days."""
        if scope == "account":
            return max((_counted(d, span) for d in self.accounts.values()), default=0)
        found = self.identities if scope == "identity" else self.clients
        return max((_distinct(days, span) for days in found.values()), default=0)

    def share(self, scope: str, span: int) -> float:
        """Give that in percent of the source."""
        most = self.most(scope, span)
        return round(100 * most / self.documents, 2) if self.documents else 0.0


def learnt(items: Iterable[Item]) -> dict[tuple[str, str], Learnt]:
    """Read a table's items into what was learnt, by tenant and source."""
    found: defaultdict[tuple[str, str], Learnt] = defaultdict(Learnt)
    for item in items:
        kind, *parts = (unquote(part) for part in item["pk"].split("#"))
        if kind == "SEEN":
            _seen(found[parts[0], parts[1]], parts[2], item)
        elif kind == "ACCOUNT":
            _shared(found[parts[0], parts[1]], parts[2], item)
        elif kind == "REGISTRY" and item["sk"].startswith("HEAD#"):
            source = found[parts[0], item["source"]]
            source.documents = max(source.documents, item["documents"])
    return dict(found)


def _seen(source: Learnt, identity: str, item: Item) -> None:
    day = date.fromisoformat(item["sk"].partition("#")[0])
    whose = [(source.identities, identity)]
    whose += [(source.clients, client.hex()) for client in item.get("clients", ())]
    for kept, name in whose:
        days = kept.setdefault(name, {})
        days[day] = days.get(day, frozenset()) | item["marks"]


def _shared(source: Learnt, account: str, item: Item) -> None:
    day = date.fromisoformat(item["sk"].partition("#")[0])
    days = source.accounts.setdefault(account, {})
    seen, fresh = days.get(day, (0, 0))
    days[day] = seen + item["seen"], fresh + item["fresh"]


def _distinct(days: Days, span: int) -> int:
    windows = (_within(days, last, span) for last in days)
    return max((len(frozenset().union(*held)) for held in windows), default=0)


def _counted(days: Mapping[date, tuple[int, int]], span: int) -> int:
    """Add up what was new that day, or for longer what was new in its 30 days."""
    which = 0 if span == 1 else 1
    windows = (_within(days, last, span) for last in days)
    return max((sum(day[which] for day in held) for held in windows), default=0)


def _within(days: Mapping[date, Any], last: date, span: int) -> list[Any]:
    first = last - timedelta(days=span - 1)
    return [held for day, held in days.items() if first <= day <= last]


def scanned(client: Any, table: str) -> Iterator[Item]:
    """Read what a table remembers of learning."""
    names = [f":{kind.lower()}" for kind in KINDS]
    pages = client.get_paginator("scan").paginate(
        TableName=table,
        ConsistentRead=True,
        FilterExpression=" OR ".join(f"begins_with(pk, {name})" for name in names),
        ExpressionAttributeValues={
            name: {"S": f"{kind}#"} for name, kind in zip(names, KINDS, strict=True)
        },
    )
    for page in pages:
        yield from map(plain, page["Items"])


def report(found: Mapping[tuple[str, str], Learnt]) -> Iterator[str]:
    """Say it as a table and, last, as one JSON line of the highest shares."""
    yield f"| tenant | source | documents | most by | {' | '.join(SPANS)} |"
    yield f"|---|---|---|---|{'---|' * len(SPANS)}"
    for (tenant, name), source in sorted(found.items()):
        for scope in SCOPES:
            cells = [
                f"{source.most(scope, span)} ({source.share(scope, span):.2f} %)"
                for span in SPANS.values()
            ]
            head = f"| {tenant} | {name} | {source.documents} | {scope} |"
            yield f"{head} {' | '.join(cells)} |"
    yield json.dumps(figures(found))


def figures(found: Mapping[tuple[str, str], Learnt]) -> dict[str, dict[str, float]]:
    """Give the highest share of any source, by scope and span, in percent."""
    return {
        scope: {
            name: max((s.share(scope, span) for s in found.values()), default=0.0)
            for name, span in SPANS.items()
        }
        for scope in SCOPES
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the coverage of a table."""
    parser = argparse.ArgumentParser(prog="python -m infra.coverage")
    parser.add_argument("--table", default=os.environ.get("VITRINE_TABLE", "vitrine"))
    parser.add_argument("--endpoint", help="DynamoDB's address, AWS's own by default")
    asked = parser.parse_args(arguments)
    try:
        with closing(boto3.client("dynamodb", endpoint_url=asked.endpoint)) as client:
            print(*report(learnt(scanned(client, asked.table))), sep="\n")
    except (BotoCoreError, ClientError) as error:
        # The last line is JSON whatever happens.
        print(json.dumps({"error": f"{asked.table}: {error}"}))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

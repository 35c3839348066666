"""What the handler adds to the engine: ``python -m infra.bench search --rows 50000``.

The execute handler runs in this process as in its Lambda environment: token, budgets,
projection and guard on, a real engine and the table behind it. The bare requests are
what the engine was sent for the same question, sent again over a plain connection.
Both are measured in turns, so that the machine's load falls on both alike. The time in
the table is told apart: here an emulator keeps it, which is slower than DynamoDB.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import boto3

from infra.local import typesense
from infra.local.demo import shop
from infra.local.folders import ROOT
from infra.local.stack import Stack
from vitrine.edge.wiring import Wiring
from vitrine.registry.profiles import registry_for
from vitrine.store.registry import put_registry
from vitrine.store.table import Table
from vitrine.typesense.client import connect
from vitrine.typesense.encode import Press
from vitrine.typesense.publish import PATIENCE, publish_all
from vitrine.typesense.sample import samples

TENANT, SOURCE, PROFILE = "aurore", "products", "closed"
KEY = b"the bench's own key"
ASKED_EACH = 8
"""Questions of one identity: its budgets must hold for all of them."""
Call = Callable[[], None]
Tree = dict[str, Any]


@dataclass(slots=True)
class Side:
    """An engine under the handler: what to ask, and how to ask it bare."""

    source: str
    trees: Sequence[Tree]
    record: Callable[[Wiring], None]
    """Begin to keep what the engine is sent, once the handler has built it."""
    bare: Call
    """Send again what the last question made the engine be sent."""


@dataclass(slots=True)
class Clock:
    """How long, and how often, the table was asked for since the last reading."""

    seconds: float = 0.0
    calls: int = 0

    def read(self) -> tuple[float, int]:
        """Give both and begin anew."""
        told = self.seconds, self.calls
        self.seconds, self.calls = 0.0, 0
        return told


@dataclass(slots=True)
class Watched:
    """A client of the table whose time is taken."""

    client: Any
    clock: Clock

    def __getattr__(self, name: str) -> Any:
        """Give an operation that reports its time."""
        operation = getattr(self.client, name)

        def timed(*args: Any, **more: Any) -> Any:
            start = time.perf_counter()
            try:
                return operation(*args, **more)
            finally:
                self.clock.seconds += time.perf_counter() - start
                self.clock.calls += 1

        return timed


@dataclass(slots=True)
class Taken:
    """The milliseconds of every round."""

    handler: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    store: list[float] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    budgets: bool = True


def main(arguments: Sequence[str]) -> int:
    """Run the bench and print JSON last."""
    given = _parser().parse_args(arguments)
    with Stack(parts=("typesense", "gateway")) as stack, ExitStack() as ends:
        side = ENGINES[given.engine](stack, given.rows, ends)
        if side is None:
            print(typesense.ABSENT)
            return 1
        taken = _measured(stack, side, given.rounds)
    print(json.dumps(_told(given, taken)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.bench search")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="typesense")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=10)
    return parser


def _told(given: argparse.Namespace, taken: Taken) -> dict[str, Any]:
    handler, bare, store = map(median, (taken.handler, taken.bare, taken.store))
    own = median(h - s for h, s in zip(taken.handler, taken.store, strict=True))
    return {
        "engine": given.engine,
        "rows": given.rows,
        "questions": len(taken.handler),
        "handler_ms": round(handler, 2),
        "without_store_ms": round(own, 2),
        "bare_ms": round(bare, 2),
        "ratio": round(own / bare, 2),
        "store_ms": round(store, 2),
        "store_calls": median(taken.calls),
        "budgets": taken.budgets,
        "load": round(os.getloadavg()[0], 1),
    }


def _measured(stack: Stack, side: Side, rounds: int) -> Taken:
    """Ask each question in turns: bare, then through the handler."""
    clock, taken = Clock(), Taken()
    with _handling(stack, clock) as (handle, wiring):
        tokens = _tokens(stack, (rounds + 1) * len(side.trees))
        ask = _asker(handle, side.source)
        ask(side.trees[0], next(tokens))
        side.record(wiring)
        for _ in range(rounds):
            for tree in side.trees:
                _round(ask, tree, next(tokens), clock, taken, side.bare)
    return taken


def _round(  # noqa: PLR0917 - one round's parts, called once
    ask: Callable[[Tree, str], Any],
    tree: Tree,
    token: str,
    clock: Clock,
    taken: Taken,
    bare: Call,
) -> None:
    clock.read()
    start = time.perf_counter()
    body = ask(tree, token)
    taken.handler.append((time.perf_counter() - start) * 1000)
    seconds, calls = clock.read()
    taken.store.append(seconds * 1000)
    taken.calls.append(calls)
    taken.budgets &= body["budget"] is not None and len(body["hits"]) <= 10
    start = time.perf_counter()
    bare()
    taken.bare.append((time.perf_counter() - start) * 1000)


@contextmanager
def _handling(stack: Stack, clock: Clock) -> Iterator[tuple[Any, Wiring]]:
    """Load the handler as its environment would, with the table's time taken."""
    os.environ |= stack.environ
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        sys.path.insert(0, str(ROOT / "functions" / "execute"))
        module = import_module("handler")
        wiring: Wiring = module.wiring
        client: Any = Watched(wiring.table.client, clock)
        wiring.table = Table(client, stack.table)
        yield module.lambda_handler, wiring


def _asker(handle: Any, source: str) -> Callable[[Tree, str], Any]:
    def ask(tree: Tree, token: str) -> Any:
        answer = handle(_event({"source": source, "tree": tree}, token), _Context())
        body = json.loads(answer["body"])
        if answer["statusCode"] != 200:
            raise RuntimeError(body)
        return body

    return ask


class _Context:
    """What Lambda tells a function of itself."""

    function_name = "Execute"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:local:0:function:Execute"
    aws_request_id = "bench"


def _event(body: Mapping[str, Any], token: str) -> dict[str, Any]:
    path, agent = "/v1/execute", "bench"
    route = {"method": "POST", "path": path, "sourceIp": "127.0.0.1"}
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    return {
        "version": "2.0",
        "routeKey": f"POST {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": headers | {"user-agent": agent},
        "requestContext": {
            "http": route,
            "requestId": agent,
            "stage": "$default",
            "domainName": "localhost",
        },
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }


def _tokens(stack: Stack, number: int) -> Iterator[str]:
    """Mint tokens beforehand, a new identity's every few questions."""
    claims = {"tenant": TENANT, "client": "bench", "scope": f"{SOURCE}:read"}
    users = range(-(-number // ASKED_EACH))
    minted = [stack.token(**claims, user=f"u{n}", account=f"a{n}") for n in users]
    return iter([token for token in minted for _ in range(ASKED_EACH)])


def on_typesense(stack: Stack, rows: int, ends: ExitStack) -> Side | None:
    """Publish the shop in a size, and ask it what shoppers ask."""
    node = stack.typesense
    if node is None:
        return None
    client = ends.enter_context(_closing(connect(node.url, node.key, timeout=PATIENCE)))
    manifest = shop.manifest()
    bare = registry_for(manifest, PROFILE, tenant=TENANT)
    press = Press([bare], KEY, datetime.now(UTC))
    (run,) = publish_all(
        client,
        press,
        shop.records(TENANT, rows),
        stamp="1",
        publishable=shop.publishable,
    )
    seen = samples(client, bare)
    size = run.documents
    whole = registry_for(manifest, PROFILE, tenant=TENANT, documents=size, samples=seen)
    dynamo = ends.enter_context(closing(boto3.client("dynamodb", **_aws(stack))))
    put_registry(Table(dynamo, stack.table), whole, now=datetime.now(UTC))
    wire = Wire(node.url)
    ends.callback(wire.close)
    return Side(SOURCE, questions(), wire.record, wire.replay)


@contextmanager
def _closing(client: Any) -> Iterator[Any]:
    with closing(client.api_call):
        yield client


def _aws(stack: Stack) -> dict[str, Any]:
    said = stack.aws.environ()
    return {
        "endpoint_url": stack.aws_url,
        "region_name": said["AWS_DEFAULT_REGION"],
        "aws_access_key_id": said["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": said["AWS_SECRET_ACCESS_KEY"],
    }


class Wire:
    """What the engine sends, kept; and a plain connection to send it again."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._line = http.client.HTTPConnection(parts.hostname or "", parts.port)
        self._sent: list[Any] = []
        self._client: Any = None

    def record(self, wiring: Wiring) -> None:
        """Stand between the engine and its client."""
        registry = wiring.registries.get(TENANT, SOURCE, PROFILE)
        engine: Any = wiring.engine(registry)
        self._client, engine._client = engine._client, self  # noqa: SLF001 - a tap on the wire

    @property
    def multi_search(self) -> Wire:
        """Stand for the client's own part."""
        return self

    def perform(self, body: Any) -> Any:
        """Send for the engine, and keep what was sent."""
        self._sent.append(body)
        return self._client.multi_search.perform(body)

    def replay(self) -> None:
        """Send the last question's requests again, and read the answers."""
        sent, self._sent = self._sent, []
        headers = {"x-typesense-api-key": "sealed", "content-type": "application/json"}
        for body in sent:
            self._line.request("POST", "/multi_search", json.dumps(body), headers)
            answer = json.loads(self._line.getresponse().read())
            if not all("found" in result for result in answer["results"]):
                raise RuntimeError(answer)

    def close(self) -> None:
        """End the connection."""
        self._line.close()


def questions() -> list[Tree]:
    """Ask as shoppers do: words, filters, both, ranges, negations, alternatives."""
    oak, lamp = _is("material", "oak"), _is("category", "floor_lamp")
    cheap = _rule("price", "less_than", 30_000)
    return [
        _all(_text("lampe")),
        _all(_text("table en chêne")),
        _all(_text("fauteuil"), cheap),
        _all(_text("oak table"), _is("room", "living_room"), cheap),
        _all(oak),
        _all(lamp, _rule("price", "between", [5_000, 20_000])),
        _all(
            _rule("material", "in", ["oak", "walnut", "beech"]),
            _is("style", "scandinavian"),
        ),
        _all(_rule("material", "not_in", ["steel", "glass"]), lamp, cheap),
        _all({"type": "group", "operator": "or", "rules": [oak, lamp]}, cheap),
        _all(_rule("width", "less_than", 80), _is("in_stock", value=True)),
        _all(_text("lampadaire"), _is("availability", "in_stock")),
        _all(
            _rule("rating", "greater_or_equal", 4),
            _rule("added", "in_period", "last_30_days"),
        ),
    ]


def _all(*rules: Tree) -> Tree:
    return {"type": "group", "operator": "and", "rules": list(rules)}


def _rule(key: str, operator: str, value: Any) -> Tree:
    return {"field": key, "operator": operator, "value": value}


def _is(key: str, value: Any) -> Tree:
    return _rule(key, "equals", value)


def _text(words: str) -> Tree:
    return _rule("full_text_search", "keyword_search", words)


ENGINES: Mapping[str, Callable[[Stack, int, ExitStack], Side | None]] = {
    "typesense": on_typesense,
}

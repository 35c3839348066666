"""What the handler adds to the engine.

    python -m infra.bench search [--engine typesense|postgres] [--rows 50000]

The execute handler runs in this process as in its Lambda environment: token, budgets,
projection and guard on, a real engine and the table behind it. The bare requests are
what the engine was sent for the same question, sent again over a plain connection.
Both are measured in turns, so that the machine's load falls on both alike. The time in
the table is told apart: here an emulator keeps it, which is slower than DynamoDB.

``handler_ms`` is the whole, ``store_ms`` the sum of its ``store_calls`` to the table,
one after the other and each with its client's computing; ``without_store_ms`` is the
median of the differences, ``bare_ms`` the engine alone, ``ratio`` one over the other.
Calls that ran beside the engine would be taken off twice: they need another sum.
On a busy machine the engine, which computes more, waits longer, and the ratio falls:
compare runs of a quiet one.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from infra.bench.sides import SIDES, TENANT, Call, Side, Tree
from infra.local import typesense
from infra.local.folders import ROOT
from infra.local.stack import Part, Stack
from vitrine.store.table import Table

if TYPE_CHECKING:
    # Its logger takes the output that is there when it is imported.
    from vitrine.edge.wiring import Wiring

ASKED_EACH = 8
"""Questions of one identity: its budgets must hold for all of them."""
AGENT = "bench"
_PAGE = 10


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
    """The table, whose time is taken: on the wire, and in reading what came of it."""

    table: Table
    clock: Clock

    def __getattr__(self, name: str) -> Any:
        """Give an operation that reports its time."""
        operation = getattr(self.table, name)

        def timed(*args: Any, **more: Any) -> Any:
            start = time.perf_counter()
            try:
                found = operation(*args, **more)
                # A query reads its pages as they are taken.
                return list(found) if isinstance(found, Iterator) else found
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

    def forget(self) -> None:
        """Begin anew: what warmed up does not count."""
        for kept in (self.handler, self.bare, self.store, self.calls):
            kept.clear()


def main(arguments: Sequence[str]) -> int:
    """Run the bench and print JSON last."""
    given = _parser().parse_args(arguments)
    parts: tuple[Part, ...] = (given.engine, "gateway")
    with Stack(parts=parts) as stack, ExitStack() as ends:
        side = SIDES[given.engine](stack, given.rows, ends)
        if side is None:
            print(typesense.ABSENT)
            return 1
        taken = _measured(stack, side, given.rounds)
    print(json.dumps(_told(given, taken)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.bench search")
    parser.add_argument("--engine", choices=sorted(SIDES), default="typesense")
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
    """Ask each question in turns, bare and through the handler, now one first, now
    the other: who asks second finds the engine warm.
    """
    clock, taken = Clock(), Taken()
    with _handling(stack, clock) as (handle, wiring):
        tokens = _tokens(stack, side.source, (rounds + 1) * len(side.trees) + 1)
        ask = _asker(handle, side.source)
        ask(side.trees[0], next(tokens))
        side.record(wiring)
        turns = [Turn(ask, tree, clock, taken) for tree in side.trees]
        for turn in turns:
            turn.handled(next(tokens))
            turn.bare = side.ready()
        taken.forget()
        # What filled the engine lives in this process, and in no Lambda environment.
        gc.collect()
        gc.freeze()
        for number in range(rounds):
            for turn in turns:
                turn.take(side, next(tokens), bare_first=bool(number % 2))
    return taken


@dataclass(slots=True)
class Turn:
    """One question, and what asks it bare: what the engine was sent the last time."""

    ask: Callable[[Tree, str], Any]
    tree: Tree
    clock: Clock
    taken: Taken
    bare: Call = field(default=lambda: None)

    def take(self, side: Side, token: str, *, bare_first: bool) -> None:
        """Take both times."""
        if bare_first:
            self.alone()
        self.handled(token)
        again = side.ready()
        if not bare_first:
            self.alone()
        self.bare = again

    def handled(self, token: str) -> None:
        """Ask through the handler."""
        taken, clock = self.taken, self.clock
        clock.read()
        start = time.perf_counter()
        body = self.ask(self.tree, token)
        taken.handler.append((time.perf_counter() - start) * 1000)
        seconds, calls = clock.read()
        taken.store.append(seconds * 1000)
        taken.calls.append(calls)
        taken.budgets &= body["budget"] is not None and len(body["hits"]) <= _PAGE

    def alone(self) -> None:
        """Ask the engine alone."""
        start = time.perf_counter()
        self.bare()
        self.taken.bare.append((time.perf_counter() - start) * 1000)


@contextmanager
def _handling(stack: Stack, clock: Clock) -> Iterator[tuple[Any, Wiring]]:
    """Load the handler as its environment would, with the table's time taken."""
    os.environ |= stack.environ
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        sys.path.insert(0, str(ROOT / "functions" / "execute"))
        module = import_module("handler")
        wiring: Wiring = module.wiring
        watched: Any = Watched(wiring.table, clock)
        wiring.table = watched
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
    aws_request_id = AGENT


def _event(body: Mapping[str, Any], token: str) -> dict[str, Any]:
    path = "/v1/execute"
    route = {"method": "POST", "path": path, "sourceIp": "127.0.0.1"}
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    return {
        "version": "2.0",
        "routeKey": f"POST {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": headers | {"user-agent": AGENT},
        "requestContext": {
            "http": route,
            "requestId": AGENT,
            "stage": "$default",
            "domainName": "localhost",
        },
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }


def _tokens(stack: Stack, source: str, number: int) -> Iterator[str]:
    """Mint tokens beforehand, a new identity's every few questions."""
    claims = {"tenant": TENANT, "client": AGENT, "scope": f"{source}:read"}
    users = range(-(-number // ASKED_EACH))
    minted = [stack.token(**claims, user=f"u{n}", account=f"a{n}") for n in users]
    return iter([token for token in minted for _ in range(ASKED_EACH)])

"""The real handlers' code in this process: a clock of ours, everything else theirs.

Tokens are signed and verified, budgets charged, answers released; HTTP's functions
(``edge.searching``) and MCP's desk (``edge.agents``) are what is called.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from infra.attack.outputs import Watch
from infra.attack.tool import PAGE, Number, Question, Reply
from infra.local.issuer import CONFIGURATION, Issuer
from vitrine.caller import Surface
from vitrine.edge.agents import admission
from vitrine.edge.exchange import Asked, Form
from vitrine.edge.replies import Answered, Explained
from vitrine.edge.rules import judged
from vitrine.edge.searching import Wanted, explained, search
from vitrine.edge.settings import Trust
from vitrine.edge.telemetry import logger, metrics
from vitrine.edge.tokens import Keys, Verifier
from vitrine.edge.wiring import Wiring
from vitrine.problems import Problem
from vitrine.registry.profiles import Registry
from vitrine.seal import Refs, Ring
from vitrine.search.engine import Engine
from vitrine.store.table import Table

ISSUER = "http://127.0.0.1:1"
AUDIENCE = f"{ISSUER}/mcp"
PAUSE = timedelta(seconds=1.5)
"""Between two calls: below the rate limit, which is no budget."""
YEARS = 3 * 366 * 86_400
REFUSED = 429


@dataclass
class Clock:
    """The time, which stands still unless it is moved."""

    at: datetime

    def __call__(self) -> float:
        """Give the time in seconds."""
        return self.at.timestamp()

    def on(self, wait: timedelta = PAUSE) -> None:
        """Go on."""
        self.at += wait

    def to_midnight(self) -> None:
        """Go on to a second after the coming UTC midnight."""
        day = self.at.astimezone(UTC).replace(hour=0, minute=0, second=1, microsecond=0)
        self.at = day + timedelta(days=1)


Served = Mapping[tuple[str, str, str], Engine]
"""Engines by tenant, source and profile."""


class Gate(Wiring):
    """The parts of an environment, with what a run brings along."""

    def __init__(self, clock: Clock, table: Table, engines: Served) -> None:
        """Take clock, table and engines; keys are this run's own."""
        super().__init__(environ={}, seconds=clock)
        self.clock = clock
        self.watch = Watch()
        self._kept = table
        self._engines = engines
        self._issuer = Issuer()
        self._issuer.url, self._issuer.audience = ISSUER, AUDIENCE
        self._sealing = Ring([bytes(range(32))], self.nonce)
        self._naming = Refs(bytes(range(1, 33)))

    @cached_property
    def table(self) -> Table:
        """Give the table of this run."""
        return self._kept

    @cached_property
    def verifier(self) -> Verifier:
        """Judge this run's own tokens, by this run's clock."""
        trust = Trust(issuer=ISSUER, audience=AUDIENCE)
        return Verifier(trust, Keys(trust, self._published), self.seconds)

    def _published(self, url: str) -> bytes:
        issuer = self._issuer
        wanted = url.endswith(CONFIGURATION)
        return json.dumps(issuer.configuration() if wanted else issuer.keys()).encode()

    @property
    def ring(self) -> Ring:
        """Seal with this run's key."""
        return self._sealing

    @property
    def refs(self) -> Refs:
        """Name documents with this run's key."""
        return self._naming

    def engine(self, registry: Registry) -> Engine:
        """Give the engine that serves a registry here."""
        return self._engines[registry.tenant, registry.source, registry.profile]

    def bearer(self, **claims: Any) -> str:
        """Sign a token that outlives the run."""
        now = int(self.clock())
        claims |= {"iat": now, "nbf": now, "exp": now + YEARS}
        return f"Bearer {self._issuer.token(**claims)}"


@dataclass(frozen=True, slots=True)
class _Body:
    """A tree that a request brings."""

    source: str
    tree: dict[str, Any]


@dataclass
class Visitor:
    """One identity at the gate, and what it has learnt."""

    gate: Gate
    source: str
    bearer: str
    calls: int = 0
    seen: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)
    untyped: int = 0
    page: int = PAGE

    def ask(self, question: Question) -> Reply:
        """Search as HTTP does, by pages as large as there are any."""
        limit = min(question.limit, self.page)
        wanted = Wanted(
            self.source,
            tree=question.tree,
            cursor=question.cursor,
            limit=limit,
        )
        return replace(self._called(lambda: self._executed(wanted)), page=limit)

    def explain(self, tree: dict[str, Any]) -> Reply:
        """Ask why a tree finds nothing, as HTTP does."""
        return self._called(lambda: self._explained(Wanted(self.source, tree=tree)))

    def judge(self, tree: dict[str, Any]) -> Reply:
        """Have a tree validated, as HTTP does."""
        return self._called(lambda: self._judged(_Body(self.source, tree)))

    def tool(self, name: str, **arguments: Any) -> Reply:
        """Call an MCP tool."""
        return self._called(lambda: self._told(name, arguments))

    def _executed(self, wanted: Wanted) -> dict[str, Any]:
        caller = self.gate.caller(self.bearer, "en", Surface.API)
        answer = search(self.gate, caller, wanted)
        return Answered.of(answer).model_dump(mode="json")

    def _explained(self, wanted: Wanted) -> dict[str, Any]:
        caller = self.gate.caller(self.bearer, "en", Surface.API)
        told = explained(self.gate, caller, wanted)
        return Explained.of(told).model_dump(mode="json")

    def _judged(self, body: _Body) -> dict[str, Any]:
        caller = self.gate.caller(self.bearer, "en", Surface.API)
        return judged(self.gate, caller, body).model_dump(mode="json")

    def _told(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        desk = admission(self.gate)({"authorization": self.bearer})
        told = desk.call(Asked(name, {"language": "en", **arguments}))
        if isinstance(told, Form):
            return {"text": told.message}
        data, text = told
        return {**data, "text": text}

    def _called(self, call: Callable[[], dict[str, Any]]) -> Reply:
        """Make one call; a refusal is a reply, and anything else raised is noted."""
        self.gate.clock.on()
        self.calls += 1
        metrics.clear_metrics()
        try:
            body = call()
        except Problem as problem:
            return self._refused(problem)
        except Exception:  # noqa: BLE001 - whatever leaves untyped is a finding
            self.untyped += 1
            return Reply(refused="untyped")
        self.gate.watch.read(body)
        reply = _reply(body)
        self.seen |= {hit["ref"]: hit for hit in reply.hits}
        return reply

    def _refused(self, problem: Problem) -> Reply:
        body = problem.body()
        self.gate.watch.read(body)
        limit = problem.status == REFUSED
        typed = not limit or bool(body.get("retry_after"))
        self.untyped += problem.status >= Problem.status or not typed
        code = str(body.get("budget") or problem.code)
        self.refusals[code] = self.refusals.get(code, 0) + 1
        return Reply(refused=code, body=body)


def quiet() -> None:
    """Write no line per query: a run makes tens of thousands."""
    logger.setLevel("CRITICAL")


def _reply(body: Mapping[str, Any]) -> Reply:
    facets = body.get("facets", {})
    # Numbers of a wider search say nothing of this one.
    wider = "counted_wider" in body.get("report", {}).get("notes", ())
    return Reply(
        hits=body.get("hits", ()),
        total=_number({} if wider else body.get("total", {})),
        facets={
            key: {v["value"]: _number(v["count"]) for v in values}
            for key, values in facets.items()
        },
        cursor=body.get("next_cursor"),
        body=body,
    )


def _number(told: Any) -> Number:
    """Read a number as HTTP says it, or as MCP's facets do: "fewer than 10"."""
    if isinstance(told, Mapping):
        return Number(told.get("number", 0), told.get("kind", "at_least"))
    said, _, number = str(told).rpartition(" ")
    return Number(int(number), said.replace(" ", "_") or "exact")

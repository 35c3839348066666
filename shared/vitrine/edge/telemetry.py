"""Logs and metrics: one line per query, and the latency of every invocation.

What is logged is what an operator needs to see a crawl: who (hashed), through which
client and surface, which tree (hashed) and fields, how much was shown and is left.
Neither the person's words nor a document's values are written, and of an error no
words at all: see ``failures``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.metrics import MetricUnit

from vitrine.caller import Caller
from vitrine.disclosure.answer import Answer
from vitrine.edge.failures import Failed, failure, hush
from vitrine.edge.settings import UnsetError
from vitrine.interpret.turn import Outcome
from vitrine.lexicon.read import NAME as LEXICON
from vitrine.problems import Problem
from vitrine.search.explain import Explanation
from vitrine.search.lookup import Looked
from vitrine.session import Turn
from vitrine.tree.model import Group, leaves
from vitrine.tree.walk import tree_hash

logger = Logger()
metrics = Metrics(namespace="vitrine")
Handler = Callable[[dict[str, Any], Any], Any]
hush()


def observed(handler: Handler) -> Handler:
    """Give a handler its correlation id, its latency metric and its flush."""
    inner = metrics.log_metrics(capture_cold_start_metric=True)(_timed(handler))
    named = logger.inject_lambda_context(
        correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True
    )
    wrapped: Handler = named(inner)
    return wrapped


TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
"""W3C Trace Context, 3.2; anything else that calls itself so is not repeated."""


def traced(value: Any) -> str | None:
    """Put a caller's trace on every further line of this invocation, if it is one."""
    if not isinstance(value, str) or not TRACEPARENT.fullmatch(value):
        return None
    logger.append_keys(traceparent=value)
    return value


def _timed(handler: Handler) -> Handler:
    @wraps(handler)
    def timed(event: dict[str, Any], context: Any) -> Any:
        start = time.perf_counter()
        trace = traced((event.get("headers") or {}).get("traceparent"))
        try:
            answer = handler(event, context)
        except (Problem, UnsetError):
            # Our own words, which quote nobody.
            raise
        except Exception as error:  # noqa: BLE001 - raised again, without its words
            unforeseen(error)
            raise Failed(type(error).__name__) from None
        finally:
            spent = (time.perf_counter() - start) * 1000
            metrics.add_metric("Latency", MetricUnit.Milliseconds, spent)
        if trace and "statusCode" in answer:
            answer.setdefault("headers", {})["traceparent"] = trace
        return answer

    return timed


def failed(what: str, error: BaseException, **more: Any) -> None:
    """Write the one line of a part that failed and was foreseen to."""
    logger.warning(what, extra=more | {"failure": failure(error)})


def unforeseen(error: BaseException) -> None:
    """Write the one line of what nobody foresaw."""
    logger.error("unforeseen", extra={"failure": failure(error)})


def searched(caller: Caller, source: str, *, answer: Answer, tree: Group) -> None:
    """Write the one line of a query, and count what was shown."""
    budget = answer.budget
    line = {
        "source": source,
        "tree": tree_hash(tree),
        "fields": sorted({rule.field for _, rule in leaves(tree)}),
        "facets": sorted(answer.facets),
        "mode": answer.report.get("mode"),
        "shown": len(answer.hits),
        "session_left": budget and budget.session_left,
        "day_left": budget and budget.day_left,
    }
    logger.info("query", extra=identified(caller) | line)
    metrics.add_metric("Shown", MetricUnit.Count, len(answer.hits))
    revealed = sum(map(len, answer.facets.values()))
    metrics.add_metric("FacetValues", MetricUnit.Count, revealed)


def found(caller: Caller, source: str, *, looked: Looked) -> None:
    """Write the one line of a look-up: how many were found, and how many not."""
    budget = looked.answer.budget
    line = {
        "source": source,
        "shown": len(looked.answer.hits),
        "missed": len(looked.missing),
        "day_left": budget and budget.day_left,
    }
    logger.info("look-up", extra=identified(caller) | line)
    metrics.add_metric("Shown", MetricUnit.Count, len(looked.answer.hits))


def read(caller: Caller, source: str) -> None:
    """Write the one line of a record that was read in full."""
    logger.info("record", extra=identified(caller) | {"source": source})
    metrics.add_metric("Shown", MetricUnit.Count, 1)


def noted(caller: Caller, source: str, action: str) -> None:
    """Write the one line of a write; its words stand in no log."""
    logger.info("note", extra=identified(caller) | {"source": source, "did": action})
    metrics.add_metric("Notes", MetricUnit.Count, 1)


def diagnosed(caller: Caller, source: str, *, told: Explanation, tree: Group) -> None:
    """Write the one line of an explained search."""
    line = {
        "source": source,
        "tree": tree_hash(tree),
        "fields": sorted({rule.field for _, rule in leaves(tree)}),
        "blocking": len(told.blocking),
        "suggested": len(told.suggestions),
    }
    logger.info("explain", extra=identified(caller) | line)


def turned(caller: Caller, source: str, outcome: Outcome, *, why: str = "") -> None:
    """Write the one line of a turn, and count what it cost and who read it.

    The retry rate is ``TurnRetries`` over ``TurnCalls``, the lexicon's share
    ``TurnByLexicon`` over the number of its samples.
    """
    tally, gate = outcome.tally, outcome.gate
    line = {
        "source": source,
        "intent": outcome.turn.intent,
        "by": outcome.by,
        "why": why or outcome.why,
        "calls": tally.calls,
        "gate_calls": gate.calls,
        "retries": tally.retries,
        "tokens": outcome.total.tokens,
        "micros": outcome.total.micros,
        "ms": outcome.millis,
    }
    logger.info("turn", extra=identified(caller) | line)
    counted = {
        "TurnCalls": tally.calls,
        "TurnRetries": tally.retries,
        "TurnTokens": outcome.total.tokens,
        "TurnMicros": outcome.total.micros,
        "TurnByLexicon": int(outcome.by == LEXICON),
        "GateCalls": gate.calls,
        "OffTopic": int(_astray(outcome.turn)),
    }
    for name, number in counted.items():
        metrics.add_metric(name, MetricUnit.Count, number)
    metrics.add_metric("TurnLatency", MetricUnit.Milliseconds, outcome.millis)


def _astray(turn: Turn) -> bool:
    return turn.clarify is not None and turn.clarify.reason == "off_topic"


def identified(caller: Caller) -> dict[str, Any]:
    """Name a caller for a log line without naming the person."""
    return {
        "tenant": caller.tenant,
        "identity": caller.identity,
        "client": caller.client,
        "surface": str(caller.surface),
    }

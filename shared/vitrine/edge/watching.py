"""What an operator watches: how far days are used, crawls, canaries, refusals.

Every figure is one of an unnamed caller's own; the metrics keep the worst of a minute,
and the log says whose it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from aws_lambda_powertools.metrics import MetricUnit

from vitrine.caller import Caller
from vitrine.edge.telemetry import identified, logger, metrics
from vitrine.problems import Refused

FIGURES: Mapping[str, tuple[str, MetricUnit]] = MappingProxyType(
    {
        "tenant_day": ("TenantDay", MetricUnit.Percent),
        "client_day": ("ClientDay", MetricUnit.Percent),
        "coverage": ("Coverage", MetricUnit.Percent),
        "likeness": ("CrawlLikeness", MetricUnit.Percent),
        "canaries": ("Canaries", MetricUnit.Count),
    }
)
"""Metrics by the name under which a search tells a figure."""
LOUD = frozenset({"canaries"})
"""What is written beside its metric, since a person has to look who it was."""


def measured(caller: Caller, figures: Mapping[str, float]) -> None:
    """Count what a search tells of its caller; write a line of what is alarming."""
    for key, value in figures.items():
        name, unit = FIGURES[key]
        metrics.add_metric(name, unit, value)
    loud = {key: value for key, value in figures.items() if key in LOUD}
    if loud:
        logger.warning("canary", extra=identified(caller) | loud)


@contextmanager
def refusals(caller: Caller, source: str) -> Iterator[None]:
    """Count a refusal and write its line, whoever is told of it and how."""
    try:
        yield
    except Refused as refused:
        line = {
            "source": source,
            "code": refused.code,
            "budget": refused.members.get("budget"),
            "retry_after": refused.members.get("retry_after"),
        }
        logger.info("refused", extra=identified(caller) | line)
        metrics.add_metric("Refused", MetricUnit.Count, 1)
        raise

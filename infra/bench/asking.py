"""The large library's registry, and how its benches ask it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import psycopg

from infra.local.demo.media import definitions
from infra.local.folders import ROOT
from vitrine.caller import Caller
from vitrine.postgres.line import Connect, connector
from vitrine.postgres.search import Postgres
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample

CALLER = Caller(tenant="aurore", subject="camille", client="bench", language="fr")
"""A member of two teams, who sees about two thirds of the library."""


def library(profile: str = "trusted", *, documents: int = 0) -> Registry:
    """Give the demo's library as a profile sees it, definitions included."""
    file = ROOT / "infra" / "sources" / "media.json"
    manifest = Manifest.model_validate_json(file.read_text(encoding="utf-8"))
    whole = manifest.extended(definitions(CALLER.tenant))
    return registry_for(whole, profile, tenant=CALLER.tenant, documents=documents)


def observed(dsn: str, manifest: Manifest) -> Mapping[str, Sample]:
    """Observe the library's values with a publisher's patience, not a search's."""
    engine = Postgres(connector(dsn), patience="60s")
    try:
        return engine.sample(CALLER, manifest)
    finally:
        engine.close()


def interleaved(jobs: Sequence[Callable[[], Any]], runs: int) -> list[float]:
    """Time jobs in turn, so that a busy moment meets all; give medians, in ms."""
    seconds: list[list[float]] = [[] for _ in jobs]
    for run in range(runs + 1):
        for kept, job in zip(seconds, jobs, strict=True):
            start = time.perf_counter()
            job()
            if run:  # the first warms up
                kept.append((time.perf_counter() - start) * 1_000)
    return [median(times) for times in seconds]


class Counted(psycopg.Connection[tuple[Any, ...]]):
    """A connection that counts its round trips: one a pipeline."""

    trips = 0

    def pipeline(self) -> Any:
        """Count, and open a pipeline."""
        Counted.trips += 1
        return super().pipeline()


def counting(dsn: str) -> Connect:
    """Give a factory of connections that count."""

    def connect() -> psycopg.Connection[tuple[Any, ...]]:
        return Counted.connect(dsn, autocommit=True, prepare_threshold=None)

    return connect

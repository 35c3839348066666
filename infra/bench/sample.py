"""Samples of 500 definitions: read by a request, and observed; JSON comes last.

    python -m infra.bench sample [--definitions 500] [--rows 6000] [--runs 30]

A tenant defines as many fields of its own as asked; its newest rows are sampled as
`sample_values` does it, and published. ``read_ms`` is what a request pays for all
samples of an environment that knows them; ``head_ms`` adds the look, every twenty
seconds, whether the version moved, over the local store's HTTP. Where it did move,
``load_ms`` reads the whole registry anew, manifest and samples, and ``samples_ms`` is
the part of it that the samples cost.
``observe_ms`` is the bounded scan, and ``fields`` how many samples came of it.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from statistics import median
from typing import Any

import psycopg
from psycopg import sql

from infra.local.demo.directory import load
from infra.local.folders import ROOT
from infra.local.stack import Stack
from vitrine.caller import Caller
from vitrine.postgres.line import connector
from vitrine.postgres.refresh import Patient
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample
from vitrine.store.registry import FRESH, Registries, put_registry
from vitrine.store.table import Table

TENANT = "bench"
NOBODY = Caller(TENANT, "nobody", "bench")
FILLED = 30
"""Values of a row, as the measured libraries had."""
KINDS = ("text", "number", "vocabulary", "date", "boolean")
COLUMNS = ("tenant", "language", "kind", "status", "title", "meta", "occurred_at")
_TENANT = sql.SQL("INSERT INTO directory.tenants VALUES (%s, 'Bench', 'en')")
_ANALYZE = sql.SQL("ANALYZE library.assets")


def main(arguments: list[str]) -> int:
    """Fill, observe, publish and read."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench sample")
    parser.add_argument("--definitions", type=int, default=500)
    parser.add_argument("--rows", type=int, default=6_000)
    parser.add_argument("--runs", type=int, default=30)
    asked = parser.parse_args(arguments)
    bare = _registry(asked.definitions)
    with Stack(parts=("postgres", "aws")) as stack:
        _filled(stack.dsn, asked.definitions, asked.rows)
        sampler = Patient(connector(stack.cluster.dsn(role="vitrine_service")))
        observed = [_timed(lambda: sampler.observe(NOBODY, bare)) for _ in range(3)]
        whole = bare.sampled(sampler.observe(NOBODY, bare))
        sampler.close()
        with closing(stack.aws.client("dynamodb")) as client:
            table = Table(client, stack.table)
            put_registry(table, whole, now=datetime.now(UTC))
            figures = _read(table, whole, asked.runs)
    figures |= {
        "observe_ms": round(median(observed), 1),
        "definitions": asked.definitions,
        "fields": len(whole.samples),
        "rows": asked.rows,
    }
    print(json.dumps(figures))
    return 0


def _read(table: Table, whole: Registry, runs: int) -> dict[str, float]:
    """Read every sample as requests do, with the clock as it moves between them."""
    clock = [0.0]
    registries = Registries(table, lambda: clock[0])
    name = (whole.tenant, whole.source, whole.profile)

    def read(pause: float) -> Callable[[], list[Sample]]:
        def every() -> list[Sample]:
            clock[0] += pause
            registry = registries.get(*name)
            return [registry.sample(key) for key in registry.filters]

        return every

    read(0)()
    packed = _packed(whole)
    timed = {
        "read_ms": read(0),
        "head_ms": read(FRESH),
        "load_ms": lambda: Registries(table, lambda: 0.0).get(*name),
        "samples_ms": lambda: _unpacked(packed),
    }
    return {
        key: round(median(_timed(job) for _ in range(runs)), 3)
        for key, job in timed.items()
    }


def _packed(registry: Registry) -> bytes:
    kept = {key: asdict(sample) for key, sample in registry.samples.items()}
    return zlib.compress(json.dumps(kept, ensure_ascii=False).encode(), 9)


def _unpacked(packed: bytes) -> dict[str, Sample]:
    """Make samples of what the store keeps, as reading a registry does."""
    content = json.loads(zlib.decompress(packed))
    return {
        key: Sample(tuple(s["values"]), tuple(s["labels"]), s["low"], s["high"])
        for key, s in content.items()
    }


def _timed(job: Callable[[], Any]) -> float:
    start = time.perf_counter()
    job()
    return (time.perf_counter() - start) * 1_000


def _registry(number: int) -> Registry:
    file = ROOT / "infra" / "sources" / "media.json"
    manifest = Manifest.model_validate_json(file.read_text(encoding="utf-8"))
    fields = (_field(n) for n in range(number))
    return registry_for(manifest.extended(fields), "trusted", tenant=TENANT)


def _field(number: int) -> Field:
    key = f"field_{number:03}"
    return Field(
        key=key,
        type=FieldType(KINDS[number % len(KINDS)]),
        label={"en": f"Field {number}", "fr": f"Champ {number}"},
        column=f"meta:{key}",
    )


def _filled(dsn: str, definitions: int, rows: int) -> None:
    """Load rows that fill thirty definitions each, in turn, and their vocabularies."""
    columns = ("tenant", "key", "type", "label", "position")
    terms = ("tenant", "field", "id", "language", "label", "is_public")
    with psycopg.connect(dsn) as connection:
        connection.execute(_TENANT, (TENANT,))
        load(connection, ("library", "definitions"), columns, _definitions(definitions))
        load(connection, ("library", "terms"), terms, _terms(definitions))
        more = (*COLUMNS, "owner", "is_public")
        load(connection, ("library", "assets"), more, _rows(definitions, rows))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_ANALYZE)


def _definitions(number: int) -> Iterator[Sequence[Any]]:
    for n in range(number):
        label = json.dumps({"en": f"Field {n}", "fr": f"Champ {n}"})
        yield TENANT, f"field_{n:03}", KINDS[n % len(KINDS)], label, n


def _terms(number: int) -> Iterator[Sequence[Any]]:
    for n in range(number):
        if KINDS[n % len(KINDS)] == "vocabulary":
            yield from (
                (TENANT, f"field_{n:03}", f"t{n}-{t}", "en", f"Term {t} of {n}", True)
                for t in range(60)
            )


def _rows(definitions: int, rows: int) -> Iterator[Sequence[Any]]:
    for n in range(rows):
        keys = ((n * FILLED + step) % definitions for step in range(FILLED))
        meta = {f"field_{k:03}": _value(k, n) for k in keys}
        at = f"2026-01-{1 + n % 28:02}T00:{n // 60 % 60:02}:{n % 60:02}Z"
        fixed = (TENANT, "en", "photo", "approved", f"Row {n}")
        yield (*fixed, json.dumps(meta), at, "bench", True)


def _value(key: int, row: int) -> Any:
    values: Iterable[Any] = (
        f"value {row % 40}",
        row % 1_000 / 4,
        f"t{key}-{row % 60}",
        f"2025-{1 + row % 12:02}-{1 + row % 28:02}",
        row % 2 == 0,
    )
    return tuple(values)[key % len(KINDS)]

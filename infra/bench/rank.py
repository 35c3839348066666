"""Rank a judged collection on PostgreSQL; one JSON line comes last.

    python -m infra.bench rank DOCS QUERIES [--provider URL --model NAME]
        [--weight W] [--reach R]

DOCS holds ``{id, title?, text}`` and QUERIES ``{id, text, qrels}``, a line each; what
is judged relevant gains 1. The documents become assets of a tenant of their own, and
each query is asked of the engine as any text is, through the service's view.

``ndcg10`` ranks by some of the words (mode ``partial``) whatever the ladder would have
taken: it measures the ranking. ``ladder_ndcg10`` leaves the ladder alone, as a search
does: rows with all the words come first, and a few words stay strict. ``bm25s_ndcg10``
is the same formula over exact counts and lengths, by bm25s itself where it is
installed; ``reference`` names what it was.
``hybrid_ndcg10`` is the product's hybrid search with the embedder that ``embedder``
names: the embedded one where its extra is installed, or a provider's, whose key is read
from ``EMBED_KEY``. Without either it is keyword search, as it is for a user.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from infra.bench import lucene
from infra.bench.files import Unfit, lines
from infra.bench.judging import Judged
from infra.local.demo.directory import load
from infra.local.folders import ROOT
from infra.local.stack import Stack
from vitrine.caller import Caller
from vitrine.models.embed import Provider, Universal, embedded
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Mode, Query
from vitrine.tree.conditions import TRUE, Method, Text

DEPTH = 100
TENANT = "bench"
Records = Sequence[Mapping[str, Any]]
_TENANT = sql.SQL("INSERT INTO directory.tenants VALUES (%s, 'Bench', 'en')")
_LEARN = sql.SQL("SELECT directory.learn('media', %s)")
_ANALYZE = sql.SQL("VACUUM (ANALYZE) library.assets")
_ANALYZE_VECTORS = sql.SQL("ANALYZE library.vectors")
VECTORS = ("tenant", "asset_id", "embedding")
BATCH = 256
COLUMNS = (
    "tenant",
    "id",
    "language",
    "kind",
    "status",
    "title",
    "description",
    "occurred_at",
    "owner",
    "is_public",
)


@dataclass(frozen=True, slots=True)
class Bench:
    """The loaded documents, asked as one caller."""

    engine: Postgres
    registry: Registry
    names: Mapping[str, str]

    def ranking(self, text: str, method: Method, mode: Mode | None) -> list[str]:
        """Give the ids of the first documents for a text."""
        caller = Caller(tenant=TENANT, subject="judge", client="bench")
        said = Text(text, method)
        query = Query(caller, self.registry, TRUE, said, limit=DEPTH, mode=mode)
        return [self.names[row.id] for row in self.engine.search(query).rows]


def main(arguments: list[str]) -> int:
    """Load, rank and score."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench rank")
    parser.add_argument("documents", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--provider")
    parser.add_argument("--model", default="")
    parser.add_argument("--weight", type=float)
    parser.add_argument("--reach", type=float)
    asked = parser.parse_args(arguments)
    documents, queries = _documents(asked.documents), _queries(asked.queries)
    embedder = _embedder(asked)
    with Stack(parts=("postgres",)) as stack:
        names = _loaded(stack.dsn, documents)
        if embedder:
            _embedded(stack.dsn, embedder, documents)
        line = connector(stack.cluster.dsn(role="vitrine_service"))
        engine = Postgres(line, embedder)
        registry = _registry(embedder.name if embedder else None)
        figures = _figures(Bench(engine, registry, names), queries)
        reference = lucene.reference(documents, stack.dsn)
        told = _judged(queries, reference.ranking)
        engine.close()
    figures |= {"bm25s_ndcg10": told.ndcg10, "reference": reference.name}
    print(json.dumps(figures | {"embedder": embedder.name if embedder else None}))
    return 0


def _embedder(asked: argparse.Namespace) -> Universal | Provider | None:
    key = os.environ.get("EMBED_KEY", "")
    found: Universal | Provider | None
    found = Provider(key, asked.provider, asked.model) if asked.provider else embedded()
    changed = {
        k: v for k in ("weight", "reach") if (v := getattr(asked, k)) is not None
    }
    return replace(found, **changed) if found and changed else found


def _figures(bench: Bench, queries: Records) -> dict[str, Any]:
    seconds: list[float] = []

    def timed(text: str) -> list[str]:
        start = time.perf_counter()
        found = bench.ranking(text, "keyword_search", "partial")
        seconds.append(time.perf_counter() - start)
        return found

    ranked = _judged(queries, timed)
    climbed = _judged(queries, lambda t: bench.ranking(t, "keyword_search", None))
    meant = _judged(queries, lambda t: bench.ranking(t, "hybrid_search", "partial"))
    return {
        "documents": len(bench.names),
        "queries": len(queries),
        "ndcg10": ranked.ndcg10,
        "map": ranked.mean_precision,
        "recall100": ranked.recall100,
        "hybrid_ndcg10": meant.ndcg10,
        "hybrid_recall100": meant.recall100,
        "ladder_ndcg10": climbed.ndcg10,
        "p50_ms": round(median(seconds) * 1_000, 1),
    }


def _judged(queries: Records, ranking: Callable[[str], list[str]]) -> Judged:
    return Judged.of((q["qrels"], ranking(q["text"])) for q in queries)


def _documents(path: Path) -> Records:
    """Read documents; raise ``Unfit`` for one without an id, or where there is none."""
    found = [_storable(one) for one in lines(path)]
    if not any(one["text"] or one["title"] for one in found):
        raise Unfit(f"{path}: no document with a text")
    return found


def _storable(one: Mapping[str, Any]) -> dict[str, str]:
    """Give a document without what PostgreSQL stores in no text."""
    if "id" not in one:
        raise Unfit(f"a document without an id: {str(one)[:80]}")
    title, text = (_clean(one.get(key)) for key in ("title", "text"))
    return {"id": str(one["id"]), "title": title, "text": text}


def _clean(text: Any) -> str:
    return re.sub("[\0\ud800-\udfff]", " ", str(text or ""))


def _queries(path: Path) -> Records:
    """Read queries; raise ``Unfit`` where none is judged."""
    found = [
        {"text": _clean(q.get("text")), "qrels": _judgments(q)} for q in lines(path)
    ]
    if not any(query["qrels"] for query in found):
        raise Unfit(f"{path}: no query with judgments")
    return found


def _judgments(query: Mapping[str, Any]) -> list[str]:
    """List what is relevant: what is judged 0 was looked at and is not."""
    told = query.get("qrels") or {}
    if isinstance(told, Mapping):
        return [str(key) for key, gain in told.items() if float(gain) > 0]
    return [str(key) for key in told]


def _registry(vectors: str | None) -> Registry:
    file = ROOT / "infra" / "sources" / "media.json"
    manifest = Manifest.model_validate_json(file.read_text(encoding="utf-8"))
    spoken = manifest.model_copy(update={"text_language": "en", "vectors": vectors})
    return registry_for(spoken, "trusted", tenant=TENANT)


def _loaded(dsn: str, documents: Records) -> dict[str, str]:
    """Load the documents as assets; give their own id by the asset's."""
    keys = [str(UUID(int=n + 1)) for n in range(len(documents))]
    with psycopg.connect(dsn) as connection:
        connection.execute(_TENANT, (TENANT,))
        load(connection, ("library", "assets"), COLUMNS, _rows(keys, documents))
        connection.execute(_LEARN, (TENANT,))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_ANALYZE)
    return {key: str(d["id"]) for key, d in zip(keys, documents, strict=True)}


def _embedded(dsn: str, embedder: Universal | Provider, documents: Records) -> None:
    """Embed what of each document is worth it, a batch at a time."""
    with psycopg.connect(dsn) as connection:
        for start in range(0, len(documents), BATCH):
            batch = documents[start : start + BATCH]
            texts = [
                embedder.essence(d.get("title") or "", d.get("text") or "")
                for d in batch
            ]
            keys = (str(UUID(int=n)) for n in range(start + 1, start + 1 + len(batch)))
            vectors = (str(vector) for vector in embedder.embed(texts))
            rows = ((TENANT, *pair) for pair in zip(keys, vectors, strict=True))
            load(connection, ("library", "vectors"), VECTORS, rows)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_ANALYZE_VECTORS)


def _rows(keys: Iterable[str], documents: Records) -> Iterable[Sequence[Any]]:
    for key, document in zip(keys, documents, strict=True):
        title, text = document.get("title") or "", document.get("text") or ""
        fixed = ("en", "document", "approved")
        yield (TENANT, key, *fixed, title, text, "2026-01-01", "judge", True)

"""A patient client, and the small shop as files and collections."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any, cast

import pytest
from typesense import Client
from typesense.types.collection import CollectionCreateSchema

from infra.local import typesense as local
from infra.local.demo import shop
from infra.publishing.bar import Bar
from infra.publishing.press import Desk, Job
from infra.publishing.readers import Lines
from infra.publishing.state import Notebook
from vitrine.registry.manifest import Manifest
from vitrine.registry.widening import approval, widenings
from vitrine.store.table import Table
from vitrine.typesense.client import collection, connect
from vitrine.typesense.publish import PATIENCE

KEY = b"a publisher's key of a test"
TENANT = "presses"
START = datetime(2026, 11, 30, 9, tzinfo=UTC)
RECORDS = list(shop.records("boreal", 240))
SHOWN = sum(map(shop.publishable, RECORDS))
_numbers = itertools.count(1)
Write = Callable[..., Job]


@pytest.fixture(scope="session")
def patient(typesense: local.Node) -> Iterator[Client]:
    client = connect(typesense.url, typesense.key, timeout=PATIENCE)
    with closing(client.api_call):
        yield client


@pytest.fixture
def relation(patient: Client) -> Iterator[str]:
    """A name that no other test publishes under."""
    name = f"pressed{next(_numbers)}"
    yield name
    for stored in patient.collections.retrieve():
        if stored["name"].startswith(f"{name}_"):
            collection(patient, stored["name"]).delete()


@pytest.fixture
def desk(patient: Client, table: Table, tmp_path: Path) -> Desk:
    """A desk whose clock moves a minute each time it is read."""
    minutes = itertools.count()

    def now() -> datetime:
        return START + timedelta(minutes=next(minutes))

    def quiet(what: str, whole: int | None) -> Bar:
        return Bar(what, whole, StringIO())

    return Desk(patient, KEY, Notebook(tmp_path / "run.json"), now, table, quiet)


@pytest.fixture
def manifest(relation: str) -> Manifest:
    return shop.manifest().model_copy(update={"relation": relation})


@pytest.fixture
def job(manifest: Manifest, tmp_path: Path) -> Write:
    """Write records into a file and make the job of publishing them, approved."""

    def write(
        records: list[dict[str, Any]] | None = None,
        said: Manifest = manifest,
        **more: Any,
    ) -> Job:
        path = tmp_path / "export.jsonl"
        kept = RECORDS if records is None else records
        path.write_text("\n".join(json.dumps(r) for r in kept), encoding="utf-8")
        first = approval(TENANT, said.source, widenings({}, said))
        told = {"approve": first, "by": "pat", "reason": "opening"} | more
        return Job(said, TENANT, "jsonl:export", Lines(path, said), **told)

    return write


def keep(client: Client, name: str, fields: list[Mapping[str, Any]]) -> None:
    """Create a collection as a customer would have it."""
    made = {"name": name, "fields": fields}
    client.collections.create(cast("CollectionCreateSchema", made))

"""What companies know already, told by the command; canaries, planted by a publish."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from infra import publish
from infra.publishing.press import Desk, perform
from tests.fix_stack import Database
from tests.integration.publishing.conftest import KEY, RECORDS, TENANT, Write
from vitrine.caller import Caller
from vitrine.disclosure.budgets import Identity, mark
from vitrine.registry.capabilities import EngineName
from vitrine.registry.manifest import Manifest
from vitrine.store.audit import entries
from vitrine.store.planted import Canaries, known_of
from vitrine.store.table import Table
from vitrine.typesense.encode import public_id

if TYPE_CHECKING:
    from infra.local.aws import Aws

ADA = Caller(TENANT, "ada", "desk", account="acme")


def shown(private: Any) -> str:
    return public_id(KEY, TENANT, "products", str(private))


@pytest.fixture
def told(
    monkeypatch: pytest.MonkeyPatch, aws: Aws, table: Table, tmp_path: Path
) -> Any:
    """Run the command for a manifest that names its rows."""
    for name, value in {
        **aws.environ(),
        "VITRINE_ID_KEY": b64encode(KEY).decode(),
        "VITRINE_TABLE": table.name,
    }.items():
        monkeypatch.setenv(name, value)

    def run(manifest: Manifest, *origins: str, more: tuple[str, ...] = ()) -> int:
        path = tmp_path / "manifest.json"
        said = manifest.model_copy(update={"known_by": origins})
        path.write_text(said.model_dump_json(), encoding="utf-8")
        return publish.main([str(path), "--tenant", TENANT, "--known", *more])

    return run


def lines(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return f"jsonl:{path}"


def known(table: Table, caller: Caller = ADA) -> frozenset[bytes]:
    who = Identity(TENANT, "products", caller.identity, caller.company)
    return known_of(table, who)


def test_an_export_of_orders_is_told_without_names(
    told: Any, manifest: Manifest, table: Table, tmp_path: Path, capsys: Any
) -> None:
    rows = [
        {"account": "acme", "id": "P1"},
        {"account": "acme", "id": "P1"},
        {"user": "ada", "account": "acme", "id": "P2"},
        {"account": "other", "id": "P3"},
    ]

    assert told(manifest, lines(tmp_path / "orders.jsonl", *rows)) == 0

    assert capsys.readouterr().out == "3 know 3 documents from 4 rows\n"
    assert {mark(shown("P1")), mark(shown("P2"))} == known(table)
    assert {mark(shown("P1"))} == known(table, replace(ADA, subject="bob"))
    stored = str(table.client.scan(TableName=table.name)["Items"])
    assert not [word for word in ("acme", "ada", "P1") if f"'{word}" in stored]


def test_a_view_and_an_export_are_one_and_replace_what_was_told(
    told: Any,
    manifest: Manifest,
    table: Table,
    tmp_path: Path,
    *,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with psycopg.connect(database.dsn) as line:
        line.execute(
            "CREATE VIEW bought AS SELECT 'acme' AS account, 'P'||n AS id"
            " FROM generate_series(1, 60) AS n"
        )
    monkeypatch.setenv("VITRINE_ORIGIN_DSN", database.dsn)
    export = lines(tmp_path / "contracts.jsonl", {"account": "acme", "id": "C1"})
    assert told(manifest, "postgres:bought", export) == 0
    assert len(known(table)) == 61

    assert told(manifest, export) == 0

    assert {mark(shown("C1"))} == known(table)


def test_a_databases_source_is_known_by_its_own_ids(
    told: Any, manifest: Manifest, table: Table, tmp_path: Path
) -> None:
    here = manifest.model_copy(update={"engine": EngineName.POSTGRES})

    told(here, lines(tmp_path / "o.jsonl", {"account": "acme", "id": 7}))

    assert {mark("7")} == known(table)


def test_a_rehearsal_tells_nothing(
    told: Any, manifest: Manifest, table: Table, tmp_path: Path
) -> None:
    orders = lines(tmp_path / "o.jsonl", {"account": "acme", "id": "P1"})

    assert told(manifest, orders, more=("--dry-run",)) == 0

    assert known(table) == frozenset()


@pytest.mark.parametrize("row", [{"id": "P1"}, {"account": "acme"}, {"user": "ada"}])
def test_a_row_that_names_nobody_or_nothing_is_refused(
    told: Any, manifest: Manifest, table: Table, tmp_path: Path, row: dict[str, str]
) -> None:
    fine = {"account": "acme", "id": "P1"}

    status = told(manifest, lines(tmp_path / "o.jsonl", fine, row))

    assert status == publish.REFUSED
    assert known(table) == frozenset()


def test_a_publish_plants_the_manifests_canaries(
    job: Write, desk: Desk, manifest: Manifest, table: Table
) -> None:
    planted = str(RECORDS[3]["id"])
    with_one = manifest.model_copy(update={"canaries": (planted,)})

    perform(job(said=with_one), desk)

    canaries = Canaries(table, lambda: 0.0)
    page = [shown(record["id"]) for record in RECORDS[:10]]
    assert canaries.among(TENANT, "products", page) == 1


def test_what_becomes_free_leaves_a_row_for_the_auditor(
    told: Any, manifest: Manifest, table: Table, tmp_path: Path
) -> None:
    since = datetime.now(UTC)
    origin = lines(tmp_path / "orders.jsonl", {"account": "acme", "id": "P1"})

    told(manifest, origin, more=("--dry-run",))
    told(manifest, origin, more=("--by", "olga", "--reason", "new contracts"))

    until = datetime.now(UTC) + timedelta(seconds=1)
    (row,) = entries(table, TENANT, since=since, until=until)
    assert ("olga", "known", "products") == (row.actor, row.action, row.subject)
    assert row.reason == "new contracts"
    assert row.detail == {"who": 1, "documents": 1, "origins": [origin]}

"""The command: from each kind of origin, with its exit status and what it prints."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from typesense import Client

from infra import publish
from infra.local import typesense as local
from infra.local.demo import shop
from tests.fix_stack import Database
from tests.integration.publishing.conftest import KEY, RECORDS, SHOWN, keep
from vitrine.registry.manifest import Manifest
from vitrine.store.registry import load_registry
from vitrine.store.table import Table
from vitrine.typesense.loading import load

if TYPE_CHECKING:
    from infra.local.aws import Aws


@pytest.fixture(autouse=True)
def _environment(
    monkeypatch: pytest.MonkeyPatch, typesense: local.Node, aws: Aws, table: Table
) -> None:
    for name, value in {
        **aws.environ(),
        "VITRINE_TYPESENSE_URL": typesense.url,
        "VITRINE_TYPESENSE_KEY": typesense.key,
        "VITRINE_ID_KEY": b64encode(KEY).decode(),
        "VITRINE_TABLE": table.name,
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def paths(tmp_path: Path, manifest: Manifest) -> dict[str, str]:
    """A manifest, an export and a state, as files."""
    files = {n: tmp_path / n for n in ("manifest.json", "export.jsonl", "state.json")}
    files["manifest.json"].write_text(manifest.model_dump_json(), encoding="utf-8")
    lines = (json.dumps(record) for record in RECORDS)
    files["export.jsonl"].write_text("\n".join(lines), encoding="utf-8")
    return {name.partition(".")[0]: str(path) for name, path in files.items()}


def run(paths: dict[str, str], origin: str, *more: str) -> int:
    fixed = ["--tenant", "presses", "--state", paths["state"], "--from", origin]
    return publish.main([paths["manifest"], *fixed, *more])


def approved(paths: dict[str, str], capsys: Any, origin: str, *more: str) -> str:
    """Publish after reading the word that approves it; give what is printed then."""
    assert run(paths, origin, *more) == publish.UNAPPROVED
    word = re.findall(r"--approve ([0-9a-f]{16})", capsys.readouterr().out)[-1]
    assert run(paths, origin, "--approve", word, *more) == 0
    return str(capsys.readouterr().out)


def test_an_export_is_published(
    paths: dict[str, str], capsys: pytest.CaptureFixture[str], table: Table
) -> None:
    said = approved(paths, capsys, f"jsonl:{paths['export']}")

    assert f"closed         {SHOWN} documents in " in said
    assert f"{len(RECORDS) - SHOWN} records held back" in said
    registry = load_registry(table, "presses", "products", "closed")
    assert SHOWN == registry.documents


def test_a_private_collection_is_published(
    paths: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    patient: Client,
    relation: str,
) -> None:
    private = f"{relation}_private"
    keep(patient, private, [{"name": "shop", "type": "string"}])
    lines = [json.dumps({**r, "shop": "here"}) for r in RECORDS]
    strangers = [json.dumps({**r, "shop": "x", "id": f"X{r['id']}"}) for r in RECORDS]
    load(patient, private, [*lines, *strangers])

    said = approved(paths, capsys, f"typesense:{private}", "--where", "shop=here")

    assert f"trusted        {SHOWN} documents in " in said
    assert f"{2 * len(RECORDS) - SHOWN:,} records held back" in said


def test_a_view_is_published(
    paths: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VITRINE_ORIGIN_DSN", database.dsn)
    fields = [f for f in shop.manifest().fields if f.key in RECORDS[0]]
    columns = ["id", "published", *(f.key for f in fields)]
    with psycopg.connect(database.dsn) as line:
        line.execute("CREATE TABLE goods (record jsonb)")
        with line.cursor() as cursor, cursor.copy("COPY goods FROM STDIN") as copy:
            for record in RECORDS:
                copy.write_row((json.dumps(record),))
        typed = ", ".join(f"record->'{c}' AS {c}" for c in columns if c != "id")
        line.execute(
            f"CREATE VIEW offers AS SELECT record->>'id' AS id, {typed} FROM goods"  # noqa: S608 - our own names
        )

    said = approved(paths, capsys, "postgres:offers")

    assert f"closed         {SHOWN} documents in " in said


def test_a_rehearsal_prints_counts_openings_and_memory(
    paths: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    status = run(paths, f"jsonl:{paths['export']}", "--dry-run")

    said = capsys.readouterr().out
    assert status == 0
    assert f"{len(RECORDS)} records: {SHOWN} to publish" in said
    assert re.search(r"closed +\d+ fields, about \d+ MB of memory", said)
    assert "opens closed: output price\n" in said
    assert re.search(r"--approve [0-9a-f]{16}\n$", said)


def test_faults_are_told_and_nothing_is_published(
    paths: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {**RECORDS[0], "id": "X", "published": True, "material": "unobtainium"}
    Path(paths["export"]).write_text(json.dumps(broken), encoding="utf-8")

    assert run(paths, f"jsonl:{paths['export']}", "--dry-run") == publish.REFUSED
    assert "fault /material: material: 'unobtainium'" in capsys.readouterr().out


def test_a_server_that_is_gone_is_tried_again_later(
    paths: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VITRINE_TYPESENSE_URL", "http://127.0.0.1:1")

    assert run(paths, f"jsonl:{paths['export']}") == publish.AGAIN
    assert "goes on" in capsys.readouterr().out


@pytest.mark.parametrize("origin", ["oracle:x", "jsonl:", "jsonl"])
def test_an_origin_that_is_none_is_named(paths: dict[str, str], origin: str) -> None:
    with pytest.raises(SystemExit, match="KIND:NAME"):
        run(paths, origin)


def test_a_gap_in_the_environment_is_named(
    paths: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VITRINE_ID_KEY")

    with pytest.raises(SystemExit, match="unset: VITRINE_ID_KEY"):
        run(paths, "jsonl:x")

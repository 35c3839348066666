"""The command: from each kind of origin, with its exit status and what it prints."""

from __future__ import annotations

import json
import re
import warnings
from base64 import b64encode
from datetime import UTC, datetime
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
from vitrine.registry.profiles import registry_for
from vitrine.store.audit import entries
from vitrine.store.registry import load_registry
from vitrine.store.table import Table
from vitrine.typesense.client import collection
from vitrine.typesense.loading import load

if TYPE_CHECKING:
    from infra.local.aws import Aws

LONG_AGO, EVER = datetime(2000, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)


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


def test_a_user_id_without_a_name_signs_by_its_number(
    paths: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    nameless = 2**31 - 19
    monkeypatch.setattr("os.getuid", lambda: nameless)

    approved(paths, capsys, f"jsonl:{paths['export']}")

    signed = {
        one.actor for one in entries(table, "presses", since=LONG_AGO, until=EVER)
    }
    assert signed == {f"uid {nameless}"}


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


def test_a_draft_of_a_running_collection_is_private_and_says_what_is_lost(
    paths: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    patient: Client,
    relation: str,
) -> None:
    private = f"{relation}_private"
    _open_shop(patient, private)

    assert publish.main(["--introspect", private, "--out", paths["manifest"]]) == 0

    said = capsys.readouterr().err
    text = Path(paths["manifest"]).read_text(encoding="utf-8")
    draft = Manifest.model_validate_json(text)
    registry = registry_for(draft, "closed", tenant="presses")
    assert {} == {**registry.filters, **registry.fields}
    assert (("sofa", "couch"),) == tuple(s.words for s in draft.synonyms)
    assert ("STK1",) == draft.pins[0].never
    assert "purchase_cost: looks like money" in said
    assert "curation dear: an order of its own is not carried" in said


def _open_shop(client: Client, name: str) -> None:
    """Keep a collection with synonyms and curation, as a shop does."""
    kept = ("name", "string"), ("purchase_cost", "int64"), ("updated_at", "int64")
    keep(client, name, [{"name": n, "type": kind} for n, kind in kept])
    shop_of = collection(client, name)
    told: Any = {"rule": {"query": "sofa", "match": "exact"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        shop_of.synonyms.upsert("seats", {"synonyms": ["sofa", "couch"]})
        shop_of.overrides.upsert("hide", told | {"excludes": [{"id": "STK1"}]})
        shop_of.overrides.upsert("dear", told | {"sort_by": "purchase_cost:desc"})


def test_a_draft_is_published_once_its_fields_are_named(
    paths: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    patient: Client,
    relation: str,
) -> None:
    private = f"{relation}_private"
    keep(patient, private, [{"name": "name", "type": "string"}])
    load(patient, private, ['{"id": "A", "name": "One"}', '{"id": "B", "name": "Two"}'])
    publish.main(["--introspect", private, "--out", paths["manifest"]])
    raw = json.loads(Path(paths["manifest"]).read_text(encoding="utf-8"))
    named = {"search": ["name"], "output": ["name"], "budget": {}}
    raw |= {"relation": relation, "profiles": {"closed": named}}
    Path(paths["manifest"]).write_text(json.dumps(raw), encoding="utf-8")

    said = approved(paths, capsys, f"typesense:{private}")

    assert "closed         2 documents in " in said


def test_a_collection_that_is_not_there_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert publish.main(["--introspect", "nowhere"]) == publish.REFUSED
    assert "no collection nowhere" in capsys.readouterr().out

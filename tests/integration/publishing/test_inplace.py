"""A table of somebody's own, made and published word by word as the guide says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from infra import publish
from tests.fix_stack import Database
from vitrine.caller import Caller
from vitrine.postgres.line import connector
from vitrine.postgres.search import Postgres
from vitrine.registry.manifest import Manifest
from vitrine.search.engine import Query
from vitrine.store.registry import load_registry
from vitrine.store.table import Table
from vitrine.tree.conditions import TRUE, Near, Text

if TYPE_CHECKING:
    from infra.local.aws import Aws

GUIDE = Path(__file__).parents[3] / "docs" / "postgres.md"
WINES = [
    (
        "Chablis",
        "Burgundy",
        "white",
        2021,
        "Dry and mineral, a long finish",
        True,
        "#f4ecd8",
    ),
    ("Meursault", "Burgundy", "white", 2019, "Round, with hazelnut", True, "#1f3a5f"),
    (
        "Pauillac",
        "Bordeaux",
        "red",
        2016,
        "Cedar, cassis, firm tannins",
        True,
        "#6D1A2B",
    ),
    ("Secret", "Burgundy", "red", 2010, "Kept for the owner, dry", False, "#6d1a2b"),
]


def block(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    return str(found[0])


@pytest.fixture(scope="module")
def cellar(database: Database) -> Database:
    """The guide's table with four wines, one of which is not listed."""
    with psycopg.connect(database.dsn, autocommit=True) as connection:
        connection.execute(block("sql").encode())
        connection.cursor().executemany(
            "INSERT INTO cellar.wines"
            " (tenant, name, region, colour, year, notes, listed, label_colours)"
            " VALUES ('caves', %s, %s, %s, %s, %s, %s, ARRAY['#ffffff', %s])",
            WINES,
        )
    return database


@pytest.fixture(autouse=True)
def _environment(
    cellar: Database, aws: Aws, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        **aws.environ(),
        "VITRINE_TABLE": table.name,
        "VITRINE_DSN": cellar.service_dsn,
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "wines.json"
    path.write_text(block("json"), encoding="utf-8")
    return path


@pytest.fixture
def engine(cellar: Database) -> Iterator[Postgres]:
    with closing(Postgres(connector(cellar.service_dsn))) as opened:
        yield opened


def run(path: Path, *more: str) -> int:
    return publish.main([str(path), "--tenant", "caves", "--by", "pat", *more])


def approve(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Publish with the word that the rehearsal prints."""
    assert run(path, "--dry-run") == 0
    word = re.findall(r"--approve ([0-9a-f]{16})", capsys.readouterr().out)[-1]
    assert run(path, "--approve", word) == 0
    return capsys.readouterr().out


def test_what_is_opened_needs_an_approval(
    manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(manifest) == publish.UNAPPROVED
    said = approve(manifest, capsys)

    assert "trusted        6 fields, 3 documents, registry version 1" in said
    assert "opened trusted: a new profile" in said
    assert run(manifest) == 0


def test_published_rows_are_found_and_unlisted_ones_are_not(
    table: Table, manifest: Path, engine: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(manifest, capsys)
    registry = load_registry(table, "caves", "wines", "trusted")
    caller = Caller("caves", "ana", "desk")
    text = Text("dry burgundy", "keyword_search")

    hits = engine.search(Query(caller, registry, TRUE, text))

    assert ["Chablis"] == [row.values["name"] for row in hits.rows]
    assert ("Burgundy", "Bordeaux") == registry.samples["region"].values


def test_a_palette_is_found_by_a_colour_near_it(
    table: Table, manifest: Path, engine: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(manifest, capsys)
    registry = load_registry(table, "caves", "wines", "trusted")
    wine = Near(registry.fields["label_colours"], "#7b1e3a", 48)

    hits = engine.search(Query(Caller("caves", "ana", "desk"), registry, wine))

    assert ["Pauillac"] == [row.values["name"] for row in hits.rows]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": "cost", "type": "number"}, "no column cost"),
        ({"key": "name2", "column": "year", "type": "text"}, "is integer"),
        ({"key": "grape", "type": "vocabulary"}, "no column grape"),
        ({"key": "who", "type": "relation"}, "no vitrine.wines_roles"),
        ({"key": "abv", "column": "meta:abv", "type": "number"}, "meta"),
    ],
)
def test_a_view_that_does_not_fit_is_refused_whole(
    manifest: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, str],
    message: str,
) -> None:
    raw = json.loads(manifest.read_text("utf-8"))
    raw["fields"].append({"label": {"en": "more"}, **change})
    manifest.write_text(json.dumps(raw), encoding="utf-8")

    assert run(manifest, "--dry-run") == publish.REFUSED
    said = capsys.readouterr().out
    assert "/fields/6: " in said
    assert message in said


def test_a_view_that_is_not_there_is_named(
    manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = json.loads(manifest.read_text("utf-8")) | {"relation": "vitrine.beers"}
    manifest.write_text(json.dumps(raw), encoding="utf-8")

    assert run(manifest, "--dry-run") == publish.REFUSED
    assert "There is no vitrine.beers." in capsys.readouterr().out


def test_a_hidden_table_is_told_like_an_absent_one(
    manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = json.loads(manifest.read_text("utf-8")) | {"relation": "cellar.wines"}
    manifest.write_text(json.dumps(raw), encoding="utf-8")

    assert run(manifest, "--dry-run") == publish.REFUSED
    assert "There is no cellar.wines." in capsys.readouterr().out


def test_the_guides_manifest_is_one() -> None:
    manifest = Manifest.model_validate_json(block("json"))

    assert "vitrine.wines" == manifest.relation

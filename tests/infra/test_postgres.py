from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import psycopg
import pytest

from infra.local import folders
from infra.local import postgres as engine
from infra.local.child import Owner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fix_stack import Database

NAMELESS = 2_000_000_001
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="root alone changes users")


def ask(dsn: str, query: str) -> object:
    with psycopg.connect(dsn) as connection:
        row = connection.execute(query).fetchone()  # type: ignore[call-overload] # any query
    return row[0] if row else None


def server(cluster: engine.Cluster) -> psutil.Process:
    backend = ask(cluster.dsn("postgres"), "SELECT pg_backend_pid()")
    postmaster = (cluster.folder / "data" / "postmaster.pid").read_text().split()[0]
    assert backend != int(postmaster)
    return psutil.Process(int(postmaster))


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[engine.Cluster]:
    scripts = tmp_path_factory.mktemp("sql")
    (scripts / "002_rows.sql").write_text("INSERT INTO thing VALUES (1), (2);")
    (scripts / "001_table.sql").write_text(
        "CREATE TABLE thing (id int); CREATE ROLE vitrine_service LOGIN;"
        "GRANT SELECT ON thing TO vitrine_service;"
    )
    cluster = engine.Cluster(scripts)
    yield cluster
    cluster.stop()


def test_it_is_postgresql_18_in_utf8(database: Database) -> None:
    assert str(ask(database.dsn, "SHOW server_version")).startswith("18.")
    assert ask(database.dsn, "SHOW server_encoding") == "UTF8"
    assert ask(database.dsn, "SELECT lower('ÉTÉ')") == "été"


@pytest.mark.parametrize("name", ["vector", "pg_trgm", "unaccent", "btree_gin"])
def test_the_extensions_are_at_hand(database: Database, name: str) -> None:
    found = f"SELECT count(*) FROM pg_available_extensions WHERE name = '{name}'"  # noqa: S608 - a name of ours

    assert ask(database.dsn, found) == 1


def test_migrations_run_in_name_order(second: engine.Cluster) -> None:
    assert ask(second.dsn(), "SELECT count(*) FROM thing") == 2


def test_the_service_role_needs_no_password(second: engine.Cluster) -> None:
    dsn = second.dsn(role=engine.SERVICE)

    assert ask(dsn, "SELECT sum(id) FROM thing") == 3
    assert ask(dsn, "SELECT usesuper FROM pg_user WHERE usename = user") is False


def test_a_database_is_a_copy_of_the_migrated_template(second: engine.Cluster) -> None:
    second.create("copy")
    with psycopg.connect(second.dsn("copy")) as connection:
        connection.execute("DELETE FROM thing")

    second.create("other")

    assert ask(second.dsn("copy"), "SELECT count(*) FROM thing") == 0
    assert ask(second.dsn("other"), "SELECT count(*) FROM thing") == 2


def test_a_database_in_use_is_dropped(second: engine.Cluster) -> None:
    second.create("busy")
    with psycopg.connect(second.dsn("busy")):
        second.drop("busy")

        listed = "SELECT count(*) FROM pg_database WHERE datname = 'busy'"
        assert ask(second.dsn(), listed) == 0


def test_two_clusters_know_nothing_of_each_other(
    postgres: engine.Cluster, second: engine.Cluster
) -> None:
    assert postgres.folder != second.folder
    assert ask(postgres.dsn(), "SELECT to_regclass('thing')") is None


def test_nothing_listens_on_the_network(second: engine.Cluster) -> None:
    assert ask(second.dsn(), "SHOW listen_addresses") == ""


def test_the_folder_is_private(second: engine.Cluster) -> None:
    assert second.folder.stat().st_mode & 0o077 == 0


@as_root
def test_root_runs_it_as_nobody(second: engine.Cluster) -> None:
    assert server(second).username() == "nobody"


@as_root
def test_root_s_private_temporary_folder_is_avoided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "private").mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "private"))

    made = folders.fresh("test")

    made.rmdir()
    assert made.parent == Path("/tmp")  # noqa: S108 - the folder is the subject


@as_root
def test_unreachable_binaries_are_copied_and_left_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = engine._package()
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    copy = shutil.copytree(package, hidden / package.name, symlinks=True)
    libraries = f"{package.name}.libs"
    shutil.copytree(package.with_name(libraries), hidden / libraries, symlinks=True)
    monkeypatch.setattr(engine, "_package", lambda: copy)

    cluster = engine.Cluster(tmp_path)

    try:
        binary = server(cluster).exe()
        assert binary.startswith(str(cluster.folder))
        assert (hidden.stat().st_mode & 0o777, hidden.stat().st_uid) == (0o700, 0)
    finally:
        cluster.stop()


@as_root
def test_a_user_without_a_name_has_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "owner", lambda: Owner(NAMELESS, NAMELESS))
    monkeypatch.setattr(engine, "nameless", lambda: True)

    cluster = engine.Cluster(tmp_path)

    try:
        assert NAMELESS == server(cluster).uids().effective
    finally:
        cluster.stop()


def test_a_user_s_name_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []

    for user in (0, NAMELESS):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        found.append(engine.nameless())

    assert [False, True] == found


def test_an_end_leaves_nothing(tmp_path: Path) -> None:
    cluster = engine.Cluster(tmp_path)
    process = server(cluster)

    cluster.stop()

    assert not process.is_running()
    assert not cluster.folder.exists()


def test_a_broken_migration_is_told_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    fresh = folders.fresh

    def kept(purpose: str) -> Path:
        made.append(fresh(purpose))
        return made[-1]

    monkeypatch.setattr(folders, "fresh", kept)
    (tmp_path / "001.sql").write_text("CREATE TABLE 1;")

    with pytest.raises(psycopg.errors.SyntaxError, match='at or near "1"'):
        engine.Cluster(tmp_path)

    assert [folder.exists() for folder in made] == [False]

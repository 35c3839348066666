"""Where private records are read from: a collection, a file of lines, a view.

A reader begins where an earlier try ended. It finds that place again or says that it
moved (``Moved``), which a run answers by starting anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import httpx
import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from vitrine.problems import Fault, Invalid, Missing
from vitrine.registry.manifest import Manifest
from vitrine.typesense.publish import Progress
from vitrine.typesense.records import Record, identity

KINDS = ("typesense", "jsonl", "postgres")
FETCHED = 1_000
"""Rows that a database sends at once."""


class Moved(RuntimeError):  # noqa: N818 - reads as the sentence it is
    """The records no longer stand as they stood when the run began."""


class Reader(Protocol):
    """A source of private records, always in the same order."""

    def count(self) -> int | None:
        """Tell how many records there are, where that is known beforehand."""
        ...

    def records(self, done: Progress) -> Iterator[Record]:
        """Read the records after those that are taken; raise ``Moved``."""
        ...


@dataclass(frozen=True, slots=True)
class Server:
    """A Typesense server and a key that may read the private collection."""

    url: str
    key: str


@dataclass(frozen=True, slots=True)
class Lines:
    """A JSONL export."""

    path: Path
    manifest: Manifest

    def count(self) -> int | None:
        """Count the lines; raise ``Missing`` where there is no such file."""
        try:
            with self.path.open("rb") as file:
                return sum(1 for line in file if line.strip())
        except OSError as error:
            raise Missing(f"{self.path}: {error.strerror}.") from error

    def records(self, done: Progress) -> Iterator[Record]:
        """Read the lines after those that are taken."""
        with self.path.open("rb") as file:
            yield from _after(_parsed(file), done, self.manifest)


@dataclass(frozen=True, slots=True)
class Collection:
    """A private collection, exported in the order of its documents' arrival."""

    server: Server
    name: str
    manifest: Manifest

    def count(self) -> int | None:
        """Ask the collection for its size."""
        answer = httpx.get(self._url(), headers=self._headers())
        answer.raise_for_status()
        return int(answer.json()["num_documents"])

    def records(self, done: Progress) -> Iterator[Record]:
        """Stream the documents after those that are taken."""
        address = f"{self._url()}/documents/export"
        waiting = httpx.Timeout(60.0)
        with httpx.stream(
            "GET", address, headers=self._headers(), timeout=waiting
        ) as answer:
            answer.raise_for_status()
            yield from _after(_parsed(_lines(answer)), done, self.manifest)

    def _url(self) -> str:
        return f"{self.server.url}/collections/{quote(self.name, safe='')}"

    def _headers(self) -> dict[str, str]:
        return {"X-TYPESENSE-API-KEY": self.server.key}


@dataclass(frozen=True, slots=True)
class View:
    """A view or table of PostgreSQL, read in the order of its id."""

    dsn: str
    name: str
    manifest: Manifest

    def count(self) -> int | None:
        """Count the rows."""
        query = sql.SQL("SELECT count(*) FROM {}").format(self._relation())
        with closing(psycopg.connect(self.dsn)) as line:
            row = line.execute(query).fetchone()
        return int(row[0]) if row else None

    def records(self, done: Progress) -> Iterator[Record]:
        """Read the rows whose id comes after the last one's."""
        key = sql.Identifier(self.manifest.origin.id)
        after = sql.SQL("WHERE {} > %(last)s").format(key) if done.last else sql.SQL("")
        query = sql.SQL("SELECT * FROM {} {} ORDER BY {}").format(
            self._relation(), after, key
        )
        with (
            closing(psycopg.connect(self.dsn)) as line,
            line.cursor("records", row_factory=dict_row) as rows,
        ):
            rows.itersize = FETCHED
            rows.execute(query, {"last": done.last})
            yield from rows

    def _relation(self) -> sql.Identifier:
        return sql.Identifier(*self.name.split("."))


def _lines(answer: httpx.Response) -> Iterator[bytes]:
    """Cut at newlines alone: a stored text may hold any other separator."""
    left = b""
    for chunk in answer.iter_bytes():
        *whole, left = (left + chunk).split(b"\n")
        yield from whole
    yield left


def _parsed(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Read records; raise ``Invalid``, naming the line, for what is none."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise Invalid([Fault("", "record", f"Line {number} is no JSON object.")])
        yield record


def _after(
    records: Iterator[dict[str, Any]], done: Progress, manifest: Manifest
) -> Iterator[Record]:
    last = None
    for _ in range(done.taken):
        last = next(records, None)
        if last is None:
            raise Moved("there are fewer records than were taken")
    if last is not None and identity(manifest, last) != done.last:
        raise Moved(f"record {done.taken} is another one than before")
    yield from records

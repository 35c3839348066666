"""Publish a source: ``python -m infra.publish MANIFEST --tenant T --from KIND:NAME``.

From a private collection (``typesense:products``), an export (``jsonl:FILE``) or a
view (``postgres:VIEW``) to one public collection per profile. A run that was killed
is gone on with by the same command.

``python -m infra.publish --introspect COLLECTION`` drafts a manifest from a running
collection, all of it private, with what can't be taken over and why.

``python -m infra.publish MANIFEST --tenant T --known`` tells what companies know by
their orders and contracts, from the views and exports of the manifest's ``known_by``.

A manifest whose engine is PostgreSQL needs no ``--from``: its rows stay where they are,
and ``VITRINE_DSN`` opens the database as the role of the service.

The server, the keys and the table come from the environment: either
``VITRINE_PUBLISHER_SECRET`` names a secret ``{"url", "key", "id_key"}``, or
``VITRINE_TYPESENSE_URL``, ``VITRINE_TYPESENSE_KEY`` and ``VITRINE_ID_KEY`` (base64)
say the same; ``VITRINE_TABLE`` names the project's table and ``VITRINE_ORIGIN_DSN``
the view's database. Exit status: 0 done, 1 refused, 3 to be approved, 75 try again.
"""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import httpx
from typesense import Client
from typesense.exceptions import ObjectNotFound, TypesenseClientError

from infra.publishing import known
from infra.publishing.carried import carried, lost, with_carried
from infra.publishing.inplace import Prospect, Standing, look, tell
from infra.publishing.introspect import drafted
from infra.publishing.press import (
    STAMP,
    Desk,
    Done,
    Job,
    Outlook,
    Unapproved,
    perform,
    rehearse,
)
from infra.publishing.readers import KINDS, Collection, Lines, Reader, Server, View
from infra.publishing.state import Notebook
from infra.publishing.written import manifest_at
from vitrine.postgres.line import connector
from vitrine.postgres.refresh import PATIENCE as LOOKING
from vitrine.postgres.search import Postgres
from vitrine.problems import Missing, Problem, Unavailable
from vitrine.registry.capabilities import EngineName
from vitrine.registry.manifest import Manifest
from vitrine.registry.widening import digest, public_fields
from vitrine.store.audit import Entry, append
from vitrine.store.planted import tell as tell_known
from vitrine.store.table import Table
from vitrine.typesense.client import collection, connect
from vitrine.typesense.encode import public_id
from vitrine.typesense.publish import PATIENCE
from vitrine.typesense.version import version_of

REFUSED, UNAPPROVED, AGAIN = 1, 3, 75
TOLD = 20
STATES = Path("build") / "publishing"


@dataclass(frozen=True, slots=True)
class Keys:
    """The server that keeps the public collections, and what opens it."""

    server: Server
    ids: bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    given = _parser().parse_args(arguments)
    try:
        return _asked(given)
    except Unapproved as problem:
        print(f"{problem.title}:", *problem.detail.splitlines(), sep="\n  ")
        print(f"Say so with --approve {problem.members['approve']}")
        return UNAPPROVED
    except Unavailable as problem:
        print(f"{problem}\nThe same command goes on where this one ended.")
        return AGAIN
    except Problem as problem:
        print(problem)
        for fault in problem.members.get("errors", ()):
            print(f"  {fault['pointer']}: {fault['message']}")
        return REFUSED


def _asked(given: argparse.Namespace) -> int:
    if given.introspect:
        return _introspect(given)
    if not (given.manifest and given.tenant):
        raise SystemExit("a manifest and --tenant are needed")
    manifest = _manifest(given)
    if given.known:
        return _known(given, manifest)
    if manifest.engine is EngineName.POSTGRES:
        return _stand(given, manifest)
    if not given.origin:
        raise SystemExit("a catalogue on Typesense needs --from")
    return _publish(given, manifest)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.publish")
    parser.add_argument("manifest", type=Path, nargs="?")
    parser.add_argument("--tenant")
    parser.add_argument("--from", dest="origin", metavar="KIND:NAME")
    parser.add_argument("--introspect", metavar="COLLECTION", help="draft a manifest")
    parser.add_argument("--out", type=Path, help="where the draft is written")
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="publish only records with this value, beside what the manifest asks",
    )
    parser.add_argument(
        "--known", action="store_true", help="tell what companies know already"
    )
    parser.add_argument("--dry-run", action="store_true", help="look, change nothing")
    parser.add_argument("--approve", metavar="HASH", help="allow what this opens")
    parser.add_argument("--by", default=_operator(), help="for the audit log")
    parser.add_argument("--reason", default="", help="for the audit log")
    parser.add_argument("--state", type=Path, help="where a run notes how far it is")
    return parser


def _operator() -> str:
    """Name who runs the command; a user id of a container may have no name at all."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # OSError since Python 3.13
        return f"uid {os.getuid()}"


def _introspect(given: argparse.Namespace) -> int:
    """Print a draft, and on stderr what a person has to know about it."""
    server = server_of(os.environ)
    client = connect(server.url, server.key, timeout=PATIENCE)
    with closing(client.api_call):
        schema = _schema(client, given.introspect)
        draft = drafted(schema)
        draft = with_carried(draft, carried(server, version_of(client), schema))
    text = draft.manifest.model_dump_json(indent=2, exclude_defaults=True)
    for note in draft.notes:
        print(f"{note.where or given.introspect}: {note.reason}", file=sys.stderr)
    if given.out:
        given.out.write_text(f"{text}\n", encoding="utf-8")
    else:
        print(text)
    return 0


def _known(given: argparse.Namespace, manifest: Manifest) -> int:
    """Replace what companies know; look-ups of that are free."""
    if not manifest.known_by:
        raise SystemExit("the manifest's known_by names no view and no export")
    dsn = os.environ.get("VITRINE_ORIGIN_DSN") or os.environ.get("VITRINE_DSN")
    found = [row for origin in manifest.known_by for row in known.rows(origin, dsn)]
    named = named_by(given.tenant, manifest)
    told = known.gathered(given.tenant, found, named)
    documents = sum(len(one.documents) for one in told)
    table = _table(given.dry_run)
    if table is not None and not given.dry_run:
        # It opens as much as a publish may: what is known costs no budget any more.
        _row(table, given, manifest, {"who": len(told), "documents": documents})
        tell_known(table, given.tenant, manifest.source, told)
    print(f"{len(told):,} know {documents:,} documents from {len(found):,} rows")
    return 0


def _row(
    table: Table, given: argparse.Namespace, manifest: Manifest, told: Mapping[str, int]
) -> None:
    at, detail = _now(), {**told, "origins": list(manifest.known_by)}
    entry = Entry(at, given.by, "known", manifest.source, given.reason, detail)
    append(table, given.tenant, entry, number=at.strftime(STAMP))


def named_by(tenant: str, manifest: Manifest) -> Callable[[str], str]:
    """Give how the engine names a document: a database as its rows do."""
    if manifest.engine is EngineName.POSTGRES:
        return str
    key = b64decode(_kept(os.environ, id_key="ID_KEY")["id_key"])
    return lambda private: public_id(key, tenant, manifest.source, private)


def _stand(given: argparse.Namespace, manifest: Manifest) -> int:
    """Publish a database's source, whose rows stay where they are."""
    standing = Standing(
        manifest, given.tenant, given.by, given.reason, approve=given.approve
    )
    table = _table(given.dry_run)
    with closing(_database(os.environ)) as engine:
        if table is None or given.dry_run:
            view = look(standing, engine, table)
        else:
            view = tell(standing, engine, table, _now)
    return _stood(view, idle=given.dry_run)


def _database(found: Mapping[str, str]) -> Postgres:
    if not (dsn := found.get("VITRINE_DSN")):
        raise SystemExit("unset: VITRINE_DSN")
    return Postgres(connector(dsn), patience=LOOKING)


def _stood(view: Prospect, *, idle: bool) -> int:
    print(f"manifest {digest(view.registries[0].manifest)}")
    for registry in view.registries:
        fields = len(public_fields(registry.manifest, registry.profile))
        version = "" if idle else f", registry version {registry.version}"
        size = f"{registry.documents:,} documents"
        print(f"{registry.profile:14} {fields} fields, {size}{version}")
    for line in view.opens:
        print(f"{'opens' if idle else 'opened'} {line}")
    if idle and view.opens:
        print(f"to be approved with --approve {view.approval}")
    return 0


def _publish(given: argparse.Namespace, manifest: Manifest) -> int:
    keys = keys_of(os.environ)
    notes = given.state or STATES / f"{given.tenant}.{manifest.source}.json"
    job = Job(
        manifest,
        given.tenant,
        " ".join([given.origin, *sorted(given.where)]),
        reader_of(given.origin, manifest, keys.server, os.environ),
        by=given.by,
        reason=given.reason,
        approve=given.approve,
    )
    client = connect(keys.server.url, keys.server.key, timeout=PATIENCE)
    with closing(client.api_call):
        desk = Desk(client, keys.ids, Notebook(notes), _now, _table(given.dry_run))
        _warn(given.origin, manifest, keys.server, client)
        if given.dry_run:
            return _rehearsed(rehearse(job, desk))
        _performed(perform(job, desk))
    return 0


def _schema(client: Client, name: str) -> dict[str, Any]:
    try:
        return dict(collection(client, name).retrieve())
    except ObjectNotFound as error:
        raise Missing(f"There is no collection {name}.") from error
    except (TypesenseClientError, httpx.HTTPError) as error:
        raise Unavailable("The search engine does not answer.") from error


def _warn(origin: str, manifest: Manifest, server: Server, client: Client) -> None:
    """Tell what the private collection's searches have and the public ones will not."""
    kind, _, name = origin.partition(":")
    if kind != "typesense":
        return
    schema = _schema(client, name)
    for note in lost(carried(server, version_of(client), schema), manifest):
        print(f"not carried: {note.where}: {note.reason}", file=sys.stderr)


def keys_of(found: Mapping[str, str]) -> Keys:
    """Read the server's address and keys; raise ``SystemExit`` naming a gap."""
    kept = _kept(found, url="TYPESENSE_URL", key="TYPESENSE_KEY", id_key="ID_KEY")
    server = Server(kept["url"].rstrip("/"), kept["key"])
    return Keys(server, b64decode(kept["id_key"]))


def server_of(found: Mapping[str, str]) -> Server:
    """Read the server's address and key alone."""
    kept = _kept(found, url="TYPESENSE_URL", key="TYPESENSE_KEY")
    return Server(kept["url"].rstrip("/"), kept["key"])


def _kept(found: Mapping[str, str], **names: str) -> dict[str, str]:
    if name := found.get("VITRINE_PUBLISHER_SECRET"):
        with closing(boto3.client("secretsmanager")) as vault:
            secret = vault.get_secret_value(SecretId=name)["SecretString"]
        return dict(json.loads(secret))
    kept = {key: found.get(f"VITRINE_{name}", "") for key, name in names.items()}
    if missing := [f"VITRINE_{names[key]}" for key, value in kept.items() if not value]:
        raise SystemExit(f"unset: {', '.join(missing)}")
    return kept


def reader_of(
    origin: str, manifest: Manifest, server: Server, found: Mapping[str, str]
) -> Reader:
    """Open the records that ``KIND:NAME`` names."""
    kind, _, name = origin.partition(":")
    if kind not in KINDS or not name:
        raise SystemExit(f"--from is KIND:NAME, KIND one of {', '.join(KINDS)}")
    if kind == "jsonl":
        return Lines(Path(name), manifest)
    if kind == "typesense":
        return Collection(server, name, manifest)
    if dsn := found.get("VITRINE_ORIGIN_DSN"):
        return View(dsn, name, manifest)
    raise SystemExit("unset: VITRINE_ORIGIN_DSN")


def _manifest(given: argparse.Namespace) -> Manifest:
    manifest = manifest_at(given.manifest)
    asked = dict(pair.partition("=")[::2] for pair in given.where)
    wanted = {key: _readings(value) for key, value in asked.items()}
    only = {**manifest.origin.only, **wanted}
    origin = manifest.origin.model_copy(update={"only": only})
    return manifest.model_copy(update={"origin": origin})


def _readings(value: str) -> tuple[bool | int | str, ...]:
    """Take a word for what it says, and for the number or truth that it may be."""
    if value in ("true", "false"):
        return value, value == "true"
    return (value, int(value)) if value.lstrip("-").isdecimal() else (value,)


def _table(idle: bool) -> Table | None:
    """Open the project's table; a rehearsal does without one."""
    name = os.environ.get("VITRINE_TABLE")
    if name:
        return Table(boto3.client("dynamodb"), name)
    if idle:
        return None
    raise SystemExit("unset: VITRINE_TABLE")


def _now() -> datetime:
    return datetime.now(UTC)


def _rehearsed(outlook: Outlook) -> int:
    survey, manifest = outlook.survey, outlook.manifest
    print(
        f"{survey.records:,} records: {survey.published:,} to publish, "
        f"{survey.held_back:,} held back"
    )
    for profile, memory in survey.memory.items():
        fields = len(public_fields(manifest, profile))
        print(f"{profile:14} {fields} fields, about {memory / 1e6:,.0f} MB of memory")
    print("while both runs stand, twice that" if survey.memory else "")
    for line in outlook.opens:
        print(f"opens {line}")
    for fault in survey.faults[:TOLD]:
        print(f"fault {fault.pointer}: {fault.message}")
    if survey.faults:
        print(f"{len(survey.faults)} values do not fit; nothing would be published")
        return REFUSED
    if outlook.opens:
        print(f"to be approved with --approve {outlook.approval}")
    return 0


def _performed(done: Done) -> None:
    if done.resumed:
        print(f"went on after {done.resumed:,} records")
    print(f"manifest {digest(done.registries[0].manifest)}")
    for run, registry in zip(done.runs, done.registries, strict=True):
        print(
            f"{registry.profile:14} {run.documents:,} documents in {run.collection}, "
            f"registry version {registry.version}"
        )
    print(f"{done.runs[0].held_back:,} records held back")
    for line in done.opened:
        print(f"opened {line}")


if __name__ == "__main__":
    sys.exit(main())

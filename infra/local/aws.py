"""DynamoDB and Secrets Manager: moto in a process of its own, behind one lock.

moto's own threaded server lets 31 writers through a cap of 30: its conditional
writes read, then write. One lock around the application makes each request atomic,
which is what DynamoDB promises.
"""

from __future__ import annotations

import io
import json
import logging
import shutil
import sys
import threading
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3

from infra.local import folders
from infra.local.child import Child
from infra.local.permissions import Roles, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

REGION = "eu-west-1"
ACCOUNT = "123456789012"
JSON = "application/x-amz-json-1.0"
# moto takes any; these are no secrets.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_REGION": REGION,
    "AWS_DEFAULT_REGION": REGION,
}
TIME_TO_LIVE = "TimeToLiveSpecification"
# What CloudFormation knows of a table and CreateTable takes as it stands.
CREATED = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
)


class Aws:
    """A running moto and the address to give to `AWS_ENDPOINT_URL`."""

    def __init__(self) -> None:
        """Start the server and wait for its port."""
        self.folder = folders.fresh("aws")
        self._roles = self.folder / "roles.json"
        self._held: dict[str, Any] = {}
        self._child = Child(
            [sys.executable, "-m", "infra.local.aws", str(self._roles)],
            self.folder / "aws.log",
            cwd=folders.ROOT,
            sweep=self.folder,
            piped=True,
        )
        port = self._child.line()
        if not port:
            tail = self._child.tail()
            self.stop()
            raise RuntimeError(f"moto ended at start:\n{tail}")
        self.url = f"http://127.0.0.1:{port}"

    def environ(self, role: str = "") -> dict[str, str]:
        """Return what boto3 needs to find this server and no other, as some role."""
        signed = {"AWS_ACCESS_KEY_ID": role} if role else {}
        return {"AWS_ENDPOINT_URL": self.url, **CREDENTIALS, **signed}

    def permit(self, roles: Mapping[str, Iterable[Statement]]) -> None:
        """Hold those who sign by a role's name to its statements from now on."""
        self._held |= {name: [asdict(o) for o in held] for name, held in roles.items()}
        # Put in place whole: a half-written file would refuse everybody.
        fresh = self._roles.with_suffix(".new")
        fresh.write_text(json.dumps(self._held), "utf-8")
        fresh.replace(self._roles)

    def client(self, service: str) -> Any:
        """Return a boto3 client of this server, to be closed by its caller."""
        return boto3.client(
            service,  # type: ignore[call-overload]
            endpoint_url=self.url,
            region_name=REGION,
            aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        )

    def create(self, name: str, table: Mapping[str, Any]) -> None:
        """Create a table from the properties of its CloudFormation resource."""
        with closing(self.client("dynamodb")) as dynamo:
            known = {key: table[key] for key in CREATED if key in table}
            dynamo.create_table(TableName=name, **known)
            if TIME_TO_LIVE in table:
                dynamo.update_time_to_live(
                    TableName=name, **{TIME_TO_LIVE: table[TIME_TO_LIVE]}
                )

    def keep(self, secrets: Mapping[str, str | Mapping[str, Any]]) -> None:
        """Store secrets by name, mappings as JSON."""
        with closing(self.client("secretsmanager")) as manager:
            for name, value in secrets.items():
                manager.create_secret(Name=name, SecretString=_text(value))

    def change(self, name: str, value: str | Mapping[str, Any]) -> None:
        """Put a new value in a secret."""
        with closing(self.client("secretsmanager")) as manager:
            manager.put_secret_value(SecretId=name, SecretString=_text(value))

    def stop(self) -> None:
        """End the server and remove its folder."""
        self._child.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def _text(value: str | Mapping[str, Any]) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class Permitted:
    """A WSGI application behind the roles of a file, read again when it changes."""

    def __init__(self, application: Callable[..., Iterable[bytes]], file: Path) -> None:
        """Take what is guarded, and where the roles are written."""
        self._application, self._file = application, file
        self._read_at, self._roles = 0, Roles()

    def __call__(
        self, environ: dict[str, Any], start: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer, or refuse as AWS does."""
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        signature = environ.get("HTTP_AUTHORIZATION", "")
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        why = self._now().refusal(signature, target, body)
        if not why:
            return self._application(environ, start)
        said = json.dumps({"__type": "AccessDeniedException", "Message": why}).encode()
        kept = [("Content-Type", JSON), ("Content-Length", str(len(said)))]
        start("400 Bad Request", kept)
        return [said]

    def _now(self) -> Roles:
        try:
            written = self._file.stat().st_mtime_ns
        except FileNotFoundError:
            return self._roles
        if written != self._read_at:
            held = json.loads(self._file.read_text("utf-8"))
            self._roles = Roles(
                {
                    name: tuple(
                        Statement(tuple(one["actions"]), tuple(one["on"]))
                        for one in each
                    )
                    for name, each in held.items()
                }
            )
            self._read_at = written
        return self._roles


def _serialised(application: Callable[..., Iterable[bytes]]) -> Callable[..., Any]:
    """Wrap a WSGI application so that one request runs at a time."""
    lock = threading.Lock()

    def one(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        with lock:
            return list(application(environ, start))

    return one


def serve(roles: Path) -> None:
    """Serve on a free loopback port, printed as the first line, until ended."""
    from moto.moto_server.werkzeug_app import (  # noqa: PLC0415 - 0.5 s, and for the child alone
        DomainDispatcherApplication,
        create_backend_app,
    )
    from werkzeug.serving import WSGIRequestHandler, make_server  # noqa: PLC0415

    class Lasting(WSGIRequestHandler):
        # AWS keeps connections; a new one and its thread for each call cost 2 ms here.
        protocol_version = "HTTP/1.1"
        # Head and body go out apart: held back, the second waits 40 ms for an
        # acknowledgement that a kept connection is in no hurry to send.
        disable_nagle_algorithm = True

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    guarded = Permitted(DomainDispatcherApplication(create_backend_app), roles)
    application = _serialised(guarded)
    server = make_server(
        "127.0.0.1", 0, application, threaded=True, request_handler=Lasting
    )
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))

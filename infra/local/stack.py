"""The whole product on loopback: engines, AWS, issuer and gateway, as one context.

Nothing is shared between two stacks: ports are free ones, folders are new ones.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import http.client
import json
import os
import secrets
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args
from urllib.parse import urlsplit

from infra.local import events, folders, postgres, surroundings, typesense
from infra.local.aws import ACCOUNT, REGION, Aws
from infra.local.consent import Consent
from infra.local.control import Control, RunFile
from infra.local.cors import Sharing
from infra.local.gateway import Gateway
from infra.local.host import Host
from infra.local.issuer import Issuer
from infra.local.runtime import Environment, FunctionError
from infra.local.template import Template

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from infra.local.template import Function

Kind = TypeVar("Kind")
Part = Literal["postgres", "typesense", "aws", "gateway"]
PARTS: tuple[Part, ...] = get_args(Part)
TEMPLATE = folders.ROOT / "template.yaml"
LAYER = folders.ROOT / "shared"
PURE_CLIENT = folders.ROOT / "infra" / "local" / "pure"
TABLE = "vitrine"
# The template's parameters that name a secret, and the variables that carry them.
SECRETS = {
    "DsnSecret": "VITRINE_DSN_SECRET",
    "TypesenseSecret": "VITRINE_TYPESENSE_SECRET",
    "WriterSecret": "VITRINE_WRITER_SECRET",
    "SealSecret": "VITRINE_SEAL_SECRET",
    "ModelSecret": "VITRINE_MODEL_SECRET",
}
# The demo's shop, whose private collection the schedule follows.
FOLLOWED = "aurore/products boreal/products"
# Its administrators operate the stack: the kill switch is theirs.
OPERATOR = "aurore"
# The emulated table shares this machine's processors with all that asks it.
STORE_WAIT = "3"
ANSWER_SECONDS = 60
SEAL_BYTES = 32
# What a function inherits from this machine; the rest comes from the template.
INHERITED = ("PATH", "TMPDIR", "SSL_CERT_FILE")


@dataclass(frozen=True, slots=True)
class Response:
    """An answer of the gateway; header names lower-cased, repeated ones joined."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


class Stack:
    """A stack to be entered; `start` adds parts to one that was entered with fewer."""

    def __init__(
        self,
        template: Path = TEMPLATE,
        *,
        parts: tuple[Part, ...] = PARTS,
        extra: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
        model: Mapping[str, str] | None = None,
        pure_client: bool = os.uname().sysname != "Linux",
    ) -> None:
        """Prepare.

        Args:
            template: the SAM template that says what to serve.
            parts: what to start on entry.
            extra: variables for every function, over the template's own.
            parameters: values for the template's parameters, over ours.
            model: `base_url`, `key` and `model` of a provider; none by default.
            pure_client: use our own runtime client in place of the native one.
        """
        surroundings.shield()
        self._path = template
        self._parts = parts
        self._extra = dict(extra or {})
        self._parameters = dict(parameters or {})
        self._model = dict(model or {})
        self._pure = pure_client
        self._secrets: dict[str, str] = {}
        self.id_key = _random_key()
        self.seal = {"keys": [_random_key()], "ref_key": _random_key()}
        self._environments: dict[str, Environment] = {}
        self._cluster: postgres.Cluster | None = None
        self._node: typesense.Node | None = None
        self._aws: Aws | None = None
        self._host: Host | None = None
        self._started: set[Part] = set()
        self.issuer = Issuer()
        self.consent = Consent(self.issuer, self._ordered)
        self.control = Control(self.issuer, self._invoke, self.consent.link, self.desk)
        self.url = ""
        self.control_url = ""

    def __enter__(self) -> Self:
        """Start the wanted parts."""
        return self.start(*self._parts)

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Stop everything."""
        self.stop()

    def start(self, *parts: Part) -> Self:
        """Start parts that don't run yet, side by side; the gateway brings AWS."""
        wanted: set[Part] = {*parts, "aws"} if "gateway" in parts else {*parts}
        due = [part for part in PARTS if part in wanted - self._started]
        try:
            self._begin([part for part in due if part != "gateway"])
            if "gateway" in due:
                self._start_gateway()
        except BaseException:
            self.stop()
            raise
        self._started |= wanted
        return self

    def _begin(self, due: list[Part]) -> None:
        """Start servers side by side; the first failure is raised after the last."""
        begins = {
            "postgres": self._start_postgres,
            "typesense": self._start_typesense,
            "aws": self._start_aws,
        }
        pool = ThreadPoolExecutor(len(begins))
        jobs = [pool.submit(begins[part]) for part in due]
        try:
            for job in wait(jobs).done:
                job.result()
        finally:  # an interrupted start must know what it has to stop
            pool.shutdown()

    def stop(self) -> None:
        """End functions first, then what they talk to, and remove every folder."""
        with contextlib.ExitStack() as ends:
            for part in (self._cluster, self._aws, self._node):
                if part:
                    ends.callback(part.stop)
            if self._host:
                ends.callback(self._stop_host, self._host)
        self._host = self._node = self._aws = self._cluster = None
        self._environments.clear()
        self._started.clear()

    def _stop_host(self, host: Host) -> None:
        if host.running:
            host.run(self._close())
        host.stop()

    @property
    def folder(self) -> Path:
        """Return the folder of the functions' logs."""
        return self.aws.folder

    @property
    def cluster(self) -> postgres.Cluster:
        """Return the running PostgreSQL."""
        return _present(self._cluster, "postgres")

    @property
    def aws(self) -> Aws:
        """Return the running AWS."""
        return _present(self._aws, "aws")

    @property
    def dsn(self) -> str:
        """Return the superuser's connection string to the stack's database."""
        return self.cluster.dsn()

    @property
    def typesense(self) -> typesense.Node | None:
        """Return the Typesense node, or None where there is none for this machine."""
        return self._node

    @property
    def typesense_url(self) -> str | None:
        """Return Typesense's address, or None where it is absent."""
        return self._node.url if self._node else None

    @property
    def typesense_key(self) -> str | None:
        """Return Typesense's key, or None where it is absent."""
        return self._node.key if self._node else None

    @property
    def aws_url(self) -> str:
        """Return the address for `AWS_ENDPOINT_URL`."""
        return self.aws.url

    @property
    def table(self) -> str:
        """Return the name of the DynamoDB table."""
        return TABLE

    @property
    def environ(self) -> dict[str, str]:
        """Return what code needs to find this stack's AWS, secrets and issuer."""
        return {
            **self.aws.environ(),
            "VITRINE_TABLE": self.table,
            **{variable: self._secrets[name] for name, variable in SECRETS.items()},
            "VITRINE_ISSUER": self.issuer.url,
            "VITRINE_AUDIENCE": self.issuer.audience,
            **self._extra,
        }

    def desk(self) -> dict[str, str]:
        """Return what publishing needs: the servers with rights to write, the table."""
        found = {
            **self.aws.environ(),
            **surroundings.direct(),
            "VITRINE_TABLE": self.table,
            "VITRINE_ID_KEY": self.id_key,
            "VITRINE_DSN": self.cluster.dsn(role=postgres.SERVICE),
            "VITRINE_ORIGIN_DSN": self.dsn,
        }
        if self.typesense is not None:
            found["VITRINE_TYPESENSE_URL"] = self.typesense.url
            found["VITRINE_TYPESENSE_KEY"] = self.typesense.key
        return found

    @property
    def run_file(self) -> RunFile:
        """Return what another process of this user needs to command the stack."""
        urls = (self.url, self.issuer.url, self.control_url)
        return RunFile(os.getpid(), *urls, self.control.key)

    def token(self, **claims: Any) -> str:
        """Return an access token; see `Issuer.token` for the names."""
        return self.issuer.token(**claims)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return the gateway's answer; bytes go as they are, all else as JSON."""
        sent = {"content-type": "application/json", **(headers or {})}
        if token:
            sent["authorization"] = f"Bearer {token}"
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body)
        connection = http.client.HTTPConnection(
            urlsplit(self.url).netloc, timeout=ANSWER_SECONDS
        )
        try:
            connection.request(method, path, raw, sent)
            answer = connection.getresponse()
            pairs = [(name.lower(), value) for name, value in answer.getheaders()]
            return Response(answer.status, events.joined(pairs), answer.read())
        finally:
            connection.close()

    def invoke(self, function: str, event: Any = None) -> Any:
        """Return a function's answer to an event, a schedule's by default."""
        return _present(self._host, "gateway").run(self._invoke(function, event))

    def use_model(self, model: Mapping[str, str]) -> None:
        """Change the model's secret, and begin new environments as a deploy would."""
        self._model = dict(model)
        self.aws.change(self._secrets["ModelSecret"], self._model)
        host = _present(self._host, "gateway")
        for environment in self._environments.values():
            host.run(environment.retire())

    def renew(self, function: str) -> None:
        """Begin a new environment of a function, as the cloud does at will."""
        host = _present(self._host, "gateway")
        host.run(self._environments[function].retire())

    def logs(self, function: str) -> str:
        """Return everything that a function has written so far."""
        path = self._environments[function].log
        return path.read_text(errors="replace") if path.exists() else ""

    async def _invoke(self, function: str, event: Any) -> Any:
        sent = events.scheduled(function) if event is None else event
        if function not in self._environments:
            known = ", ".join(self._environments)
            raise FunctionError(404, f"no function {function}; there are {known}")
        return await self._environments[function].invoke(sent)

    def _start_postgres(self) -> None:
        self._cluster = postgres.Cluster()

    def _start_typesense(self) -> None:
        self._node = typesense.start()

    def _start_aws(self) -> None:
        self._aws = Aws()
        template = Template(self._path, _pseudo())
        if template.has_table():
            self._aws.create(TABLE, template.table)

    def _start_gateway(self) -> None:
        """Bind the ports, store the secrets, then serve what the template says."""
        self._host = host = Host()
        self.issuer.url = _address(host.mount(self.issuer))
        self.consent.url = _address(host.mount(self.consent))
        self.control_url = _address(host.mount(self.control))
        self.url = _address(host.mount(self._serve))
        self.issuer.audience = f"{self.url}/mcp"
        self._keep_secrets()
        template = Template(self._path, self._values())
        functions = template.functions()
        self.aws.permit({function.name: function.allowed for function in functions})
        for function in functions:
            log = self.folder / f"{function.name}.log"
            one = Environment(function, log, self._environ)
            one.port = host.mount(one)
            self._environments[function.name] = one
        shared = Sharing.of(template.cors)
        self._gateway = Gateway(self._environments.values(), shared)
        host.start()

    async def _ordered(self, incoming: events.Incoming) -> events.Reply:
        return await self._gateway.answer(incoming, incoming.path)

    async def _serve(self, *message: Any) -> None:
        await self._gateway(*message)

    def _keep_secrets(self) -> None:
        """Store the secrets under the names that the template's parameters give."""
        template = Template(self._path, _pseudo())
        self._secrets = {name: template.value(name) or name for name in SECRETS}
        contents = self._contents()
        self.aws.keep({self._secrets[name]: contents[name] for name in SECRETS})

    def _contents(self) -> dict[str, str | Mapping[str, Any]]:
        """Return what an operator would have stored, by parameter."""
        node, cluster = self._node, self._cluster
        return {
            "DsnSecret": cluster.dsn(role=postgres.SERVICE) if cluster else {},
            "TypesenseSecret": self._searcher() if node else {},
            "WriterSecret": self._writer() if node else {},
            "SealSecret": self.seal,
            "ModelSecret": self._model,
        }

    def _searcher(self) -> dict[str, str]:
        """Return a searcher's keys: one that may search, one that asks the version."""
        node = _present(self._node, "typesense")
        keys = {"key": typesense.SEARCHER, "debug_key": typesense.DEBUGGER}
        made = {name: node.key_for(*actions) for name, actions in keys.items()}
        return {"url": node.url, **made}

    def _writer(self) -> dict[str, str]:
        """Return a writer's keys: for changes, and for nothing that makes or drops."""
        node = _present(self._node, "typesense")
        key = node.key_for(*typesense.WRITER)
        return {"url": node.url, "key": key, "id_key": self.id_key}

    def _values(self) -> dict[str, str]:
        """Return what the template's names stand for in this stack."""
        return {
            **_pseudo(),
            **self._secrets,
            "Table": self.table,
            "Table.Arn": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{self.table}",
            "Issuer": self.issuer.url,
            "Audience": self.issuer.audience,
            "Followed": FOLLOWED,
            "Operator": OPERATOR,
            "StoreWait": STORE_WAIT,
            "AllowedHosts": urlsplit(self.url).netloc,
            **self._parameters,
        }

    def _environ(self, function: Function, environment: Environment) -> dict[str, str]:
        """Return a function's variables: Lambda's, AWS's, then the template's."""
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        path = [function.code, LAYER.resolve(), *([PURE_CLIENT] if self._pure else [])]
        return {
            **inherited,
            **surroundings.direct(),
            **self.aws.environ(function.name),
            "LANG": "C.UTF-8",  # the cloud's is UTF-8 too, whatever this terminal's is
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{environment.port}",
            "AWS_LAMBDA_FUNCTION_NAME": function.name,
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
            "AWS_LAMBDA_LOG_FORMAT": function.log_format,
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "LAMBDA_TASK_ROOT": str(function.code),
            "_HANDLER": function.handler,
            "TZ": "UTC",
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            **function.environment,
            **self._extra,
        }

    async def _close(self) -> None:
        closing = (one.close() for one in self._environments.values())
        await asyncio.gather(*closing)


def _present(part: Kind | None, name: Part) -> Kind:
    if part is None:
        raise RuntimeError(f"this stack was started without {name}")
    return part


def _random_key() -> str:
    return base64.b64encode(secrets.token_bytes(SEAL_BYTES)).decode()


def _address(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _pseudo() -> dict[str, str]:
    """Return CloudFormation's pseudo parameters."""
    return {
        "AWS::Region": REGION,
        "AWS::AccountId": ACCOUNT,
        "AWS::Partition": "aws",
        "AWS::URLSuffix": "amazonaws.com",
        "AWS::StackName": "vitrine",
    }

"""The two engines under the execute handler: filled, and asked bare.

Each side keeps what its engine is sent for a question, and can send that again over a
plain connection of its own, with nothing of the product around it.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
import psycopg
from psycopg import sql

from infra.bench.asking import library, observed
from infra.bench.bulk import multiply
from infra.local.demo import shop
from infra.local.stack import Stack
from vitrine.caller import Caller
from vitrine.postgres.line import Answer, Line
from vitrine.postgres.statement import Statement
from vitrine.registry.profiles import Registry, registry_for
from vitrine.store.registry import put_registry
from vitrine.store.table import Table
from vitrine.typesense.client import connect
from vitrine.typesense.encode import Press
from vitrine.typesense.publish import PATIENCE, publish_all
from vitrine.typesense.sample import samples

if TYPE_CHECKING:
    # Its logger takes the output that is there when it is imported.
    from vitrine.edge.wiring import Wiring

TENANT, PROFILE = "aurore", "closed"
KEY = b"the bench's own key"
Call = Callable[[], None]
Tree = dict[str, Any]
_LASTING = sql.SQL("SELECT set_config('app.caller', {}, false)")


@dataclass(slots=True)
class Side:
    """An engine under the handler: what to ask, and how to ask it bare."""

    source: str
    trees: Sequence[Tree]
    record: Callable[[Wiring], None]
    """Begin to keep what the engine is sent, once the handler has built it."""
    ready: Callable[[], Call]
    """Give what sends again all that the last question made the engine be sent."""


def on_typesense(stack: Stack, rows: int, ends: ExitStack) -> Side | None:
    """Publish the shop in a size, and ask it what shoppers ask."""
    node = stack.typesense
    if node is None:
        return None
    client = ends.enter_context(_closing(connect(node.url, node.key, timeout=PATIENCE)))
    manifest = shop.manifest()
    bare = registry_for(manifest, PROFILE, tenant=TENANT)
    press = Press([bare], KEY, datetime.now(UTC))
    (run,) = publish_all(
        client,
        press,
        shop.records(TENANT, rows),
        stamp="1",
        publishable=shop.publishable,
    )
    seen, size = samples(client, bare), run.documents
    _put(stack, replace(bare, documents=size, samples=seen), ends)
    wire = Wire(node.url, bare)
    ends.callback(wire.close)
    return Side(manifest.source, shopping(), wire.record, wire.ready)


def on_postgres(stack: Stack, rows: int, ends: ExitStack) -> Side:
    """Fill the library to a size, and ask it what the people of a house ask."""
    size = multiply(stack.dsn, rows)
    dsn = stack.cluster.dsn(role="vitrine_service")
    bare = library(PROFILE, documents=size)
    seen = observed(dsn, bare.manifest)
    _put(stack, replace(bare, samples=seen), ends)
    tap = Tap(dsn, bare)
    ends.callback(tap.close)
    return Side(bare.source, browsing(), tap.record, tap.ready)


def _put(stack: Stack, registry: Registry, ends: ExitStack) -> None:
    dynamo = ends.enter_context(closing(boto3.client("dynamodb", **_aws(stack))))
    put_registry(Table(dynamo, stack.table), registry, now=datetime.now(UTC))


@contextmanager
def _closing(client: Any) -> Iterator[Any]:
    with closing(client.api_call):
        yield client


def _aws(stack: Stack) -> dict[str, Any]:
    said = stack.aws.environ()
    return {
        "endpoint_url": stack.aws_url,
        "region_name": said["AWS_DEFAULT_REGION"],
        "aws_access_key_id": said["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": said["AWS_SECRET_ACCESS_KEY"],
    }


class Wire:
    """What Typesense is sent, kept; and a plain connection to send it again."""

    def __init__(self, url: str, registry: Registry) -> None:
        parts = urlsplit(url)
        self._line = http.client.HTTPConnection(parts.hostname or "", parts.port)
        self._registry = registry
        self._sent: list[Any] = []
        self._client: Any = None

    def record(self, wiring: Wiring) -> None:
        """Stand between the engine and its client."""
        engine: Any = wiring.engine(self._registry)
        self._client, engine._client = engine._client, self  # noqa: SLF001 - a tap on the wire

    @property
    def multi_search(self) -> Wire:
        """Stand for the client's own part."""
        return self

    def perform(self, body: Any) -> Any:
        """Send for the engine, and keep what was sent."""
        self._sent.append(body)
        return self._client.multi_search.perform(body)

    def ready(self) -> Call:
        """Give what sends the last question's requests again."""
        sent, self._sent = self._sent, []
        return lambda: self._replay(sent)

    def _replay(self, sent: Sequence[Any]) -> None:
        headers = {"x-typesense-api-key": "sealed", "content-type": "application/json"}
        for body in sent:
            self._line.request("POST", "/multi_search", json.dumps(body), headers)
            answer = json.loads(self._line.getresponse().read())
            if not all("found" in result for result in answer["results"]):
                raise RuntimeError(answer)

    def close(self) -> None:
        """End the connection."""
        self._line.close()


class Tap:
    """The statements that PostgreSQL is sent, kept; and a plain way to run them again.

    Run again, a statement is one text with its values in it, on a connection whose
    caller is set beforehand: no transaction around it, and nobody reads its answer.
    """

    def __init__(self, dsn: str, registry: Registry) -> None:
        self._bare = psycopg.connect(dsn, autocommit=True)
        self._writer = psycopg.ClientCursor(self._bare)
        self._registry = registry
        self._sent: list[tuple[Caller, Statement]] = []
        self._line: Line | None = None

    def record(self, wiring: Wiring) -> None:
        """Stand between the engine and its line."""
        engine: Any = wiring.engine(self._registry)
        self._line, engine._line = engine._line, self  # noqa: SLF001 - a tap on the line

    def ask(self, caller: Caller, statements: Sequence[Statement]) -> list[Answer]:
        """Ask for the engine, and keep what was asked."""
        self._sent += [(caller, statement) for statement in statements]
        if self._line is None:
            raise RuntimeError("nothing is recorded yet")
        return self._line.ask(caller, statements)

    def ready(self) -> Call:
        """Give what runs the last question's statements again."""
        sent, self._sent = self._sent, []
        for caller, _ in sent[:1]:
            said = json.dumps({"tenant": caller.tenant, "subject": caller.subject})
            self._bare.execute(_LASTING.format(sql.Literal(said)))
        texts = [self._writer.mogrify(s.text, s.values).encode() for _, s in sent]
        return lambda: self._replay(texts)

    def _replay(self, texts: Sequence[bytes]) -> None:
        for text in texts:
            answer = self._bare.pgconn.exec_(text)
            if not answer.ntuples:
                raise RuntimeError(answer.error_message.decode())

    def close(self) -> None:
        """End the connection."""
        self._bare.close()


def shopping() -> list[Tree]:
    """Ask as shoppers do: words, filters, both, ranges, negations, alternatives."""
    oak, lamp = _is("material", "oak"), _is("category", "floor_lamp")
    cheap = _rule("price", "less_than", 30_000)
    return [
        _all(_text("lampe")),
        _all(_text("table en chêne")),
        _all(_text("fauteuil"), cheap),
        _all(_text("oak table"), _is("room", "living_room"), cheap),
        _all(oak),
        _all(lamp, _rule("price", "between", [5_000, 20_000])),
        _all(
            _rule("material", "in", ["oak", "walnut", "beech"]),
            _is("style", "scandinavian"),
        ),
        _all(_rule("material", "not_in", ["steel", "glass"]), lamp, cheap),
        _all(_any(oak, lamp), cheap),
        _all(_rule("width", "less_than", 80), _is("in_stock", value=True)),
        _all(_text("lampadaire"), _is("availability", "in_stock")),
        _all(
            _rule("rating", "greater_or_equal", 4),
            _rule("added", "in_period", "last_30_days"),
        ),
    ]


def browsing() -> list[Tree]:
    """Ask a library as its readers do, in as many ways."""
    photo, film = _rule("kind", "in", ["photo"]), _rule("kind", "in", ["video"])
    tall, wide = _is("orientation", "portrait"), _is("orientation", "landscape")
    recent = _rule("taken_on", "after", "2026-01-01")
    return [
        _all(_text("calme")),
        _all(_text("table en chêne")),
        _all(_text("fauteuil"), photo),
        _all(_text("lampe salon"), photo, wide),
        _all(_text("clame"), wide),
        _all(photo, tall),
        _all(photo, recent),
        _all(_rule("kind", "not_in", ["photo"]), wide),
        _all(_any(film, tall), recent),
        _all(_rule("width", "between", [3_000, 4_000]), tall),
        _all(_rule("colours", "near", {"hex": "#aa3322", "tolerance": 20}), photo),
        _all(_rule("title", "contains", "cuisine"), wide),
    ]


def _all(*rules: Tree) -> Tree:
    return {"type": "group", "operator": "and", "rules": list(rules)}


def _any(*rules: Tree) -> Tree:
    return {"type": "group", "operator": "or", "rules": list(rules)}


def _rule(key: str, operator: str, value: Any) -> Tree:
    return {"field": key, "operator": operator, "value": value}


def _is(key: str, value: Any) -> Tree:
    return _rule(key, "equals", value)


def _text(words: str) -> Tree:
    return _rule("full_text_search", "keyword_search", words)


SIDES: Mapping[str, Callable[[Stack, int, ExitStack], Side | None]] = {
    "postgres": on_postgres,
    "typesense": on_typesense,
}

"""Converse over a real socket and botocore's own client, well-behaved and not."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import boto3
import pytest

from infra.local import bedrock as local
from infra.local import provider as said
from infra.local.provider import Behaviour, Provider, says
from vitrine.models.bedrock import Bedrock
from vitrine.models.chat import ModelFailure, Prices

MODEL = "openai.gpt-oss-120b-1:0"
ASKED = [
    {"role": "system", "content": "orders"},
    {"role": "user", "content": "bonjour"},
    {"role": "assistant", "content": "{"},
    {"role": "user", "content": "again"},
]
SCHEMA = {"type": "object", "properties": {"é": {"type": "string"}}}
SESSION = boto3.Session("AKIDEXAMPLE", "secret", region_name="eu-west-3")


@pytest.fixture
def runtime() -> Iterator[Provider]:
    with local.serve() as running:
        yield running


def chat(runtime: Provider, **more: Any) -> Bedrock:
    told: dict[str, Any] = {"prices": Prices(0.15, 0.6), "connect": SESSION.client}
    return Bedrock(MODEL, endpoint=runtime.url, **told | more)


def test_the_request_has_the_shape_that_converse_takes(runtime: Provider) -> None:
    runtime.script(says("{}"))

    chat(runtime).complete(ASKED, schema=SCHEMA, timeout=5)

    (asked,) = runtime.requests
    form = asked["outputConfig"]["textFormat"]
    assert asked["modelId"] == MODEL
    assert asked["system"] == [{"text": "orders"}]
    assert [m["role"] for m in asked["messages"]] == ["user", "assistant", "user"]
    assert asked["messages"][0]["content"] == [{"text": "bonjour"}]
    assert asked["inferenceConfig"] == {"maxTokens": 2000, "temperature": 0.1}
    assert form["type"] == "json_schema"
    assert json.loads(form["structure"]["jsonSchema"]["schema"]) == SCHEMA


def test_usage_times_price_is_the_cost_and_thoughts_are_no_text(
    runtime: Provider,
) -> None:
    runtime.script(says({"intent": "reset"}))

    found = chat(runtime).complete(ASKED, schema=None, timeout=5)

    assert found.text == '{"intent": "reset"}'
    assert found.tokens_in > 0
    assert found.micros == round(0.15 * found.tokens_in + 0.6 * found.tokens_out)


def test_a_refused_schema_is_told_once_and_not_sent_again(runtime: Provider) -> None:
    runtime.script(Behaviour("{}", schemas=False), Behaviour("{}", schemas=False))
    model = chat(runtime)

    with pytest.raises(ModelFailure) as failure:
        model.complete(ASKED, schema=SCHEMA, timeout=5)
    found = model.complete(ASKED, schema=SCHEMA, timeout=5)

    assert (failure.value.kind, found.text) == ("schema", "{}")
    assert "outputConfig" not in runtime.requests[1]


@pytest.mark.parametrize(
    ("kind", "behaviour"),
    [
        ("busy", said.BUSY),
        ("transport", said.DOWN),
        ("transport", said.fails(503)),
        ("transport", said.fails(408)),
        ("transport", said.fails(424)),
        # botocore hands on what came of a body
        ("broken", said.CUT),
        ("broken", said.GARBAGE),
        ("broken", Behaviour(body=b"[]")),
        ("broken", Behaviour(body=b'{"output": {}}')),
        ("refused", said.fails(403)),
        ("refused", said.fails(404)),
        ("refused", said.fails(400)),
    ],
)
def test_misbehaviour_has_a_kind(
    runtime: Provider, kind: str, behaviour: Behaviour
) -> None:
    runtime.script(behaviour)

    with pytest.raises(ModelFailure) as failure:
        chat(runtime).complete(ASKED, schema=None, timeout=5)

    assert kind == failure.value.kind
    assert len(runtime.requests) == 1


@pytest.mark.parametrize(
    "behaviour", [Behaviour("{}", wait=30), Behaviour("{}", drip=0.05)]
)
def test_a_slow_provider_is_left_in_time(
    runtime: Provider, behaviour: Behaviour
) -> None:
    runtime.script(behaviour)
    model, start = chat(runtime), time.monotonic()
    _ = model.client

    with pytest.raises(ModelFailure) as failure:
        model.complete(ASKED, schema=None, timeout=0.2)

    assert failure.value.kind == "transport"
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("client", ["absent", "unsigned"])
def test_who_is_not_there_or_may_not_call_is_told_apart(client: str) -> None:
    nobody = boto3.Session(region_name="eu-west-3")
    # no profile, file or metadata service of this machine is asked for keys
    nobody._session.register_component("credential_provider", _Nothing())
    connect = {"absent": SESSION.client, "unsigned": nobody.client}[client]
    model = Bedrock(MODEL, Prices(1, 1), connect=connect, endpoint="http://127.0.0.1:1")

    with pytest.raises(ModelFailure) as failure:
        model.complete(ASKED, schema=None, timeout=5)

    kinds = {"absent": "transport", "unsigned": "refused"}
    assert failure.value.kind == kinds[client]


class _Nothing:
    """A machine without credentials."""

    def load_credentials(self) -> None:
        return None


def test_no_client_is_made_before_the_first_call(runtime: Provider) -> None:
    runtime.script(says("{}"), says("{}"))
    made: list[str] = []

    def connect(name: str, **more: Any) -> Any:
        made.append(name)
        return SESSION.client(name, **more)

    model = chat(runtime, connect=connect)
    before = list(made)
    call = partial(model.complete, ASKED, schema=None, timeout=5)

    assert (call().text, call().text) == ("{}", "{}")
    assert (before, made) == ([], ["bedrock-runtime"])

"""Which embedder a deployment has, what the switch ends, and what Bedrock answers."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from vitrine.models.chat import ModelFailure
from vitrine.models.embed import (
    DIMENSIONS,
    Configured,
    Provider,
    Switched,
    embedded,
    opened,
)
from vitrine.models.titan import Titan
from vitrine.problems import Unavailable

REMOTE = {"base_url": "https://m.example/v1", "key": "k", "model": "small"}


@dataclass
class Counting:
    """An embedder that counts what it is asked."""

    name: str = "counting"
    weight: float = 0.2
    reach: float = 0.4
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [[1.0] for _ in texts]


def test_a_secret_names_a_providers_model_and_its_measures() -> None:
    found: Any = opened(REMOTE | {"weight": 0.1, "reach": "0.7"}, lambda: False)

    assert isinstance(found.inner, Provider)
    assert ("small", 0.1, 0.7) == (found.name, found.weight, found.reach)
    assert "'k'" not in repr(found)


def test_a_model_without_an_address_is_bedrocks() -> None:
    found: Any = opened({"model": "amazon.titan-embed-text-v2:0"}, lambda: False)

    assert isinstance(found.inner, Titan)
    assert "amazon.titan-embed-text-v2:0" == found.name


def test_an_empty_secret_is_the_embedded_model_where_there_is_one() -> None:
    assert type(embedded()) is type(opened({}, lambda: False))


def test_with_the_switch_on_no_paid_model_is_called() -> None:
    inner, off = Counting(), [False]
    model = Switched(inner, lambda: off[0])

    model.embed(["sea"])
    off[0] = True

    with pytest.raises(Unavailable):
        model.embed(["ocean"])
    assert ["sea"] == inner.asked
    assert (0.2, 0.4) == (model.weight, model.reach)


def test_an_embedder_that_can_not_be_opened_has_no_name() -> None:
    def fail() -> None:
        raise Unavailable("A secret can't be read.")

    assert "" == Configured(fail).name
    assert "" == Configured(lambda: None).name
    with pytest.raises(Unavailable):
        Configured(lambda: None).embed(["sea"])


def test_one_that_can_be_is_opened_when_it_is_asked() -> None:
    inner = Counting()
    model = Configured(lambda: inner)

    assert [[1.0]] == model.embed(["sea"])
    assert ("counting", 0.2, 0.4) == (model.name, model.weight, model.reach)


class Bedrock:
    """Bedrock's runtime as a script: a body, or a failure."""

    def __init__(self, said: Any) -> None:
        self.said, self.asked = said, list[dict[str, Any]]()

    def invoke_model(self, **asked: Any) -> Any:
        self.asked.append(json.loads(asked["body"]) | {"model": asked["modelId"]})
        if isinstance(self.said, Exception):
            raise self.said
        return {"body": io.BytesIO(json.dumps(self.said).encode())}


def titan(said: Any) -> tuple[Titan, Bedrock]:
    client = Bedrock(said)
    return Titan("titan", connect=lambda *_, **__: client), client


def test_bedrock_embeds_one_text_a_call() -> None:
    model, client = titan({"embedding": [0.5] * DIMENSIONS})

    found = model.embed(["sea", ""])

    assert [[0.5] * DIMENSIONS] * 2 == found
    assert ["sea", "."] == [asked["inputText"] for asked in client.asked]
    assert {DIMENSIONS} == {asked["dimensions"] for asked in client.asked}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({}, "broken"),
        ({"embedding": [1.0]}, "broken"),
        ({"embedding": "AAAA"}, "broken"),
        ([], "broken"),
        (
            ClientError({"Error": {"Code": "ThrottlingException"}}, "InvokeModel"),
            "refused",
        ),
        (EndpointConnectionError(endpoint_url="here"), "transport"),
    ],
)
def test_what_bedrock_does_not_say_well_is_one_typed_failure(
    said: Any, kind: str
) -> None:
    with pytest.raises(ModelFailure) as failed:
        titan(said)[0].embed(["sea"])

    assert kind == failed.value.kind

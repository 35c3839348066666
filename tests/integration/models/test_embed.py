"""Embeddings over a real socket, well-behaved and not; and the embedded model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from infra.local import provider as local
from infra.local.provider import BUSY, CUT, DOWN, EMPTY, GARBAGE, Behaviour, Provider
from vitrine.models.chat import ModelFailure
from vitrine.models.embed import BEGINNING, WHOLE, Universal, embedded
from vitrine.models.embed import Provider as Remote

KEY = "sk-secret"
DIMENSIONS = 3


@pytest.fixture
def provider() -> Iterator[Provider]:
    with local.serve() as running:
        yield running


def remote(provider: Provider) -> Remote:
    return Remote(KEY, provider.url, "small", dimensions=DIMENSIONS)


def gives(rows: Any) -> Behaviour:
    return Behaviour(body=json.dumps({"data": rows}).encode())


def row(index: int, *numbers: float) -> dict[str, Any]:
    return {"index": index, "embedding": list(numbers)}


def test_vectors_come_in_the_order_of_the_texts(provider: Provider) -> None:
    provider.script(gives([row(1, 4, 5, 6), row(0, 1, 2, 3)]))

    found = remote(provider).embed(["calm", "sea"])

    assert [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] == found
    (asked,) = provider.requests
    assert asked == {"model": "small", "input": ["calm", "sea"], "dimensions": 3}


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (BUSY, "busy"),
        (DOWN, "transport"),
        (local.fails(401), "refused"),
        (CUT, "transport"),
        (GARBAGE, "broken"),
        (EMPTY, "broken"),
        (Behaviour(body=b"[]"), "broken"),
        (gives([]), "broken"),
        (gives([row(0, 1, 2)]), "broken"),
        (gives([{"index": 0, "embedding": "AAAA"}]), "broken"),
        (gives([{"index": 0, "embedding": [1, True, None]}]), "broken"),
        (gives([row(0, 1, 2, 3), row(1, 1, 2, 3)]), "broken"),
        (Behaviour(body=b" " * 100, drip=0.1), "transport"),
        (Behaviour(wait=5.0), "transport"),
    ],
)
def test_a_misbehaving_provider_is_one_typed_failure(
    provider: Provider, behaviour: Behaviour, kind: str
) -> None:
    provider.script(behaviour)

    with pytest.raises(ModelFailure) as failed:
        remote(provider).embed(["calm"])

    assert kind == failed.value.kind
    assert KEY not in str(failed.value) + repr(remote(provider))


def test_a_provider_that_is_away_is_one_typed_failure() -> None:
    with pytest.raises(ModelFailure):
        Remote(KEY, "http://127.0.0.1:1", "small").embed(["calm"])


def test_a_short_model_is_given_a_title_a_long_one_the_whole() -> None:
    text = "word " * 2_000

    assert Universal().essence("Calm sea", text) == "Calm sea"
    assert Universal().essence("", text) == text[:BEGINNING]
    assert len(Remote(KEY, "http://x", "m").essence("Calm sea", text)) == WHOLE


def test_the_embedded_model_links_languages() -> None:
    model = embedded()
    if model is None:
        pytest.skip("the optional extra is not installed")

    sea, mer, lamp = model.embed(["the sea", "la mer", "a lamp"])

    assert len(sea) == 512
    assert dot(sea, mer) > 0.7 > dot(sea, lamp)
    assert dot(sea, sea) == pytest.approx(1, abs=1e-3)


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))

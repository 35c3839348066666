"""The provider's protocol over a real socket, well-behaved and not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local import provider as local
from infra.local.provider import Behaviour, Provider, says
from vitrine.models.chat import ModelFailure, Prices
from vitrine.models.openrouter import OpenRouter

KEY = "sk-or-secret"
ASKED = [{"role": "user", "content": "bonjour"}]
SCHEMA = {"type": "object"}


@pytest.fixture
def provider() -> Iterator[Provider]:
    with local.serve() as running:
        yield running


def chat(provider: Provider, **settings: object) -> OpenRouter:
    return OpenRouter(key=KEY, base=provider.url, **settings)  # type: ignore[arg-type] # test


def test_reply_usage_and_cost_are_the_providers(provider: Provider) -> None:
    provider.script(says({"intent": "reset"}, cost=0.00125))

    found = chat(provider).complete(ASKED, schema=SCHEMA, timeout=5)

    assert found.text == '{"intent": "reset"}'
    assert found.micros == 1250
    assert found.tokens_in > 0
    assert found.tokens_out > 0


def test_configured_prices_count_where_no_cost_is_reported(provider: Provider) -> None:
    provider.script(says("{}", cost=None))
    priced = chat(provider, prices=Prices(tokens_in=2.0, tokens_out=5.0))

    found = priced.complete(ASKED, schema=None, timeout=5)

    assert found.micros == 2 * found.tokens_in + 5 * found.tokens_out


def test_request_carries_model_temperature_and_schema(provider: Provider) -> None:
    provider.script(says("{}"))

    chat(provider).complete(ASKED, schema=SCHEMA, timeout=5)

    (asked,) = provider.requests
    assert asked["model"] == "openai/gpt-oss-120b:exacto"
    assert asked["temperature"] == 0.1
    assert asked["response_format"]["json_schema"]["schema"] == SCHEMA
    assert asked["messages"] == ASKED


def test_refused_schema_is_told_once_and_not_sent_again(provider: Provider) -> None:
    provider.script(Behaviour("{}", schemas=False), Behaviour("{}", schemas=False))
    model = chat(provider)

    with pytest.raises(ModelFailure) as failure:
        model.complete(ASKED, schema=SCHEMA, timeout=5)
    found = model.complete(ASKED, schema=SCHEMA, timeout=5)

    assert failure.value.kind == "schema"
    assert found.text == "{}"
    assert provider.requests[1]["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (local.BUSY, "busy"),
        (local.DOWN, "transport"),
        (local.CUT, "transport"),
        (local.GARBAGE, "broken"),
        (local.fails(401), "refused"),
        (local.fails(400), "refused"),
        (Behaviour(body=b"[]"), "broken"),
        (Behaviour(body=b'{"choices": []}'), "broken"),
        (Behaviour(body=b'{"choices": [{"message": null}]}'), "broken"),
    ],
)
def test_misbehaviour_has_a_kind(
    provider: Provider, behaviour: Behaviour, kind: str
) -> None:
    provider.script(behaviour)

    with pytest.raises(ModelFailure) as failure:
        chat(provider).complete(ASKED, schema=None, timeout=5)

    assert failure.value.kind == kind
    assert KEY not in str(failure.value.body())


@pytest.mark.parametrize(
    "behaviour",
    [local.EMPTY, Behaviour(body=b'{"choices": [{"message": {"content": null}}]}')],
)
def test_empty_content_is_an_empty_text(
    provider: Provider, behaviour: Behaviour
) -> None:
    """J01: the loop judges it, as a reply that can't be read."""
    provider.script(behaviour)

    assert chat(provider).complete(ASKED, schema=None, timeout=5).text == ""


@pytest.mark.parametrize(
    "behaviour", [Behaviour("{}", wait=30), Behaviour("{}", drip=0.05)]
)
def test_a_slow_provider_is_left_in_time(
    provider: Provider, behaviour: Behaviour
) -> None:
    provider.script(behaviour)

    with pytest.raises(ModelFailure) as failure:
        chat(provider).complete(ASKED, schema=None, timeout=0.2)

    assert failure.value.kind == "transport"


def test_an_absent_provider_is_a_transport_failure() -> None:
    absent = OpenRouter(key=KEY, base="http://127.0.0.1:1/v1")

    with pytest.raises(ModelFailure) as failure:
        absent.complete(ASKED, schema=None, timeout=1)

    assert failure.value.kind == "transport"


def test_the_key_is_in_no_repr() -> None:
    assert KEY not in repr(OpenRouter(key=KEY))


def test_a_request_without_a_key_is_refused(provider: Provider) -> None:
    import urllib3

    answer = urllib3.request("POST", provider.url + "/chat/completions", body=b"{}")

    assert answer.status == 401
    assert provider.requests == []


def test_money_spent_is_counted_for_answers_alone(provider: Provider) -> None:
    provider.script(says("{}", cost=0.5), local.DOWN)
    model = chat(provider)

    model.complete(ASKED, schema=None, timeout=5)
    with pytest.raises(ModelFailure):
        model.complete(ASKED, schema=None, timeout=5)

    assert provider.spent == 0.5

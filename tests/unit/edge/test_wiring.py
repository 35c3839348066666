from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from infra.local.demo import shop
from vitrine.caller import Caller, Surface
from vitrine.edge.settings import UnsetError
from vitrine.edge.wiring import Wiring, spoken_to
from vitrine.models.bedrock import Bedrock
from vitrine.models.chat import Prices
from vitrine.models.embed import Universal, embedded
from vitrine.models.openrouter import MODEL, OpenRouter
from vitrine.problems import Forbidden, Missing, Unavailable
from vitrine.registry.capabilities import EngineName
from vitrine.registry.profiles import Registry, registry_for

SHOP = registry_for(shop.manifest(), "closed", tenant="t")
KEY = base64.b64encode(b"k" * 32).decode()
OTHER = base64.b64encode(b"o" * 32).decode()
ALICE = Caller("t", "alice", "desk", scopes=frozenset({"products:read"}))
NAMES = {
    "VITRINE_MODEL_SECRET": "model",
    "VITRINE_SEAL_SECRET": "seal",
    "VITRINE_DSN_SECRET": "dsn",
    "VITRINE_TYPESENSE_SECRET": "typesense",
    "VITRINE_EMBED_SECRET": "embed",
}


def text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class Vault:
    """Secrets as they are now; without one, the failure of the real store."""

    def __init__(self, **kept: Any) -> None:
        self.kept = {name: text(value) for name, value in kept.items()}

    def get(self, name: str, **_: Any) -> str:
        if name not in self.kept:
            raise GetParameterError(name)
        return self.kept[name]


class Switch:
    """The kill switch as a script; None is one that can't be read."""

    def __init__(self, *, on: bool | None) -> None:
        self._on = on

    def on(self, _: datetime) -> bool:
        if self._on is None:
            raise Unavailable("The kill switch can't be read.")
        return self._on


class Shelf:
    """Registries of one tenant."""

    def __init__(self, *registries: Registry) -> None:
        self._held = {(r.tenant, r.source, r.profile): r for r in registries}

    def get(self, *name: str) -> Registry:
        try:
            return self._held[name]  # type: ignore[index] # three words
        except KeyError:
            raise Missing from None


def wired(**kept: Any) -> Any:
    wiring: Any = Wiring(NAMES, lambda: 1_796_055_320.0)
    wiring.vault, wiring.registries = Vault(**kept), Shelf(SHOP)
    return wiring


def test_nothing_is_built_or_read_before_it_is_needed() -> None:
    assert Wiring({}).now().tzinfo is UTC


@pytest.mark.parametrize("part", ["table", "verifier", "ring", "chat"])
def test_a_missing_variable_is_named_at_first_use(part: str) -> None:
    wiring = Wiring({})
    if part == "chat":
        assert wiring.chat is None
        return

    with pytest.raises(UnsetError, match="VITRINE_"):
        getattr(wiring, part)


def test_a_secret_that_can_not_be_read_is_unavailable() -> None:
    with pytest.raises(Unavailable):
        _ = wired().ring


def test_a_part_is_built_once_and_anew_when_its_secret_changes() -> None:
    wiring = wired(seal={"keys": [KEY], "ref_key": KEY})
    first, again = wiring.refs, wiring.refs

    wiring.vault.kept["seal"] = json.dumps({"keys": [KEY], "ref_key": OTHER})

    assert first is again
    assert wiring.refs is not first


@pytest.mark.parametrize("kept", [{}, {"base_url": "https://m.example"}, {"key": ""}])
def test_without_a_key_there_is_no_model(kept: dict[str, str]) -> None:
    assert wired(model=kept).chat is None


def test_a_model_has_the_providers_defaults_where_nothing_is_said() -> None:
    chat = wired(model={"key": "k", "base_url": "https://m.example/v1"}).chat

    assert isinstance(chat, OpenRouter)
    assert (chat.base, chat.model) == ("https://m.example/v1", MODEL)
    assert "'k'" not in repr(chat)


PRICED = {
    "VITRINE_BEDROCK_MODEL": "openai.gpt-oss-120b-1:0",
    "VITRINE_BEDROCK_PRICE_IN": "0.15",
    "VITRINE_BEDROCK_PRICE_OUT": "0.6",
}


def test_bedrocks_model_stands_before_the_secrets_and_opens_nothing_yet() -> None:
    wiring = wired(model={"key": "k"})
    wiring.environ = NAMES | PRICED

    chat = wiring.chat

    assert isinstance(chat, Bedrock)
    assert (chat.model, chat.prices) == ("openai.gpt-oss-120b-1:0", Prices(0.15, 0.6))
    assert chat is wiring.chat
    assert "client" not in vars(chat)


@pytest.mark.parametrize("price", ["VITRINE_BEDROCK_PRICE_IN", *list(PRICED)[2:]])
def test_a_model_that_the_kill_switch_can_not_see_is_refused(price: str) -> None:
    wiring = wired()
    wiring.environ = NAMES | PRICED | {price: "0"}

    with pytest.raises(UnsetError, match="VITRINE_BEDROCK_MODEL"):
        _ = wiring.chat


def test_the_embedder_is_the_secrets_and_heeds_the_kill_switch() -> None:
    wiring = wired(embed={"base_url": "https://m.example", "key": "k", "model": "m"})
    wiring.switch = Switch(on=True)

    assert "m" == wiring.embedder.name
    with pytest.raises(Unavailable, match="switched off"):
        wiring.embedder.embed(["sea"])


def test_words_are_linked_by_the_embedded_model_alone_where_it_is_installed() -> None:
    link = wired(embed={"base_url": "https://m.example", "model": "m"}).link

    assert (embedded() is None) == (link is None)
    assert link is None or isinstance(link.model, Universal)


def test_a_switch_that_can_not_be_read_lets_nothing_be_paid() -> None:
    wiring = wired(embed={"base_url": "https://m.example", "key": "k", "model": "m"})
    wiring.switch = Switch(on=None)

    with pytest.raises(Unavailable, match="switched off"):
        wiring.embedder.embed(["sea"])


def test_an_engine_opens_no_embedder_before_a_source_with_vectors_is_asked() -> None:
    wiring = wired(dsn="host=none")
    manifest = shop.manifest().model_copy(update={"engine": EngineName.POSTGRES})

    # No secret `embed` is kept: reading it would fail.
    assert wiring.engine(replace(SHOP, manifest=manifest))
    with pytest.raises(Unavailable):
        _ = wiring.embedder


@pytest.mark.parametrize("engine", list(EngineName))
def test_each_engine_is_opened_where_a_source_needs_it(engine: EngineName) -> None:
    wiring = wired(typesense={"url": "http://127.0.0.1:9", "key": "k"}, dsn="host=none")
    manifest = shop.manifest().model_copy(update={"engine": engine})

    opened = wiring.engine(replace(SHOP, manifest=manifest))

    assert engine in type(opened).__module__
    assert opened is wiring.engine(replace(SHOP, manifest=manifest))


def test_today_is_where_the_sources_people_are() -> None:
    late = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)

    assert date(2026, 12, 1) == Wiring({}, late.timestamp).today(SHOP)


def test_a_source_needs_its_scope_and_its_profile() -> None:
    wiring = wired()

    assert wiring.registry(ALICE, "products") == SHOP
    with pytest.raises(Forbidden):
        wiring.registry(ALICE, "media")
    with pytest.raises(Missing):
        wiring.registry(replace(ALICE, default_profile="trusted"), "products")
    with pytest.raises(Missing):
        wiring.registry(replace(ALICE, tenant="other"), "products")


def test_the_covered_sources_are_those_that_exist() -> None:
    many = frozenset({"products:read", "media:read", "notes:write", "admin"})

    assert wired().covered(replace(ALICE, scopes=many)) == (SHOP,)
    assert wired().covered(replace(ALICE, scopes=frozenset())) == ()


@pytest.mark.parametrize(("said", "answered"), [("", "fr"), ("en", "en"), ("de", "de")])
def test_who_names_no_language_gets_the_sources(said: str, answered: str) -> None:
    caller = replace(ALICE, language=said, surface=Surface.MCP)

    told = spoken_to(caller, SHOP)

    assert (answered, Surface.MCP) == (told.language, told.surface)

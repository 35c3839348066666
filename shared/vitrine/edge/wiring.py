"""Settings become parts, each built at its first use and kept for the environment.

A function pays only for what it asks: the engines' clients are imported where a
source needs them, so interpret, validate and the cost monitor never load them.
This is where the clock, randomness and the environment enter.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

import boto3
from aws_lambda_powertools.utilities.parameters import SecretsProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from vitrine.caller import Caller, Surface, from_claims
from vitrine.disclosure.budgets import admit_user
from vitrine.edge import opening, settings
from vitrine.edge.tokens import Keys, Verifier
from vitrine.edge.watching import measured
from vitrine.models.chat import Chat, Prices
from vitrine.problems import Forbidden, Missing, Unavailable
from vitrine.registry.capabilities import EngineName
from vitrine.registry.profiles import Registry
from vitrine.seal import NONCE, Refs, Ring, refs_of, ring_of
from vitrine.search.engine import Engine
from vitrine.search.prepare import Parts
from vitrine.store.circuit import Breaker
from vitrine.store.habits import Habits
from vitrine.store.planted import Canaries
from vitrine.store.raises import Raises
from vitrine.store.registry import Registries
from vitrine.store.switch import Switch
from vitrine.store.table import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from vitrine.lexicon.linking import Link
    from vitrine.models.embed import Universal
    from vitrine.postgres.notes import Notes
    from vitrine.search.engine import Embedder, Sampler
    from vitrine.typesense.changes import Writer

_Part = TypeVar("_Part")
_Kind = TypeVar("_Kind", bound=settings.Settings)
READ = ":read"
UNSAID = ""
"""The language of a caller who named none: the source's own is taken."""
SECRETS_FRESH = 300
"""Seconds for which a secret is believed."""


@dataclass
class Wiring:
    """The parts of one environment."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    seconds: Callable[[], float] = time.time
    _made: dict[str, tuple[str, Any]] = field(default_factory=dict, init=False)

    def now(self) -> datetime:
        """Tell the time."""
        return datetime.fromtimestamp(self.seconds(), UTC)

    def today(self, registry: Registry) -> date:
        """Tell the date where the source's people are."""
        return self.now().astimezone(ZoneInfo(registry.manifest.zone)).date()

    def nonce(self) -> bytes:
        """Draw the nonce of a sealed token."""
        return secrets.token_bytes(NONCE)

    def number(self) -> str:
        """Mint an id that nobody can guess."""
        return secrets.token_urlsafe(16)

    def mark(self) -> str:
        """Draw a mark that no stored text can know beforehand."""
        return secrets.token_hex(4)

    def read(self, kind: type[_Kind]) -> _Kind:
        """Read the settings of one part, loudly."""
        return settings.read(kind, self.environ)

    @cached_property
    def table(self) -> Table:
        """Open the project's own table."""
        storage = self.read(settings.Storage)
        client: DynamoDBClient = boto3.client("dynamodb", config=self.short)
        return Table(client, storage.table)

    @property
    def short(self) -> Config:
        """Give the limits of a call to AWS.

        botocore waits a minute for a connection by default: a hung store would eat the
        function's whole time. These give up within two seconds, as they are set.
        """
        return Config(
            connect_timeout=0.3,
            read_timeout=self.read(settings.Storage).store_wait,
            retries={"mode": "standard", "total_max_attempts": 2},
            tcp_keepalive=True,
        )

    @cached_property
    def aside(self) -> ThreadPoolExecutor:
        """Give hands for writes beside the engine's work, always waited for: a new
        session and the pace.
        """
        return ThreadPoolExecutor(2)

    @cached_property
    def registries(self) -> Registries:
        """Know the registries of this environment."""
        return Registries(self.table, time.monotonic)

    @cached_property
    def raises(self) -> Raises:
        """Know which caps are raised."""
        return Raises(self.table, time.monotonic)

    @cached_property
    def breaker(self) -> Breaker:
        """Know which providers are down."""
        return Breaker(self.table, time.monotonic)

    @cached_property
    def habits(self) -> Habits:
        """Know what tenants' people mean by an ambiguous word."""
        return Habits(self.table, time.monotonic)

    @cached_property
    def canaries(self) -> Canaries:
        """Know which documents nobody should be shown."""
        return Canaries(self.table, time.monotonic)

    @cached_property
    def switch(self) -> Switch:
        """Watch the kill switch."""
        return Switch(self.table, time.monotonic)

    @cached_property
    def verifier(self) -> Verifier:
        """Judge access tokens."""
        trust = self.read(settings.Trust)
        return Verifier(trust, Keys(trust, opening.fetched), self.seconds)

    def caller(
        self, authorization: str | None, language: str | None, surface: Surface
    ) -> Caller:
        """Verify who asks; raise ``Unauthenticated`` where it can't be told."""
        claims = self.verifier.claims(authorization)
        return from_claims(claims, language=UNSAID).speaking(language, surface)

    def registry(self, caller: Caller, source: str) -> Registry:
        """Give a source as its caller sees it.

        Raises ``Forbidden`` for a scope or a user that the token lacks, ``Missing``
        for a source or profile that the tenant does not have.
        """
        # Scope before registry: whoever may not read it learns nothing of whether it is
        # there.
        caller.require(f"{source}{READ}")
        profile = caller.profile_of(source)
        registry = self.registries.get(caller.tenant, source, profile)
        admit_user(caller, registry)
        return registry

    def covered(self, caller: Caller) -> tuple[Registry, ...]:
        """Give every source that the caller's scopes cover, by name."""
        named = sorted(s.removesuffix(READ) for s in caller.scopes if s.endswith(READ))
        found = (self._covered(caller, source) for source in named)
        return tuple(registry for registry in found if registry is not None)

    def _covered(self, caller: Caller, source: str) -> Registry | None:
        try:
            return self.registry(caller, source)
        except (Forbidden, Missing):
            return None

    @property
    def ring(self) -> Ring:
        """Give the key ring that seals tokens."""
        name = self.read(settings.Sealing).seal_secret
        return self._secret("ring", name, lambda kept: ring_of(kept, self.nonce))

    @property
    def refs(self) -> Refs:
        """Give the public handles of documents."""
        return self._secret("refs", self.read(settings.Sealing).seal_secret, refs_of)

    @property
    def chat(self) -> Chat | None:
        """Give the model, or None where the lexicon is all there is."""
        told = self.read(settings.Models)
        if told.bedrock_model:
            return self.bedrock
        name = told.model_secret
        return self._secret("chat", name, opening.chat) if name else None

    @property
    def gated(self) -> bool:
        """Tell whether the topic is asked for before a doubtful turn."""
        return self.read(settings.Models).topic_gate

    @cached_property
    def bedrock(self) -> Chat:
        """Give the model that the function's own role may call."""
        from vitrine.models.bedrock import Bedrock  # noqa: PLC0415 - only where used

        told = self.read(settings.Models)
        prices = Prices(told.bedrock_price_in, told.bedrock_price_out)
        return Bedrock(str(told.bedrock_model), prices)

    def engine(self, registry: Registry) -> Engine:
        """Give the engine that keeps a source."""
        opened = self.read(settings.Engines)
        if registry.engine is EngineName.TYPESENSE:
            return self._secret("typesense", opened.typesense_secret, opening.typesense)
        return self._secret("postgres", opened.dsn_secret, self._postgres, plain=True)

    @property
    def embedder(self) -> Embedder | None:
        """Give the model of meaning, or None where there is none."""
        name = self.read(settings.Meaning).embed_secret
        if name is None:
            return self._embedded
        return self._secret("embedder", name, self._opened)

    @cached_property
    def _embedded(self) -> Universal | None:
        """Keep the embedded model, whose weights take most of a second to load."""
        from vitrine.models.embed import embedded  # noqa: PLC0415 - only where used

        return embedded()

    @cached_property
    def link(self) -> Link | None:
        """Give what links unknown words to values; it loads with the first of them.

        It is the embedded model, never one that is paid by the sentence.
        """
        from vitrine.models.nearness import Nearness  # noqa: PLC0415 - only where used

        found = self._embedded
        return Nearness(found) if found else None

    def _opened(self, kept: Mapping[str, Any]) -> Embedder | None:
        from vitrine.models.embed import opened  # noqa: PLC0415 - only where used

        return opened(kept, self._switched_off)

    def _switched_off(self) -> bool:
        """Tell whether nothing may be paid for; so it is where that can't be read."""
        try:
            return self.switch.on(self.now())
        except Unavailable:
            return True

    def _postgres(self, dsn: str) -> Engine:
        from vitrine.models.embed import Configured  # noqa: PLC0415 - only where used
        from vitrine.postgres.line import connector  # noqa: PLC0415 - the same
        from vitrine.postgres.search import Postgres  # noqa: PLC0415 - the same

        return Postgres(connector(dsn), Configured(lambda: self.embedder))

    def sampler(self, registry: Registry) -> Sampler:
        """Give what observes a source's values, with more patience than a search."""
        opened = self.read(settings.Engines)
        if registry.engine is EngineName.TYPESENSE:
            return self._secret("typesense", opened.typesense_secret, opening.typesense)
        return self._secret("sampler", opened.dsn_secret, opening.patient, plain=True)

    @property
    def writer(self) -> Writer:
        """Give what writes into the public collections."""
        name = self.read(settings.Writing).writer_secret
        return self._secret("writer", name, opening.writer)

    @property
    def notes(self) -> Notes:
        """Give what writes notes to the customer's database, and erases them there."""
        name = self.read(settings.Database).dsn_secret
        return self._secret("notes", name, opening.notes, plain=True)

    def parts(self, registry: Registry) -> Parts:
        """Give all that a search of a source needs."""
        engine = self.engine(registry)
        return Parts(
            engine,
            self.table,
            self.ring,
            self.refs,
            self.raises,
            self.canaries,
            measured,
        )

    @cached_property
    def vault(self) -> SecretsProvider:
        """Open the store of secrets."""
        return SecretsProvider(boto_config=self.short)

    def _secret(
        self,
        part: str,
        name: str,
        build: Callable[[Any], _Part],
        *,
        plain: bool = False,
    ) -> _Part:
        """Build a part of a secret, and anew when the secret has changed."""
        try:
            text = str(self.vault.get(name, max_age=SECRETS_FRESH))
        except (GetParameterError, BotoCoreError) as error:
            raise Unavailable("A secret can't be read.") from error
        # Compared by the secret's text: an unchanged one keeps its connections, a
        # rotated one is opened anew.
        held = self._made.get(part)
        if held is None or held[0] != text:
            held = (text, build(text if plain else json.loads(text)))
            self._made[part] = held
        built: _Part = held[1]
        return built


def spoken_to(caller: Caller, registry: Registry) -> Caller:
    """Answer who named no language in the source's own."""
    own = registry.manifest.text_language
    return caller.speaking(caller.language or own, caller.surface)


wiring = Wiring()
